"""Persona files into personas, and what is wrong with the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from tui.personas.builtin import builtin_personas
from tui.personas.persona import BadPersona, Persona, to_persona
from tui.settings.keys import nearest
from tui.toml_files import BadToml, read_table, toml_files


@dataclass(frozen=True, slots=True)
class PersonaSet:
    """The usable personas by name, and each file that is not usable with the reason."""

    personas: Mapping[str, Persona]
    problems: tuple[tuple[Path, str], ...] = ()

    def called(self, name: str) -> Persona | None:
        """The persona of this name, however it is capitalised."""
        wanted = name.strip().casefold()
        found = (each for each in self.personas.values() if each.name.casefold() == wanted)
        return next(found, None)

    def hint(self, name: str) -> str:
        """A sentence that offers the likeliest name, or none."""
        return nearest(name, self.personas)


def load_personas(folder: Path) -> PersonaSet:
    """Read every `*.toml` of the folder, which may be missing; a file wins over what comes along.

    The name of a persona is that of its file unless it says another.
    """
    found = {each.name.casefold(): each for each in builtin_personas()}
    problems: list[tuple[Path, str]] = []
    files: dict[str, Path] = {}
    for path in toml_files(folder, problems):
        try:
            persona = to_persona({"name": path.stem, **read_table(path, "a persona")})
            key = persona.name.casefold()
            if key in files:
                raise BadPersona(f"{files[key].name} is named {persona.name} too.")
        except (BadPersona, BadToml) as error:
            problems.append((path, str(error)))
            continue
        files[key] = path
        found[key] = persona
    personas = {each.name: each for each in found.values()}
    return PersonaSet(MappingProxyType(personas), tuple(problems))
