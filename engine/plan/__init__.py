"""What a model costs in memory and how fast it will be, before and while it runs. No MLX here."""
