"""The real built-in model, fetched once and shared by every test run and worker."""

import asyncio
import os
from pathlib import Path

from engine.models.builtin import ensure_builtin

REPOSITORY = Path(__file__).resolve().parent.parent


def fetch_builtin_model() -> Path:
    """The converted model's folder; ZIB_TEST_CACHE names another place to keep it."""
    place = os.environ.get("ZIB_TEST_CACHE") or REPOSITORY / ".pytest_cache" / "zib-models"
    return asyncio.run(ensure_builtin(Path(place), lambda _: None))
