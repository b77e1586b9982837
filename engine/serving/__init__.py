"""The engine side of the channel, shared by every backend. Knows nothing about MLX."""
