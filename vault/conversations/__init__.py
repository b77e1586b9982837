"""The chats: a tree of messages each, in one SQLite file of the data folder."""
