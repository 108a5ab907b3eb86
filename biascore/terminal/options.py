"""Options that many commands take, and options given as ``key=value``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from biascore.errors import OptionsError

TRANSFORM_EXAMPLE: Final = "--transform grammatical-gender:nouns=es/nouns"
OTHER_BASE: Final = re.compile(r"[+-]?0[xob]\w*")

StimuliFolders = Annotated[
    list[Path] | None,
    typer.Option(
        help="A folder of your own <language>/*.toml, in addition to the installed ones.", metavar="DIR"
    ),
]
"""``--stimuli DIR``: folders, None where none is given."""

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
"""``--json``; see ``print_json``."""

Force = Annotated[bool, typer.Option("--force", help="Replace what an earlier command wrote there.")]
"""``--force``; see ``check_own_folder``."""

NoCache = Annotated[bool, typer.Option("--no-cache", help="Neither read nor keep answers of models.")]
"""``--no-cache``: ``Engine(cache=None)``."""

Option = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        help="An option of the metric, such as ddof=0; of a model's adapter, model.dtype=bfloat16; of the data's format, "
        "data.encoding=cp1252. Repeat for several.",
        metavar="KEY=VALUE",
    ),
]
"""``-o KEY=VALUE``, which ``Given.of`` reads."""


@dataclass(frozen=True, slots=True)
class Given:
    """What ``-o`` gives: options of the metric (or of what a command makes), of the models, and of the data."""

    own: Mapping[str, Any]
    model: Mapping[str, Any]
    data: Mapping[str, Any]

    @classmethod
    def of(cls, option: Sequence[str] | None, of: Sequence[str] = ("", "model", "data")) -> Given:
        """The options by what they are of.

        ``of``: what has options here. Raises OptionsError for an option of something else.
        """
        texts: dict[str, list[str]] = {"": [], "model": [], "data": []}
        for text in option or ():
            whose, dot, rest = text.partition(".")
            whose, rest = (whose, rest) if dot and whose in texts else ("", text)
            if whose not in of:
                forms = " or ".join(f"-o {one and one + '.'}KEY=VALUE" for one in of)
                raise OptionsError(f"-o {text} is an option of nothing that is used here. Write {forms}")
            texts[whose].append(rest)
        return cls(*(pairs(some) for some in texts.values()))


def pairs(
    options: Sequence[str] | None,
    inside: str = "",
    example: str = "",
) -> dict[str, Any]:
    """Options from ``key=value``; the value is read as TOML, and what is no TOML value is a string.

    ``inside``: the argument that they are part of, and ``example`` one that would do.
    """
    from biascore.files.reading import parse_toml

    found: dict[str, Any] = {}
    for text in options or ():
        key, equals, value = text.partition("=")
        if not equals or not key:
            of, usual = (f" of {inside!r}", TRANSFORM_EXAMPLE) if inside else ("", "-o level=token")
            raise OptionsError(f"{text!r}{of} is not key=value. Write, for example: {example or usual}")
        if key in found:
            raise OptionsError(f"the option {key!r} is given twice. Give it once")
        if OTHER_BASE.fullmatch(value):
            raise OptionsError(
                f"{text!r}: write the number with decimal digits, or a text in quotation marks"
            )
        try:
            found[key] = parse_toml(f"value = {value}")["value"]
        except ValueError:
            found[key] = value
    return found
