"""Text that did not come from our source: made harmless, measured, shown as it is."""
