"""The wiki pane."""
