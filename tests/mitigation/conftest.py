"""The shipped pairs, and what swaps them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from biascore import Engine
from biascore.stimuli import Catalogue, PairList
from biascore_training.corpus import ENGLISH_PAIRS, read_pairs
from biascore_training.swapping import Swapper


@pytest.fixture(scope="session")
def catalogue(engine: Engine) -> Catalogue:
    return engine.catalogue


@pytest.fixture(scope="session")
def english(catalogue: Catalogue) -> Swapper:
    """What swaps the default pairs."""
    return Swapper(read_pairs(one, catalogue).listed for one in ENGLISH_PAIRS)


@pytest.fixture(scope="session")
def swapper() -> Callable[..., Swapper]:
    """``swapper(("she", "he"), …, names=[("Anna", "Paul")])``: what swaps these pairs."""

    def of(*pairs: tuple[str, str], names: tuple[tuple[str, str], ...] = ()) -> Swapper:
        sides = ("female", "male")
        return Swapper([PairList("own", pairs, sides)], [PairList("names", tuple(names), sides)])

    return of


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Forty short texts with gendered words, and one that is longer than a tiny model takes."""
    texts = [f"{'She' if i % 3 else 'He'} said that the engineer finished {i} books." for i in range(40)]
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join([*texts, "the quick brown fox and his mother " * 12]), encoding="utf-8")
    return path
