"""Labelled rows in three parts: to train on, to choose by, and to test on; from files of their own, or drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from biascore.api.support import either, listed
from biascore.errors import DataError, OptionsError
from biascore_emotions.folder import Rows
from biascore_emotions.labelled import Labelled, LabelledFile, Reading, emotion_option, read_labelled

FEWEST: Final = 10
"""Rows to train on."""

FEWEST_TESTED: Final = 4
"""Rows to test on: with three, Fisher's z has no interval."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The rows of one emotion; ``records`` say of "train", "dev" and "test" where they come from."""

    train: tuple[Labelled, ...]
    dev: tuple[Labelled, ...]
    test: tuple[Labelled, ...]
    records: Mapping[str, Rows]

    def check(self, train: int, test: int, emotion: str) -> None:
        """Raise DataError where there are too few of so many rows, or where their scores are all the same."""
        if train < FEWEST:
            raise DataError(
                f"there are {train} rows of {emotion} to train on, and at least {FEWEST} are needed. Give more"
            )
        if test < FEWEST_TESTED:
            raise DataError(
                f"there are {test} rows of {emotion} to test on, and at least {FEWEST_TESTED} are needed. Give more, or "
                f"draw more of them: {either('--test-share 0.3', 'test_share=0.3')}"
            )
        for rows, what in ((self.train, "train"), (self.test, "test")):
            if len({row.score for row in rows}) == 1:
                raise DataError(
                    f"all {len(rows)} scores of {emotion} to {what} on are {rows[0].score:g}, so that there is nothing to "
                    f"{'learn' if what == 'train' else 'compare with'}. Give texts of different intensity"
                )


@dataclass(frozen=True, slots=True)
class Data:
    """The parts of each emotion, how the files were read (``read_as``: encoding, decimal sign), and what to warn of."""

    parts: Mapping[str, Parts]
    reading: Reading
    read_as: str
    warnings: tuple[str, ...] = ()


def read_data(
    train: Sequence[str | Path],
    *,
    dev: Sequence[str | Path] = (),
    test: Sequence[str | Path] = (),
    emotions: Sequence[str] = (),
    reading: Reading | None = None,
    chooses: bool = False,
    dev_share: float = 0.1,
    test_share: float = 0.2,
    seed: int = 0,
) -> Data:
    """Read labelled files and put their rows in parts.

    Without ``test`` files a ``test_share`` of the texts of each emotion is drawn from the train files by ``seed``; and
    without ``dev`` files, where dev rows have something to choose (``chooses``), a ``dev_share`` too. A text that stands
    there twice is in one part. Raises DataError or OptionsError.
    """
    reading = reading or Reading()
    for name, share in (("dev", dev_share), ("test", test_share)):
        if not 0 < share < 0.9:
            asked = either(f"--{name}-share {share:g}", f"{name}_share={share:g}")
            raise OptionsError(f"{asked} is no share of the texts. Give one such as 0.2")
    wanted = tuple(dict.fromkeys(name.strip().casefold() for name in emotions))
    read = {
        part: [read_labelled(one, reading, wanted) for one in files]
        for part, files in (("train", train), ("dev", dev), ("test", test))
    }
    names = wanted or tuple(dict.fromkeys(row.emotion for one in read["train"] for row in one.rows))
    shares = {} if test else {"test": test_share}
    if chooses and not dev:
        shares["dev"] = dev_share
    parts = {name: _parts(name, read, shares, seed) for name in names}
    warnings = []
    for name, one in parts.items():
        seen = {row.text for row in (*one.train, *one.dev)}
        both = sum(row.text in seen for row in one.test)
        if both:
            warnings.append(
                f"{name}: {both} of {len(one.test)} test texts are trained on too, so that r is too high"
            )
    read_as = dict.fromkeys(one.read_as for files in read.values() for one in files)
    return Data(parts, reading, "; ".join(read_as), tuple(warnings))


def _parts(
    name: str, read: Mapping[str, Sequence[LabelledFile]], shares: Mapping[str, float], seed: int
) -> Parts:
    rows: dict[str, tuple[Labelled, ...]] = {}
    records = {}
    for part, files in read.items():
        own = [(one, one.of(name)) for one in files]
        rows[part] = tuple(row for _, some in own for row in some)
        if files and not rows[part]:
            held = list(dict.fromkeys(row.emotion for one in files for row in one.rows))
            raise DataError(
                f"there is no row of {name} in {', '.join(one.name for one in files)}, of: {listed(held)}. Add the file of "
                f"that emotion, or leave it out: {emotion_option(held[0])}"
            )
        records[part] = Rows(files={one.name: one.sha256 for one, some in own if some}, rows=len(rows[part]))
    if len(rows["train"]) < FEWEST:
        raise DataError(
            f"{', '.join(records['train'].files)}: {len(rows['train'])} rows of {name} are too few to train on; at least "
            f"{FEWEST} are needed. Give more"
        )
    texts = list(dict.fromkeys(row.text for row in rows["train"]))
    order = np.random.default_rng([seed, len(texts)]).permutation(len(texts))
    start = 0
    for part, share in shares.items():
        count = max(1, round(share * len(texts)))
        drawn = {texts[place] for place in order[start : start + count]}
        start += count
        rows[part] = tuple(row for row in rows["train"] if row.text in drawn)
        rows["train"] = tuple(row for row in rows["train"] if row.text not in drawn)
        records[part] = Rows(
            drawn=f"{share:g} of the texts of the train files, by seed {seed}", rows=len(rows[part])
        )
    parts = Parts(rows["train"], rows["dev"], rows["test"], records)
    parts.check(len(parts.train) + len(parts.dev), len(parts.test), name)
    return parts
