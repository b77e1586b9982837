"""The model picker and the questions around it."""
