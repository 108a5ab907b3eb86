"""Every reader of a file of somebody else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from biascore import Engine
from biascore.audits.audit import Audit
from biascore.languages.gender_rules import load_grammar
from biascore.stimuli.loader import load_file

from ..builders.kinds import KINDS
from .files import GOOD

Reader = Callable[[Path], object]


@pytest.fixture(scope="session")
def readers() -> dict[str, Reader]:
    """The readers by what they read."""
    engine = Engine(cache=None)

    def data(kind: str) -> Reader:
        return lambda path: engine.data(kind, path, language="en")

    return {
        "audit": Audit.load,
        "stimuli": lambda path: load_file(path, str(path), kinds=KINDS),
        "grammar": load_grammar,
        "crows-pairs": data("crows-pairs"),
        "gest": data("gest"),
        "json-lines": data("gest"),
        "gender-variants": data("gender-variants"),
        "scores": lambda path: engine.model(f"answers:{path}").close(),
        "translations": lambda path: engine.model(f"answers:{path}", language="sk").close(),
    }


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, bytes], Path]:
    """A file of some bytes, named as the reader wants it."""

    def written(kind: str, content: bytes) -> Path:
        path = tmp_path / GOOD[kind][0]
        path.write_bytes(content)
        return path

    return written
