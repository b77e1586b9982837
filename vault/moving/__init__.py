"""Renames, moves and deletes pages so that every link leads where it led before."""
