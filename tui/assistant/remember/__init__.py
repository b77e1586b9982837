"""Turns what is said in a chat into proposed edits of the wiki; only the user's word writes."""
