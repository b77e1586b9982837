"""What a page was, who changed it, and the ways back."""
