"""Lines of one document are no independent observations: where the data name documents, the gap is tested by them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr
from scipy.stats import ttest_1samp

from biascore import Engine
from biascore.errors import DataError
from biascore.results.measurement import Measurement
from biascore.stats import Verdict
from biascore_metrics.mt_geneval.items import FEMININE, MASCULINE, GenevalTest, Line
from biascore_metrics.mt_geneval.metric import SIGNS, MtGeneval, MtGenevalOptions, Outcomes, judged

from ...builders.models import model_of
from .conftest import CONTEXT, SENTENCES, Translator, read, write


def outcomes(lines: list[Line], right: list[bool], *, paired: bool) -> Outcomes:
    """Lines whose translations are in their own gender, where ``right``, or in the other."""
    answers = [line.own if own else line.other for line, own in zip(lines, right, strict=True)]
    return Outcomes(judged(lines, answers), paired=paired, level=0.95)


def drawn(rng: np.random.Generator, size: int, count: int, *, paired: bool) -> Outcomes:
    """Pairs of documents with a gap of their own, around 0, or lines of documents of one gender, with their own share."""
    lines, right = [], []
    for document in range(count):
        gap, level = 2.5 * rng.standard_normal(), 0.5 + rng.standard_normal() * (not paired)
        for pair in range(document * size, (document + 1) * size):
            for gender in SIGNS if paired else [[*SIGNS][document % 2]]:
                right.append(bool(rng.random() < ndtr(level + SIGNS[gender] * gap / 2 * paired)))
                lines.append(Line("x", "a", "b", gender, pair, f"d{document}"))
    return outcomes(lines, right, paired=paired)


def unnamed(found: Outcomes) -> Outcomes:
    """The same where no document is named."""
    return replace(found, rows=found.rows.assign(cluster="", together=found.rows.pair))


@pytest.mark.parametrize(
    ("size", "count", "paired"),
    [
        pytest.param(5, 60, True, marks=pytest.mark.slow),
        pytest.param(40, 8, True, marks=pytest.mark.slow),
        (10, 60, False),
    ],
)
def test_documents_with_a_gap_of_their_own_are_no_finding(size: int, count: int, paired: bool) -> None:
    rng, sets = np.random.default_rng(7), 100
    by_document = by_line = 0
    for _ in range(sets):
        found = drawn(rng, size, count, paired=paired)
        gap, plain = found.gap, unnamed(found).gap
        assert gap.value == pytest.approx(plain.value)
        assert gap.interval is not None
        assert gap.p_value is not None
        assert plain.p_value is not None
        assert (gap.p_value > 0.05) == (gap.interval.low <= 0 <= gap.interval.high)
        by_document += gap.p_value <= 0.05
        by_line += plain.p_value <= 0.05
    # 5 %, within two standard errors and a half; by line it is far more.
    assert by_document / sets <= 0.05 + 2.5 * (0.05 * 0.95 / sets) ** 0.5
    assert by_line / sets > 0.15


def test_the_gap_of_pairs_is_the_t_test_of_documents_of_one_size() -> None:
    found = drawn(np.random.default_rng(1), 5, 12, paired=True)
    kept = (found.rows.outcome == "correct").to_numpy(dtype=float).reshape(12, 5, 2)
    expected = ttest_1samp((kept[..., 0] - kept[..., 1]).mean(axis=1), 0)
    gap = found.gap
    assert (gap.p_value, gap.error) == (pytest.approx(expected.pvalue), "t, CR2 by clusters")
    assert gap.interval is not None
    assert gap.interval.low == pytest.approx(expected.confidence_interval().low)


@pytest.mark.parametrize("paired", [True, False])
def test_lines_that_tell_no_gender_count_in_no_gap(paired: bool) -> None:
    found = drawn(np.random.default_rng(2), 5, 12, paired=paired)
    untold = [Line("x", "a", "a", gender, 100, "d100") for gender in SIGNS]
    others = [
        *untold,
        *[Line("x", "a", "b", "", n, f"d{n % 3}") for n in range(101, 131)] * (not paired),
    ]
    more = outcomes(others, [True] * len(others), paired=paired).rows
    both = replace(found, rows=pd.concat([found.rows, more], ignore_index=True))
    assert both.gap == found.gap
    added = both.contributions()
    assert added[: len(found.rows)].tolist() == found.contributions().tolist()
    assert added[len(found.rows) :].isna().all()


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_interval_of_independent_sentences_lies_on_the_side_of_the_gap(sign: float) -> None:
    lines, kept = [], []
    for gender, right in ((FEMININE, 18 if sign > 0 else 8), (MASCULINE, 8 if sign > 0 else 18)):
        for number in range(20):
            lines.append(Line("x", "a", "b", gender, len(lines)))
            kept.append(number < right)
    gap = outcomes(lines, kept, paired=False).gap
    assert gap.value == pytest.approx(0.5 * sign)
    assert gap.interval is not None
    assert min(sign * gap.interval.low, sign * gap.interval.high) > 0
    assert gap.interval.low < gap.value < gap.interval.high


def measured(engine: Engine, test: GenevalTest) -> Measurement:
    by_source = {line.source: line for line in test.lines.rows}
    model = model_of(Translator(lambda text: by_source[text].own))
    return engine.measure("mt-geneval", model, test)[0]


@pytest.mark.parametrize(("files", "part"), [(SENTENCES, "sentences"), (CONTEXT, "context")])
def test_a_file_names_the_cluster_of_each_line(
    tmp_path: Path, engine: Engine, files: dict[str, list[str]], part: str
):
    path = write(tmp_path, files, part)
    style = path.name.partition(part)[0] + ("context-wikiprofessions" if part == "context" else part)
    beside = tmp_path / f"{style}-clusters-test.en_it.txt"
    beside.write_text("one\none\ntwo\ntwo\n", encoding="utf-8")
    test = read(path)
    lines = test.lines.rows
    assert [line.cluster for line in lines if line.gender != MASCULINE or part == "context"] == [
        "one"
    ] * 2 + ["two"] * 2
    assert str(beside) in {name for name, _ in test.files}
    (why,) = MtGeneval(MtGenevalOptions()).unreachable(test)
    limited = "1 with 1 clusters" if part == "context" else "0.5 with 2 clusters"
    assert f"cannot be below {limited}" in why.why
    found = measured(engine, test)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.conventions["test"].startswith("t of the gap, its error by cluster")
    assert found.items_frame()["contribution"].sum() == pytest.approx(found.headline.value)
    beside.write_text("one\ntwo\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"clusters-test.en_it.txt 2\. Fetch"):
        read(path)


def test_clusters_of_one_pair_change_nothing(tmp_path: Path, engine: Engine):
    path = write(tmp_path, SENTENCES, "sentences")
    plain = measured(engine, read(path))
    (tmp_path / "geneval-sentences-clusters-test.en_it.txt").write_text("a\nb\nc\nd\n", encoding="utf-8")
    named = measured(engine, read(path))
    assert named.headline == plain.headline
    assert named.headline.p_values[0].name == "McNemar, exact"
