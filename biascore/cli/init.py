"""``biascore init``."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from biascore.audits.first_file import commented
from biascore.cli import loaded
from biascore.cli.options import Audited, Design, Language, Line, Release, To
from biascore.errors import OptionsError
from biascore.files.paths import user_path
from biascore.files.writing import write_file
from biascore.terminal.console import say
from biascore.terminal.options import Given, Option, StimuliFolders


def init(
    ref: Audited,
    out: Annotated[Path, typer.Option("--out", help="The new file.", metavar="FILE")] = Path("audit.toml"),
    language: Language = None,
    design: Design = None,
    to: To = None,
    line: Line = None,
    release: Release = None,
    option: Option = None,
    stimuli: StimuliFolders = None,
) -> None:
    """Write a first audit file for a model, with comments and nothing measured: the tests that audit would choose."""
    options, place = Given.of(option, of=("model",)), user_path(out)
    if place.exists():
        raise OptionsError(f"{out} is there already. Choose another name with --out, or delete it")
    with closing(loaded.engine(stimuli=stimuli or ())) as engine, engine.model(ref, **options.model) as model:
        made = engine.audit(model, language=language, design=design, to=to or ())
    folders = tuple(str(user_path(one).resolve()) for one in stimuli or ())
    made = made.of_release(line, release).model_copy(update={"stimuli": folders})
    write_file(place, commented(made, quote(str(out))).encode())
    say(f"{out} is written. Change it as you like, and run it:\n  biascore run {quote(str(out))}")
