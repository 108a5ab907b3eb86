"""Precision and recall of the detectors of the speaker's gender, on sentences that no rule was written on.

    python -m benchmarks.bench_gender_accuracy [--wrong]

The sentences of tests/gender/accuracy were written after the rules, and the rules are not changed for them. Half are
of a speaker whose gender is stated; a quarter are about others or things, a quarter leave the gender open. Precision is
the share of right readings among all readings, recall that of the stated genders that are read right. ``--wrong`` lists
the sentences that are read otherwise than stated.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import dataclass
from pathlib import Path

from biascore.languages.gender import Gender
from biascore.languages.gender_rules import RuleDetector, load_grammar
from biascore.stats.proportions import wilson_interval

ROOT = Path(__file__).resolve().parents[1]
SENTENCES = ROOT / "tests" / "gender" / "accuracy"
GRAMMARS = (
    ROOT / "wordlists" / "biascore_grammars",
    ROOT / "plugins" / "biascore-plugin-slavic" / "biascore_plugin_slavic" / "grammars",
    ROOT / "plugins" / "biascore-plugin-portuguese" / "biascore_plugin_portuguese",
)


@dataclass(frozen=True)
class Read:
    """A sentence, the gender that it states of its speaker, whom it is about, and the gender that is read."""

    sentence: str
    stated: str
    about: str
    found: str


def read_language(language: str) -> list[Read]:
    """Each sentence of a language with what its detector reads."""
    code = language.partition("_")[0]
    (path,) = (one for folder in GRAMMARS if (one := folder / f"{code}.toml").is_file())
    detector = RuleDetector(load_grammar(path))
    with (SENTENCES / f"{language}.tsv").open(encoding="utf-8", newline="") as lines:
        return [
            Read(
                row["sentence"], row["expected"], row["about"], detector.detect(row["sentence"]).gender.value
            )
            for row in csv.DictReader(lines, delimiter="\t")
        ]


def languages() -> list[str]:
    """Those that there are sentences of; those of ``es_first`` led to rules afterwards, and measure nothing any more."""
    return sorted(path.stem for path in SENTENCES.glob("*.tsv") if "_" not in path.stem)


def row(language: str) -> str:
    """A row of the table in docs/speaker-gender.md."""
    some = read_language(language)
    stated = [one for one in some if one.stated != Gender.NONE]
    read = [one for one in some if one.found != Gender.NONE]
    right = sum(one.found == one.stated for one in read)
    missed = {
        gender: f"{sum(one.found == gender for one in stated if one.stated == gender)}/"
        f"{sum(one.stated == gender for one in stated)}"
        for gender in (Gender.MASCULINE, Gender.FEMININE)
    }
    wrong = [
        sum(one.found != Gender.NONE for one in some if one.about == about) for about in ("other", "unmarked")
    ]
    cells = [
        language,
        str(len(some)),
        _share(right, len(read)),
        _share(right, len(stated)),
        *missed.values(),
        str(wrong[0]),
        str(wrong[1]),
    ]
    return f"| {' | '.join(cells)} |"


def _share(count: int, total: int) -> str:
    ends = wilson_interval(count, total, level=0.95)
    return f"{count}/{total} [{ends.low:.2f}, {ends.high:.2f}]"


def main() -> None:
    for language in languages():
        print(row(language))
        for one in read_language(language) if "--wrong" in sys.argv else ():
            if one.found != one.stated:
                print(f"    stated {one.stated}, read {one.found}: {one.sentence}")


if __name__ == "__main__":
    main()
