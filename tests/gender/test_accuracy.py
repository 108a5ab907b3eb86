"""What docs/speaker-gender.md says of precision and recall is what the detectors do on the sentences held back."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.bench_gender_accuracy import languages, read_language, row

from .sentences import NOBODY, SPEAKER

PAGE = Path(__file__).resolve().parents[2] / "docs" / "speaker-gender.md"


@pytest.mark.parametrize("language", languages())
def test_the_page_has_what_is_measured(language: str) -> None:
    assert row(language) in PAGE.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("language", languages())
def test_half_state_a_gender_and_none_was_used_for_a_rule(language: str) -> None:
    some = read_language(language)
    kinds = Counter((one.about, one.stated) for one in some)
    count = 60 if language == "es" else 40
    quarter = count // 4
    assert kinds == {
        ("speaker", "masculine"): quarter, ("speaker", "feminine"): quarter,
        ("other", "none"): quarter, ("unmarked", "none"): quarter,
    }  # fmt: skip
    used = {text for pair in SPEAKER.get(language, []) for text in pair} | {
        text for text, _ in NOBODY.get(language, [])
    }
    assert not used & {one.sentence for one in some}
    assert len({one.sentence for one in some}) == count


def test_no_gender_is_read_wrong_in_the_sentences_that_led_to_rules() -> None:
    some = read_language("es_first")
    assert {one.sentence for one in some if one.found not in (one.stated, "none")} == set()
    assert sum(one.found == one.stated != "none" for one in some) >= 25
