"""Which model families the installed mlx-lm can run, read from its files and never imported."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

_MODULE_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DEFINES_A_MODEL = re.compile(rb"^class Model\(", re.MULTILINE)
_TABLES = ("MODEL_REMAPPING", "MODEL_ARCHITECTURE_REMAPPING")


def is_known_family(config: Mapping[str, Any]) -> bool:
    """Whether mlx-lm has code for this config.json; True when mlx-lm's own files are not found."""
    package = _package()
    if package is None:
        return True
    family = config.get("model_type")
    if not isinstance(family, str):
        return False
    return _has_model(package, _module_of(package, family, config.get("architectures")))


def _module_of(package: Path, family: str, architectures: object) -> str:
    families, by_architecture = (_tables(package)[name] for name in _TABLES)
    named = [architectures] if isinstance(architectures, str) else architectures
    for architecture in named if isinstance(named, list) else ():
        if isinstance(architecture, str) and (family, architecture) in by_architecture:
            return by_architecture[family, architecture]
    return families.get(family, family)


@lru_cache(maxsize=1)
def _package() -> Path | None:
    # Finding a top-level package imports nothing.
    found = find_spec("mlx_lm")
    places = found.submodule_search_locations if found else None
    return Path(places[0]) if places else None


@lru_cache(maxsize=1)
def _tables(package: Path) -> Mapping[str, Mapping[Any, str]]:
    """The families that mlx-lm runs with another family's code."""
    tables: dict[str, Mapping[Any, str]] = {name: MappingProxyType({}) for name in _TABLES}
    try:
        tree = ast.parse((package / "utils.py").read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError):
        return tables
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as value) if (
                name in tables
            ):
                tables[name] = _literal_table(value)
            case _:
                pass
    return tables


def _literal_table(value: ast.Dict) -> Mapping[Any, str]:
    try:
        table = ast.literal_eval(value)
    except ValueError:
        return {}
    return {key: name for key, name in table.items() if isinstance(name, str)}


@lru_cache(maxsize=512)
def _has_model(package: Path, module: str) -> bool:
    if not _MODULE_NAME.fullmatch(module):
        return False
    try:
        source = (package / "models" / f"{module}.py").read_bytes()
    except OSError:
        return False
    return bool(_DEFINES_A_MODEL.search(source))
