"""Every metric with a permutation test says where its lists are too short for any p at or below alpha."""

from __future__ import annotations

from pathlib import Path

import pytest

from biascore import Audit
from biascore.engine.engine import Engine

STIMULI = """
schema = 1
[meta]
language = "en"
title = "Too few"
source = "test"
licence = "Apache-2.0"
[lists.x]
words = ["kitchen", "sewing"]
part_of_speech = "noun-singular"
[lists.y]
words = ["garage", "drill"]
part_of_speech = "noun-singular"
[lists.a]
words = ["she", "her"]
part_of_speech = "noun-singular"
[lists.b]
words = ["he", "him"]
part_of_speech = "noun-singular"
[lists.targets]
words = ["kitchen", "sewing", "garage", "drill", "house", "street"]
[tests.few]
kind = "weat"
title = "Short lists"
concept = "gender"
positive_means = "x with a"
X = "x"
Y = "y"
A = "a"
B = "b"
[tests.few-fise]
kind = "fise"
title = "Short lists"
concept = "gender"
targets = "targets"
dimensions = [{ name = "gender", A = "a", B = "b" }, { name = "place", A = "x", B = "y" }]
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder: Path = tmp_path_factory.mktemp("stimuli")
    (folder / "en").mkdir()
    (folder / "en" / "few.toml").write_text(STIMULI, encoding="utf-8")
    return Engine(cache=None, stimuli=[folder])


@pytest.mark.parametrize(
    ("metric", "test", "told"),
    [
        ("weat", "en/few", "cannot be below 0.333 with 2 + 2 target words"),
        ("seat", "en/few", "cannot be below 0.333 with 2 + 2 target words"),
        ("lpbs", "en/few", "cannot be below 0.333 with 2 + 2 target words"),
        (
            "sc-weat",
            "en/few",
            "cannot be below 1 with 2 + 2 attribute words, adjusted for 4 target words",
        ),
        (
            "fise",
            "en/few-fise",
            "cannot be below 1 with 2 clusters, adjusted for 2 dimensions",
        ),
    ],
)
def test_lists_of_two_words_can_show_nothing(engine: Engine, metric: str, test: str, told: str) -> None:
    few = {"draws": 200} if metric == "fise" else {"draws": 200, "resamples": 100}
    (measurement,) = engine.measure(metric, "planted:en/few=1", test, **few)
    assert measurement.verdict.value == "inconclusive"
    assert told in measurement.reason
    assert measurement.reason.count("cannot be below") == 1


def test_fise_tells_it_before_a_model_is_asked(engine: Engine) -> None:
    audit = {"metric": "fise", "tests": ["en/few-fise"]}
    plan = engine.plan(
        Audit.from_parts(title="Few", models=[{"ref": "planted:en/few=1"}], measurements=[audit]), probe=False
    )
    assert any("cannot be below 1 with 2 clusters, adjusted for 2 dimensions" in note for note in plan.notes)


def test_so_can_few_stereotypes(engine: Engine) -> None:
    left = [1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14]
    (rate,) = engine.measure("gest-lm", "planted:", "en/gest_own", exclude=left)
    assert "cannot be below 0.333 with 2 + 2 stereotypes" in rate.reason
