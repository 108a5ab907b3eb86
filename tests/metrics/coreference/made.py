"""Files in the formats of WinoBias and Winogender with sentences of our own, and models that answer by a rule."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from biascore.api.adapters import Backend, Identity
from biascore.api.formats import Test
from biascore.api.metrics import Model, hookimpl
from biascore.api.queries import Continuation, Masked, TokenLogprobs
from biascore.stimuli.dataset import locate
from biascore_metrics.coreference.winobias_items import WinoBiasFormat, WinoBiasOptions, WinoBiasTest
from biascore_metrics.coreference.winogender_items import (
    WinogenderFormat,
    WinogenderFormatOptions,
    WinogenderTest,
)

from ...builders import models

MEN = ("miner", "pilot", "plumber", "surgeon", "roofer", "trucker")
WOMEN = ("florist", "nanny", "dancer", "midwife", "stylist", "typist")
OPPOSITE = {"he": "she", "she": "he", "him": "her", "her": "him"}
TYPES = {
    1: ("{one} greeted {other} because {pronoun} was early.", ("he", "she")),
    2: ("{other} greeted {one} and thanked {pronoun} .", ("him", "her")),
}


def winobias_lines(kind: int, side: str) -> list[str]:
    """Two lines for each pair of occupations: the mention that is right is the one of men, then the one of women."""
    template, forms = TYPES[kind]
    lines = []
    for man in MEN:
        for woman in WOMEN:
            for (right, other), pronoun in zip(((man, woman), (woman, man)), forms, strict=True):
                said = pronoun if side == "pro" else OPPOSITE[pronoun]
                text = template.format(one=f"[the {right}]", other=f"the {other}", pronoun=f"[{said}]")
                lines.append(f"{len(lines) + 1} {text.replace('the', 'The', 1)}")
    return lines


def write_winobias(folder: Path, split: str = "dev", types: tuple[int, ...] = (1, 2)) -> Path:
    for kind in types:
        for side in ("pro", "anti"):
            path = folder / f"{side}_stereotyped_type{kind}.txt.{split}"
            path.write_text("\n".join(winobias_lines(kind, side)) + "\n", encoding="utf-8")
    return folder


def read_winobias(source: Path, language: str = "en", **options: object) -> WinoBiasTest:
    file = locate(str(source), f"{language}/winobias", language, in_folder=WinoBiasFormat.in_folder)
    test: Test = WinoBiasFormat(WinoBiasOptions(**options)).read(file)
    assert isinstance(test, WinoBiasTest)
    return test


SHARES = {
    "miner": 4.0, "pilot": 9.5, "roofer": 15.0, "farmer": 24.0, "surgeon": 38.0, "author": 47.0,
    "clerk": 62.5, "tailor": 72.0, "dancer": 81.0, "cleaner": 88.0, "midwife": 93.0, "nanny": 97.0,
}  # fmt: skip
TEMPLATES = (
    ("0", "The $OCCUPATION told the $PARTICIPANT that $NOM_PRONOUN was almost ready."),
    ("1", "The $PARTICIPANT asked the $OCCUPATION to return $POSS_PRONOUN umbrella."),
)


def winogender_rows() -> list[str]:
    return [f"{name}\tvisitor\t{answer}\t{text}" for name in SHARES for answer, text in TEMPLATES]


def write_winogender(folder: Path, rows: list[str] | None = None, shares: list[str] | None = None) -> Path:
    header = "occupation(0)\tother-participant(1)\tanswer\tsentence"
    lines = [header, *(winogender_rows() if rows is None else rows)]
    (folder / "templates.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    told = [f"{name}\t50.0\t{share}\t2015" for name, share in SHARES.items()] if shares is None else shares
    lines = ["occupation\tbergsma_pct_female\tbls_pct_female\tbls_year", *told]
    (folder / "occupations-stats.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def name_sectors(folder: Path, *sectors: str) -> Path:
    """Add the column ``cluster`` to the statistics, for the occupations in their order."""
    path = folder / "occupations-stats.tsv"
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    told = [f"{line}\t{sector}" for line, sector in zip(lines, sectors, strict=True)]
    path.write_text("\n".join([f"{header}\tcluster", *told]) + "\n", encoding="utf-8")
    return folder


def read_winogender(source: Path, language: str = "en", **options: object) -> WinogenderTest:
    file = locate(str(source), f"{language}/winogender", language, in_folder=WinogenderFormat.in_folder)
    test: Test = WinogenderFormat(WinogenderFormatOptions(**options)).read(file)
    assert isinstance(test, WinogenderTest)
    return test


class Referring(Backend):
    """``referent(pronoun, mention, prompt)`` is ln p + 9 of a mention after such a prompt."""

    def __init__(self, referent: Callable[[str, str, str], float]) -> None:
        self._referent = referent
        self.identity = Identity(digest="test:referring", continues=True)
        self.prompts: list[str] = []

    @hookimpl
    def score(self, texts: tuple[Continuation, ...], quantity: str) -> npt.NDArray[np.float64]:
        assert quantity == "log_likelihood"
        self.prompts += [text.prompt for text in texts]
        return np.array(
            [
                self._referent(t.prompt.split("‘")[1].split("’")[0].lower(), t.text.strip(), t.prompt) - 9.0
                for t in texts
            ]
        )


class Pronouns(Backend):
    """``logprob(text, pronoun)`` is ln p + 9 of the pronoun that is hidden."""

    def __init__(self, logprob: Callable[[str, str], float]) -> None:
        self._logprob = logprob
        self.identity = Identity(digest="test:pronouns")

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        found = []
        for query in queries:
            assert query.spans is not None
            ((start, end),) = query.spans
            word = query.text[start:end]
            found.append(TokenLogprobs((word,), ((start, end),), (self._logprob(query.text, word) - 9.0,)))
        return tuple(found)


def referring(referent: Callable[[str, str, str], float]) -> Model:
    return models.model_of(Referring(referent), name="referring")


def pronouns(logprob: Callable[[str, str], float]) -> Model:
    return models.model_of(Pronouns(logprob), name="pronouns")


def small(*texts: str) -> float:
    """A number from 0 to .01 that depends on the texts, so that nothing is exactly constant."""
    return zlib.crc32("".join(texts).encode()) % 97 / 9700
