"""What a test of kind ``equity`` gives: how many sentences, of which emotions and cells, and the first of each template."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biascore.stimuli import EquityTest

if TYPE_CHECKING:
    import pandas as pd


def sentences_json(test: EquityTest) -> dict[str, object]:
    """Counts of the sentences by kind of person, emotion, template and cell, and the first of every template."""
    rows = test.rows()
    return {
        "number": len(rows),
        "different": int(rows["sentence"].nunique()),
        "by_kind": _counts(rows, "kind"),
        "by_emotion": _counts(rows, "emotion"),
        "by_template": _counts(rows, "template"),
        "cells": _cells(test, rows).to_dict("records"),
        "agreement": dict(test.agreement),
        "first": _first(rows),
    }


def sentence_lines(test: EquityTest) -> list[str]:
    """The same for the terminal."""
    rows = test.rows()
    by_template, agreement = _counts(rows, "template"), test.agreement
    lines = [
        f"sentences: {len(rows):,} ({rows['sentence'].nunique():,} different); {_listed(_counts(rows, 'kind'))}",
        f"by emotion: {_listed(_counts(rows, 'emotion'))}",
        f"persons by {' and '.join(test.factors)}",
    ]
    for cell in _cells(test, rows).to_dict("records"):
        levels = ", ".join(str(cell[factor]) for factor in test.factors)
        lines.append(f"  {levels}: {cell['persons']:,} persons, {cell['sentences']:,} sentences")
    lines.append("the first sentence of each template")
    for template, sentence in _first(rows).items():
        agrees = "; a word agrees with the person" if agreement[template] else ""
        lines.append(f"  {template} ({by_template[template]:,}{agrees}): {sentence}")
    return lines


def _counts(rows: pd.DataFrame, column: str) -> dict[str, int]:
    counts = rows[column].value_counts(sort=False)
    return {str(value) or "none": int(count) for value, count in counts.items()}


def _cells(test: EquityTest, rows: pd.DataFrame) -> pd.DataFrame:
    """The sentences of persons with a level of every factor; columns: the factors, persons, sentences."""
    factors = list(test.factors)
    whole = rows[(rows[factors] != "").all(axis=1)]
    cells = whole.groupby(factors, sort=False).agg(
        persons=("person", "nunique"), sentences=("sentence", "size")
    )
    return cells.reset_index()


def _first(rows: pd.DataFrame) -> dict[str, str]:
    first = rows.drop_duplicates("template")
    return dict(zip(first["template"], first["sentence"], strict=True))


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())
