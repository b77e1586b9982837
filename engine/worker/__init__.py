"""The engine process: the only place that imports MLX. Started as a process, never imported."""
