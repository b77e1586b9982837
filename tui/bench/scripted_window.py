"""The real window over an engine that says what a script says.

`python -m tui.bench.scripted_window SCRIPT`; settings and folders come from the environment.
"""

from __future__ import annotations

import gc
import sys
from dataclasses import replace
from pathlib import Path

import msgspec

from engine.process import SCRIPTED_MODULE, EngineLaunch
from engine.wanted_model import ModelChoice
from tui.models.startup import ReportFetch
from tui.wiring import Wiring, wire


def scripted_wiring(script: Path) -> Wiring:
    """As the user's own, but any folder named as model answers by the script."""
    wiring = wire()
    model = ModelChoice(wiring.settings.model, wiring.shop.adapter)

    async def find_choice(_: ReportFetch) -> ModelChoice:
        return model

    config = msgspec.structs.replace(wiring.launch.config, script=str(script))
    return replace(wiring, launch=EngineLaunch(config, SCRIPTED_MODULE), find_choice=find_choice)


def main(script: Path) -> None:
    """Open it as `zib` does."""
    gc.disable()
    wiring = scripted_wiring(script)
    from tui.app import ZibApp

    ZibApp(wiring).run()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
