"""The list of all chats, and what can be done with them there."""
