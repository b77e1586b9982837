"""The memory wiki: Markdown articles in a folder, their links, and their git history.

Files are the truth. This package knows neither the engine nor the terminal; `vault.vault` is
the door the terminal uses, every other module has one subject and can be used alone.
"""
