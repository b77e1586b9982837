"""Finds the links of an article, decides what they mean, and spells them anew."""
