"""What the command palette offers besides Textual's own."""
