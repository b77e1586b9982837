"""`zib memory`: the wiki from the command line."""
