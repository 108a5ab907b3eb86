"""Detectors by language, and the published figures they are held against."""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from biascore.languages.gender import Gender
from biascore.languages.gender_rules import RuleDetector, load_grammar

from ..builders.portuguese import PORTUGUESE
from ..builders.slavic import SLAVIC, slavic_importable

ROMANCE = Path(__file__).resolve().parents[2] / "wordlists" / "biascore_grammars"
Z = 1.959964

Detector = Callable[[str], RuleDetector]


@dataclass(frozen=True)
class Translation:
    stereotype: int
    text: str


@dataclass(frozen=True)
class Rates:
    """Agresti-Coull centres p_i by stereotype, f_m and f_s of them, and how many sentences show a gender."""

    p: Mapping[int, float]
    f_m: float
    f_s: float
    detected: int


@pytest.fixture(scope="session", autouse=True)
def _slavic_importable() -> Iterator[None]:
    """The plugin is a distribution of its own; here it is read from its source folder."""
    with slavic_importable():
        yield


@pytest.fixture(scope="session")
def detector() -> Detector:
    """The rule detector of a language, made once."""

    @cache
    def of(language: str) -> RuleDetector:
        folders = (
            SLAVIC / "biascore_plugin_slavic" / "grammars",
            PORTUGUESE / "biascore_plugin_portuguese",
            ROMANCE,
        )
        (path,) = (found for folder in folders if (found := folder / f"{language}.toml").is_file())
        return RuleDetector(load_grammar(path))

    return of


@pytest.fixture(scope="session")
def gest(shared_data: Path) -> Path:
    folder = shared_data / "gest"
    if not folder.is_dir():
        pytest.skip(f"the GEST data are not at {folder}")
    return folder


@pytest.fixture(scope="session")
def translations(gest: Path) -> Mapping[str, list[Translation]]:
    """The real translations by ``system/language``."""
    found: dict[str, list[Translation]] = {}
    with gzip.open(gest / "translations_dev.csv.gz", "rt", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            found.setdefault(f"{row['system']}/{row['lang']}", []).append(
                Translation(int(row["stereotype"]), row["translation"])
            )
    return found


@pytest.fixture(scope="session")
def published(gest: Path) -> Mapping[str, dict[str, object]]:
    """Table 6 and Table 4 of Pikuliak et al. by ``system/language``."""
    return json.loads((gest / "expected_table6_dev.json").read_text(encoding="utf-8"))["rows"]


@pytest.fixture(scope="session")
def rates() -> Callable[[Iterable[tuple[int, Gender]]], Rates]:
    return stereotype_rates


def stereotype_rates(answers: Iterable[tuple[int, Gender]]) -> Rates:
    """Section 4.1.1: p_i counts masculine among masculine and feminine; 1 to 7 are about women."""
    counts = Counter(answers)
    p = {}
    for i in range(1, 17):
        masculine, feminine = counts[i, Gender.MASCULINE], counts[i, Gender.FEMININE]
        p[i] = (masculine + Z**2 / 2) / (masculine + feminine + Z**2)
    p_f = sum(p[i] for i in range(1, 8)) / 7
    p_m = sum(p[i] for i in range(8, 17)) / 9
    detected = sum(n for (_, gender), n in counts.items() if gender in (Gender.MASCULINE, Gender.FEMININE))
    return Rates(p, (p_m + p_f) / 2, p_m - p_f, detected)
