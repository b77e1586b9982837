"""The built-in colour themes, as TOML files."""
