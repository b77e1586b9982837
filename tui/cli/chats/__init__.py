"""`zib chats`: the conversations on the command line."""
