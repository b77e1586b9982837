"""What a cache refuses to do."""

from engine.errors import EngineError


class CacheError(EngineError):
    """A KV cache was asked for something it cannot do without losing or mixing up tokens."""
