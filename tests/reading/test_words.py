"""Word lists in tables, as spreadsheets and people write them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biascore import Engine
from biascore.cli.app import app
from biascore.errors import DataError, OptionsError

LISTS = {
    "flores": ["rosa", "tulipán", "lirio"],
    "insectos": ["avispa", "pulga"],
    "agradable": ["amor", "paz"],
    "desagradable": ["odio", "guerra", "veneno"],
}
OPTIONS = dict(zip("XYAB", LISTS, strict=True))
ROWS = [(name, word) for name, words in LISTS.items() for word in words]
WIDE = [[*LISTS], *([words[n] if n < len(words) else "" for words in LISTS.values()] for n in range(3))]


def table(rows: list[list[str]], by: str, end: str = "\n") -> str:
    return "".join(by.join(row) + end for row in rows)


LONG = [["list", "word"], *map(list, ROWS)]
WRITTEN = {
    "long.csv": table(LONG, ","),
    "turned.csv": table([["Word", "note", "List"], *([word, "x", name] for name, word in ROWS)], ","),
    "role.tsv": table([["role", "word"], *map(list, ROWS)], "\t"),
    "pipes.txt": table(LONG, " | "),
    "wide.csv": table(WIDE, ","),
    "wide-pipes.csv": table(WIDE, "|"),
    "excel.csv": "\ufeff" + table(WIDE, ";", "\r\n"),
    "excel-sep.csv": "\ufeffsep=;\r\n" + table(WIDE, ";", "\r\n"),
    "sep-comma.csv": 'sep=,\n"list","word"\n' + "".join(f'"{name}","{word}"\n' for name, word in ROWS),
    "blank-rows.csv": table([*WIDE[:2], ["", "", "", ""], *WIDE[2:]], ","),
    "lines.jsonl": "".join(json.dumps({"list": name, "word": word}) + "\n" for name, word in ROWS),
    "lines.json": "".join(json.dumps({"list": name, "word": word}) + "\n" for name, word in ROWS),
    "objects.json": json.dumps([{"list": name, "word": word} for name, word in ROWS], indent=2),
    "objects.jsonl": json.dumps([{"list": name, "word": word} for name, word in ROWS]),
    "by-name.json": json.dumps(LISTS, indent=1),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_lists_are_read_as_they_are_written(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(WRITTEN[name].encode())
    test = Engine(cache=None).data("words", path, language="es", **OPTIONS)
    assert {role: list(one.words) for role, one in test.roles.items()} == {
        role: LISTS[list_] for role, list_ in OPTIONS.items()
    }
    assert (test.id, test.language, test.file) == (f"es/{path.stem}", "es", str(path))


def test_lists_that_are_called_as_the_roles_need_no_option(tmp_path: Path) -> None:
    path = tmp_path / "named.csv"
    path.write_text(table([["x", "B", "A", "Y", "other"], ["a", "b", "c", "d", "e"]], ","))
    test = Engine(cache=None).data("words", path, language="en")
    assert {role: one.words for role, one in test.roles.items()} == {
        "X": ("a",),
        "Y": ("d",),
        "A": ("c",),
        "B": ("b",),
    }
    assert test.conventions == {"lists of the file that are not used": "'other'"}


@pytest.mark.parametrize(
    ("text", "options", "error"),
    [
        (table(WIDE, ","), {}, r"'flores', 'insectos'.*-o data.X='flores' -o data.Y='insectos'"),
        (table(WIDE, ","), OPTIONS | {"X": "flore"}, "Did you mean flores"),
        (table([["list", "word"], ["X", ""]], ","), {}, "'word' is blank on line 2"),
        (
            table([["flores", "", "a"], ["rosa", "stray", "b"]], ","),
            {},
            "a column without a name has words on line 2",
        ),
        ("words\nrosa\n", {}, "Word lists are a table with the columns list and word"),
        (table([*WIDE, ["a", "b"]], ","), OPTIONS, "line 5 has 2 fields where the header has 4"),
        (
            table([["X", "Y", "A", "B"], ["ro\u200bsa", "a", "b", "c"]], ","),
            {},
            "x.csv.*holds a zero width space",
        ),
    ],
)
def test_what_is_not_sure_is_an_error_with_the_next_step(
    text: str, options: dict[str, str], error: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    with pytest.raises((DataError, OptionsError), match=error):
        Engine(cache=None).data("words", path, language="es", **options)


def test_a_table_becomes_a_stimuli_file(tmp_path: Path) -> None:
    path, out = tmp_path / "excel.csv", tmp_path / "lists" / "es" / "mine.toml"
    path.write_bytes(WRITTEN["excel-sep.csv"].encode())
    options = [part for role, name in OPTIONS.items() for part in ("-o", f"data.{role}={name}")]
    done = CliRunner().invoke(app, ["words", str(path), str(out), *options])
    assert done.exit_code == 0, done.output
    test = Engine(cache=None, stimuli=[tmp_path / "lists"]).catalogue.test("es/mine")
    assert {role: list(one.words) for role, one in test.roles.items()} == {
        r: LISTS[n] for r, n in OPTIONS.items()
    }
    again = CliRunner().invoke(app, ["words", str(path), str(out), *options])
    assert isinstance(again.exception, OptionsError)
