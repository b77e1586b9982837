"""Errors of the engine package.

EngineError
├── ProtocolError        a frame that cannot be trusted
├── EngineStopped        the engine process is gone; says why
├── RequestFailed        the engine refused or could not finish one request
│   └── OverBudget       a model's plan does not fit; loading it can be forced
├── SharingUnavailable   this app's engine cannot be offered to others
└── ModelUnavailable     no usable model: not found, not fetched, damaged
"""


class EngineError(Exception):
    """Base of everything the engine package raises; `str()` is a sentence for the user."""


class ProtocolError(EngineError):
    """The other end of the channel sent something that is not the protocol."""


class EngineStopped(EngineError):
    """The engine process ended before it could answer."""


class RequestFailed(EngineError):
    """The engine answered a request with `Failed`."""


class OverBudget(RequestFailed):
    """The model does not fit by its plan; `load(..., is_forced=True)` loads it all the same."""


class SharingUnavailable(EngineError):
    """The engine socket cannot be offered; the app itself runs as usual."""


class ModelUnavailable(EngineError):
    """A model cannot be used as it is; the message says what to do."""
