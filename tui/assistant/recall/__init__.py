"""What of the wiki goes into the prompt with a question, kept with it from then on."""
