"""What is wrong with the pages of a wiki, and what would mend it."""
