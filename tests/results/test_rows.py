"""The row that every surface shows: which measurement stands for it, what it is drawn on, and what it says."""

from __future__ import annotations

from biascore.results.failure import Failure
from biascore.results.rows import FAILED, Axis, ground_rows, spans
from biascore.results.verdicts import run_verdicts
from biascore.results.words.answers import answers
from biascore.stats import Adjustment

from .test_answers import MATHS, d


def rows_of(*some, failed=()):
    verdicts = run_verdicts(some, {}, Adjustment.HOLM)
    return ground_rows(answers(some, verdicts, {}), some, verdicts, failed)


def test_a_ground_has_a_row_with_its_lead_and_the_others_of_its_axis() -> None:
    weak = d(0.9, 0.1, (-0.5, 0.7), test="en/weat7", positive_means=MATHS)
    (row,) = rows_of(weak, d(0.001))
    assert row.state == "detected"
    assert row.lead is not None
    assert (row.lead.number, row.lead.value, row.lead.ends) == (1, 1.06, (0.35, 1.42))
    assert [mark.number for mark in row.others] == [0]
    assert (row.value, row.interval, row.link) == ("+1.06", "+0.35 to +1.42", 1)
    assert row.counts == "1 of 2"
    assert row.says == "male names with career, female names with family"


def test_what_is_not_decided_has_no_direction() -> None:
    (row,) = rows_of(d(0.9, 0.1, (-1.2, 1.3)))
    assert (row.state, row.says) == ("inconclusive", "could go either way")
    assert row.counts == ""


def test_what_has_no_effect_has_nothing_to_draw_and_says_why() -> None:
    (row,) = rows_of(d(None, None))
    assert (row.state, row.lead, row.axis, row.value) == ("not measured", None, None, "")
    assert row.note


def test_another_estimate_is_counted_and_not_drawn_on_the_axis() -> None:
    other = d(0.9, 0.1, (-0.5, 0.7), test="en/weat7")
    other = other.model_copy(
        update={"estimates": (other.headline.model_copy(update={"unit": "%", "neutral": 50.0}),)}
    )
    (row,) = rows_of(d(0.001), other)
    assert row.others == ()
    assert row.apart == 1


def test_a_failed_measurement_has_a_row() -> None:
    failure = Failure(
        metric="weat",
        test="en/weat8",
        model="broken",
        kind="opening",
        error="ModelError",
        message="no such file",
    )
    rows = rows_of(d(0.001), failed=[failure])
    assert [row.state for row in rows] == ["detected", FAILED]
    assert (rows[1].model, rows[1].name, rows[1].note) == ("broken", "en/weat8", "no such file")


def test_an_axis_reaches_over_marks_neutral_value_and_bound() -> None:
    rows = rows_of(d(0.001), d(0.9, 0.1, (-1.2, 1.3), test="en/weat3", concept="race"))
    (axis,) = spans(rows)
    assert axis == Axis.of(d(0.001))
    assert spans(rows)[axis] == (-1.2, 1.42)
