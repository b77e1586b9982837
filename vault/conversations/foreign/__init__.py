"""Chats that other programs exported, read as ours; each form as publicly known in 2026."""
