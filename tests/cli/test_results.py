"""A run on a terminal of any width: nothing a reader types or decides by is shortened, and warnings are shown."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from biascore.cli.results import print_run
from biascore.models.usage import QuestionCounts
from biascore.results.caveat import Caveat
from biascore.results.coverage import Coverage, LostWord
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.specificity import Specificity
from biascore.results.verdicts import State
from biascore.stats import Adjustment
from biascore.terminal import console as consoles

from ..builders import runs
from ..builders.runs import decided

LONG = "en/fise_gender_race_class_occupations"
MODELS = ("hf:sentence-transformers/paraphrase-multilingual-mpnet-base-v2", "fasttext:/models/cc.it.300.bin")


def measured(
    test: str, p: float | None, model: str = MODELS[0], *, lost: int = 0, given: int = 32, **more: Any
) -> Measurement:
    """An effect of -0.769, with words lost."""
    words = tuple(LostWord(word=f"w{i}", role="X", reason="out of vocabulary") for i in range(lost))
    coverage = Coverage(given={"X": given}, used={"X": given - lost}, lost=words)
    parts: dict[str, Any] = {"metric": "weat", "variant": "sentence level", "coverage": coverage} | more
    return decided(p, test=test, model=model, value=-0.769, ends=(-1.07, -0.29), **parts)


def run_of(*measurements: Measurement, **parts: Any) -> Run:
    """Adjusted by Holm where nothing else is said."""
    return runs.run_of(*measurements, **{"adjustment": Adjustment.HOLM, **parts})


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Any:
    def show(run: Run, width: int = 80, *, verbose: bool = False) -> str:
        file = io.StringIO()
        console = Console(file=file, force_terminal=True, width=width, color_system=None, emoji=False)
        monkeypatch.setattr(consoles, "stdout", console)
        print_run(run, verbose=verbose)
        return re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue())

    return show


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_test_and_verdict_are_whole_at_any_width(shown: Any, width: int) -> None:
    run = run_of(
        measured(LONG, 0.04, lost=22), measured("en/weat6", 0.9), measured(LONG, 0.001, MODELS[1]),
        measured("it/IT1", 0.9, MODELS[1], metric="sc-weat"), measured("en/weat7", 0.03),
    )  # fmt: skip
    text = shown(run, width)
    lines = text.splitlines()
    assert sum(LONG in line for line in lines) >= 2
    tables = text[: text.index("p-values are")]
    found = [len(re.findall(rf"\b{word}\b", tables)) for word in ("detected", "hint", "inconclusive")]
    assert found == [1, 2, 2]
    assert "…" not in text
    assert "−0.77" in text
    for name in ("−1.07 to", "0.04", "0.001", "22/32"):  # columns go where there is no room
        assert name in text or width < 120
    assert max(map(cell_len, (line for line in lines if " " in line.strip()))) <= width


@pytest.mark.parametrize("width", [80, 200])
def test_a_measurement_has_one_line(shown: Any, width: int) -> None:
    names = [f"en/audit-nationality-competence-{n}" for n in range(4)]
    few = Specificity(share=0.02, pairs=190, groups=20, pool="en/people", kind="people")
    table = shown(run_of(*(measured(name, 0.001, specificity=few) for name in names)), width).split("\n\n")[1]
    head, *rows = [line for line in table.split("p-values")[0].splitlines() if line][-5:]
    assert head.split()[0] == "test"
    assert [(row.split()[0], "detected" in row, "2/100" in row) for row in rows] == [
        (n, True, True) for n in names
    ]


def test_what_is_the_same_for_all_stands_above(shown: Any) -> None:
    text = shown(run_of(measured("en/weat6", 0.9), measured("en/weat7", 0.9)))
    head = next(line for line in text.splitlines() if line.startswith("Findings"))
    assert "metric weat (sentence level)" in " ".join(text.split())
    assert "nothing lost" in text
    assert text.count("sentence level") == 1
    assert head.startswith(f"Findings · model {MODELS[0]}"[: len(head)])


def test_findings_baselines_and_controls_are_told_apart(shown: Any) -> None:
    run = run_of(
        measured("en/weat6", 0.04), measured("en/weat7", 0.9), measured("en/weat1", 0.001, concept="baseline"),
        measured("en/weat6", 0.001, "made"), models=[runs.model_used(MODELS[0]), runs.model_used("made", {"en/weat6": 1.0})],
    )  # fmt: skip
    text = shown(run, 120)
    order = [text.index(word) for word in ("Findings", "Baselines (", "Controls (")]
    assert order == sorted(order)
    words = " ".join(text.split())
    assert "hint (p) 1/2" in words
    assert "Checks: known bias found 1/1 · harmless associations found 1/1" in words
    assert "Rule: none was set. With fail_on=detected, 0 of 2 tests would fail" in words
    assert "adjusted over the measurements on one model (Holm)" in text


def test_an_adjustment_of_none_is_said_and_has_no_column(shown: Any) -> None:
    text = shown(run_of(measured("en/weat6", 0.04), adjustment=Adjustment.NONE), 120)
    assert "not adjusted for the number of measurements" in text
    assert "adjusted" not in text.split("p-values are not")[0]


LOST = "B lost 7 of its 8 words, so it may no longer represent its concept"


def test_caveats_are_brief_and_the_rest_is_verbose(shown: Any) -> None:
    cautions = (LOST, "c", "d")
    differ = Caveat("X and Y differ in size", verdict=False)
    warned = {"caveats": (*map(Caveat, cautions), differ)}
    shorts = ("a list lost 7 of its 8 words", "c", "d")
    brief = {"caveats": (*(Caveat(a, short=b) for a, b in zip(cautions, shorts, strict=True)), differ)}
    run = run_of(
        measured("en/weat6", 0.04, **brief), measured("en/weat6", 0.9, MODELS[1], **brief),
        measured("en/weat8", 0.9, **warned),
        measured("en/weat7", 0.9, caveats=(Caveat("Y is odd", verdict=False),), conventions={"ddof": 1}),
        warnings=("of the run",),
    )  # fmt: skip
    first = shown(run, 300)
    (line,) = [line for line in first.splitlines() if line.startswith("caveats: ")]
    assert line.startswith(
        "caveats: 13 on 3 tests: c (3); d (3); a list lost 7 of its 8 words (2); and 2 more"
    )
    assert "warning: of the run" in first
    assert "conventions and caveats: --verbose, --report" in first
    assert not any(
        text in first for text in ("differ in size", "Y is odd", "ddof = 1", "(p; exact, two-sided)")
    )
    everything = shown(run, 300, verbose=True)
    words = " ".join(everything.split())
    assert words.count(LOST) == 1  # each caveat once, with all that it concerns
    before = words.partition(LOST)[0].rpartition("caveat:")[2]
    assert all(name in before for name in (*MODELS, "en/weat6", "en/weat8"))
    for text in ("X and Y differ in size", "Y is odd", "ddof = 1", "(p; exact, two-sided)", "So."):
        assert text in everything


@pytest.mark.parametrize("width", [60, 80, 200])
def test_how_many_harmless_pairs_reach_an_effect_stands_with_its_verdict(shown: Any, width: int) -> None:
    def groups(share: float) -> dict[str, Any]:
        return {
            "specificity": Specificity(share=share, pairs=190, groups=20, pool="en/people", kind="people")
        }

    none = Specificity(pool="en/people", kind="people", problem="20 groups", lacking="no harmless groups")
    run = run_of(
        measured("en/weat6", 0.001, **groups(0.026)),
        measured("en/weat7", 0.01, **groups(0.2)),
        measured("en/weat8", 0.9, **groups(0.6)),
        measured("en/weat9", 0.01, specificity=none),
        measured("en/weat10", 0.04, **groups(0.03)),
    )
    assert [State.of(*one) for one in zip(run, run.verdicts, strict=True)] == [
        State.DETECTED, State.HINT, State.INCONCLUSIVE, State.HINT, State.HINT,
    ]  # fmt: skip
    text = shown(run, width)
    words = " ".join(re.findall(r"[\w/]+", text))
    for reason in ("3/100", "20/100", "no groups", "hint p"):
        assert reason in words
    assert "60/100" not in words
    assert "share 0.6 (190 pairs of 20 groups of people from en/people)" in shown(run, 300, verbose=True)


@pytest.mark.parametrize("width", [60, 80, 200])
def test_a_row_of_a_concept_counts_its_tests_and_does_not_name_them(shown: Any, width: int) -> None:
    run = run_of(measured("en/audit-gender-career-family", 0.001), measured("en/weat6", 0.9))
    rows = shown(run, width).partition("All estimates")[2]
    assert "detected 1/2" in " ".join(rows.split())
    assert "en/audit" not in rows


def test_prose_is_broken_between_words_only(shown: Any) -> None:
    run = run_of(measured("en/weat6", 0.04, caveats=(Caveat(LOST),)))
    words = set(re.findall(r"\S*\w\S*", shown(run, 300)))
    narrow = re.sub(r"\(no\s+room[^)]*\)", "", shown(run, 40).split("p-values are")[1])
    assert [word for word in re.findall(r"\S*\w\S*", narrow) if word not in words] == []


@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_first_column_of_a_list_is_whole(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=width, color_system=None)
    monkeypatch.setattr(consoles, "stdout", console)
    consoles.print_rows(
        ["test", "title"], [[LONG, "occupations of men and women, by race and class"], ["b", ""]]
    )
    text = re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue())
    assert LONG in text
    assert all(word in text for word in ("occupations", "women,", "class"))
    assert max(map(cell_len, text.splitlines())) <= width


def test_it_ends_with_the_result(shown: Any) -> None:
    run = run_of(measured("en/weat6", 0.001), measured("en/weat4", 0.9, concept="race"))
    lines = shown(run, 200).splitlines()
    last = lines[lines.index(run.result_lines[0]) :]
    rows = [line.split() for line in last if line.startswith(("gender", "race"))]
    assert [(row[0], row[-2], row[-1]) for row in rows] == [
        ("gender", "−0.77", "detected"),
        ("race", "−0.77", "inconclusive"),
    ]


def test_a_missed_control_is_a_failure_and_controls_alone_say_nothing_of_a_model(shown: Any) -> None:
    run = run_of(measured("en/weat6", 0.9, "made"), models=[runs.model_used("made", {"en/weat6": 1.0})])
    text = shown(run, 200)
    result = text[text.index("The tests failed a check. A bias of 1.00 was missed") :]
    assert result.index("nothing here shows") < result.index("Only control models were measured.")
    assert "Checks: known bias found 0/1" in result


def test_questions_to_planted_models_are_counted_apart(shown: Any) -> None:
    known = runs.model_used("planted, d = 0.8", control={"en/weat6": 0.8})
    models = [
        one.model_copy(update={"questions": QuestionCounts(put=asked + 5, asked=asked, cached=5)})
        for one, asked in ((runs.model_used(), 1000), (known, 30))
    ]
    assert (
        "queries: 1,040 (sent: 1,000 to the model, 30 to planted models; 10 from the cache, 0 repeats)"
        in shown(run_of(measured("en/weat6", 0.9), models=models), 120)
    )
    several = [models[0], models[0].model_copy(update={"name": "other"})]
    assert "(sent: 2,000 to the models; 10 from" in shown(
        run_of(measured("en/weat6", 0.9), models=several), 120
    )
