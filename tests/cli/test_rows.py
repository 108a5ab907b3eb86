"""``show --rows``: the sentences of a test in the table that ``answers:`` reads."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biascore import Engine
from biascore.cli import exit_code
from biascore.cli.app import app
from biascore.errors import BiascoreError

OPTIONS: dict[str, dict[str, object]] = {"gest-mt": {"target": "it"}}


def shown(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["show", *arguments])
    if isinstance(result.exception, BiascoreError):
        return exit_code(result.exception), str(result.exception)
    return result.exit_code, result.output


def written(test: str, path: Path) -> tuple[list[str], list[list[str]]]:
    code, text = shown(test, "--rows", str(path))
    assert (code, text.strip().endswith(path.name)) == (0, True)
    header, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    return header, rows


@pytest.mark.parametrize(
    ("metric", "test", "columns"),
    [
        ("eec", "en/eec", ["sentence", "anger", "fear", "joy", "sadness"]),
        ("crows-pairs", "en/crows_own", ["sentence", "log_likelihood"]),
        ("gest-mt", "en/gest_own", ["text", "translation"]),
    ],
)
def test_rows_written_answered_and_measured(
    metric: str, test: str, columns: list[str], tmp_path: Path
) -> None:
    header, rows = written(test, tmp_path / "rows.csv")
    assert (header[0], {*header}) == (columns[0], {*columns})
    assert len({row[0] for row in rows}) == len(rows) > 20
    assert not any(cell for row in rows for cell in row[1:])
    filled = tmp_path / "filled.csv"
    with filled.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(header)
        for place, (text, *_) in enumerate(rows):
            score = f"{(len(text) * 7 + place) % 97 / 100:.2f}"
            # Of eec one emotion alone, so that the other columns stay blank.
            answer = f"Sono stanc{'ao'[place % 2]}." if metric == "gest-mt" else score
            out.writerow([text, answer, *[""] * (len(header) - 2)])
    engine = Engine(cache=None)
    model = (
        engine.model(f"answers:{filled}", language="it")
        if metric == "gest-mt"
        else engine.model(f"answers:{filled}", unit=None if metric == "eec" else "nats")
    )
    (found,) = engine.measure(metric, model, test, **OPTIONS.get(metric, {}))
    assert found.headline.value is not None


def test_a_file_that_is_there_and_a_test_without_sentences(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("mine\n")
    code, text = shown("en/eec", "--rows", str(path))
    assert code == 2
    assert "exists already" in text
    assert path.read_text() == "mine\n"
    code, text = shown("en/eec", "--rows", str(path), "--force")
    assert (code, path.read_text()) == (2, "mine\n")  # not a file of biascore
    path.unlink()
    written("en/eec", path)
    assert shown("en/eec", "--rows", str(path), "--force")[0] == 0
    for name in ("en/weat6", "weat"):
        code, text = shown(name, "--rows", str(tmp_path / "no.csv"))
        assert code == 2
        assert name in text
        assert "sentences" in text
        assert not (tmp_path / "no.csv").exists()
