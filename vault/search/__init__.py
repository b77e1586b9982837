"""Search: any text is a valid question, and every answer can say why it is where it is."""
