"""Personas: how the model is to answer, as a file of the user's or one that comes along."""
