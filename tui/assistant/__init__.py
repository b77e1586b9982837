"""The thinking behind the screens, in plain Python without Textual."""
