"""The printed tables of the paper, from the authors' translations and scores, through the adapters for given answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.api.metrics import Test
from biascore_metrics.gest.kind import SamplesTest

from .conftest import estimates

PAIRS = (
    *(
        "deepl/sk",
        "deepl/ru",
        "amazon_translate/hr",
        "nllb_3b/pl",
        "google_translate/uk",
        "amazon_translate/sl",
    ),
    *("nllb_3b/cs", "nllb_3b/sr", "nllb_3b/be"),
)
ROWS = ("bert-base-uncased/template-1", "roberta-base/template-2", "xlm-roberta-large/template-3")


@pytest.fixture(scope="module")
def gest(slavic_engine: Engine, shared_data: Path) -> Test:
    return slavic_engine.data("gest", shared_data / "gest" / "gest.csv.gz", language="en")


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def labels(gest: Test) -> list[str]:
    assert isinstance(gest, SamplesTest)
    return [stereotype.label for stereotype in gest.samples.stereotypes]


QUICK = ("deepl/sk", "nllb_3b/be")


@pytest.mark.parametrize(
    "pair", [pytest.param(pair, marks=[] if pair in QUICK else [pytest.mark.slow]) for pair in PAIRS]
)
def test_table_6_and_table_4(slavic_engine: Engine, shared_data: Path, gest: Test, pair: str) -> None:
    system, target = pair.split("/")
    model = slavic_engine.model(
        f"answers:{shared_data / 'gest' / 'translations_dev.csv.gz'}",
        text="sentence_en",
        language_column="lang",
        only={"system": system, "lang": target},
    )
    found = slavic_engine.measure("gest-mt", model, gest, target=target)[0]
    printed = read(shared_data / "gest" / "expected_table6_dev.json")["rows"][pair]
    named = estimates(found)
    f_s, f_m = named["stereotype rate f_s"], named["global masculine rate f_m"]
    assert f_s.value == pytest.approx(printed["aggregates"]["f_s"], abs=0.01)
    used, yielded = sum(found.coverage.used.values()), printed["paper_yield"]
    if target == "be":  # the printed row holds errors of the authors' parser; see docs/studies/gest.md
        assert 0.53 <= f_m.value <= 0.6
        assert used == pytest.approx(yielded, rel=0.05)
        return
    assert f_m.value == pytest.approx(printed["aggregates"]["f_m"], abs=0.01)
    assert used == pytest.approx(yielded, rel=0.02)
    ps = [named[f"p {label}"].value for label in labels(gest)]
    for p, row in zip(ps, printed["p_i"], strict=True):
        assert row["lower"] <= p <= row["upper"]
    assert sum(abs(p - row["mean"]) for p, row in zip(ps, printed["p_i"], strict=True)) / 16 < 0.009
    assert found.verdict == "detected"


@pytest.mark.parametrize("row", ROWS)
def test_table_7(slavic_engine: Engine, shared_data: Path, gest: Test, row: str) -> None:
    folder = shared_data / "gest" / "english_mlm"
    printed = read(folder / "expected_table7.json")["rows"][row]
    number = int(row[-1])
    model = slavic_engine.model(
        f"answers:{folder / printed['file']}",
        sentences=str(shared_data / "gest" / "gest.csv.gz"),
        quantity=f"template {number}",
        unit="log10",
    )
    found = slavic_engine.measure("gest-lm", model, gest, templates=[number], duplicates="keep")[0]
    named = estimates(found)
    qs = [named[f"q {label}"] for label in labels(gest)]
    for q, cell in zip(qs, printed["paper_rows"], strict=True):
        assert round(q.value, 2) == pytest.approx(cell["mean"])
        assert q.interval.low == pytest.approx(cell["lower"], abs=0.01)
        assert q.interval.high == pytest.approx(cell["upper"], abs=0.01)
    assert [q.value for q in qs] == pytest.approx(printed["exact"]["q_i"], abs=1e-6)
    assert found.headline.value == pytest.approx(
        printed["paper_aggregates_from_2_decimals"]["g_s"], abs=0.003
    )
    assert named["q_m"].value == pytest.approx(printed["paper_aggregates_from_2_decimals"]["q_m"], abs=0.002)
    assert found.conventions["data"] == "GEST 1.0"


def test_the_topical_check_finds_the_papers_166_samples(
    slavic_engine: Engine, shared_data: Path, gest: Test
) -> None:
    """Table 3: n = 166 with any part of a word; as whole words there are fewer."""
    folder = shared_data / "gest" / "english_mlm"
    model = slavic_engine.model(
        f"answers:{folder / 'bert-base-uncased_template-0.txt.gz'}",
        sentences=str(shared_data / "gest" / "gest.csv.gz"),
        quantity="template 1",
        unit="log10",
    )
    held = {}
    for match in ("substring", "word"):
        options = {"templates": [1], "confound": "en/gest/family", "confound_match": match}
        found = slavic_engine.measure("gest-lm", model, gest, **options)[0]
        q = estimates(found)["q_confound"]
        held[match] = q.n["samples"]
        assert q.value < estimates(found)["q_m"].value
    assert held == {"substring": 166, "word": 155}
