"""The git history of a vault: hardened commands, one-path commits, logs, and recovery."""
