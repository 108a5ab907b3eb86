"""Lists and help at 80 columns and through a pipe: few lines, nothing swallowed, nothing cut that a user types."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator

import pytest
import typer
from rich.cells import cell_len
from rich.console import Console
from typer.testing import CliRunner

import biascore.terminal.console as consoles
from biascore.cli.app import app

from .conftest import Done

TITLE = "Study programmes of men and of women in Switzerland, male and female terms"


@pytest.mark.parametrize("cut", [True, False])
def test_a_brief_list_fits_80_columns(monkeypatch: pytest.MonkeyPatch, cut: bool) -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=80, color_system=None)
    monkeypatch.setattr(consoles, "stdout", console)
    consoles.print_brief([("it/GER1", "32", TITLE), ("en/日本語", "8", "[red]x")], cut=cut)
    lines = file.getvalue().splitlines()
    assert max(map(cell_len, lines)) <= 80
    assert len(lines) == (2 if cut else 3)
    assert ("…" in lines[0]) == cut
    assert (TITLE in " ".join(" ".join(lines).split())) != cut
    assert lines[-1].endswith("[red]x")
    assert lines[0].index("Study") == cell_len(lines[-1][: lines[-1].index("[red]")])


def listed(*arguments: str) -> list[str]:
    done = CliRunner().invoke(app, ["list", *arguments])
    assert done.exit_code == 0, done.output
    return done.output.splitlines()


def test_tests_are_a_line_each_and_the_last_line_says_how_to_narrow() -> None:
    every = json.loads("\n".join(listed("tests", "--json")))
    *lines, last = listed("tests")
    assert [line.split()[0] for line in lines] == [one["test"] for one in every]
    assert all(line.endswith(one["title"]) for line, one in zip(lines, every, strict=True))
    assert last.startswith(f"{len(every)} tests")
    assert "narrow with" in last
    (weat6,) = [line.split() for line in lines if line.startswith("en/weat6 ")]
    assert weat6[1] == "weat"


def test_long_shows_all_of_each_test() -> None:
    lines = listed("tests", "en/weat6", "--long")
    assert lines[0] == "en/weat6"
    assert {"  kind: weat", "  concept: gender", "  size: 8 + 8 + 8 + 8"} <= set(lines)


def test_metrics_are_a_sentence_each_and_the_rest_is_under_show() -> None:
    every = json.loads("\n".join(listed("metrics", "--json")))
    *lines, last = listed("metrics")
    assert [line.split()[0] for line in lines] == [one["name"] for one in every]
    assert all(line.endswith(one["summary"]) for line, one in zip(lines, every, strict=True))
    assert "biascore show METRIC" in last


@pytest.mark.parametrize("what", ["formats", "transforms", "languages"])
def test_a_table_through_a_pipe_is_at_most_100_columns_wide(what: str) -> None:
    assert max(map(cell_len, listed(what))) <= 100


def commands(group: typer.Typer, *before: str) -> Iterator[tuple[str, ...]]:
    for one in group.registered_commands:
        yield (*before, str(one.name))
    for inner in group.registered_groups:
        assert inner.typer_instance is not None
        yield (*before, str(inner.name))
        yield from commands(inner.typer_instance, *before, str(inner.name))


@pytest.mark.parametrize("command", [(), *commands(app)], ids=" ".join)
def test_help_swallows_no_brackets_and_cuts_nothing(command: tuple[str, ...]) -> None:
    done = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "80"})
    assert done.exit_code == 0, done.output
    assert "[]" not in done.output
    assert "[[" not in done.output
    assert not re.search(r"\w…", done.output.replace("text=…", "").replace("emotion=…", ""))


def test_lists_and_show(biascore):
    tests = json.loads(biascore("list", "tests", "it/*", "--json").stdout)
    assert "it/IT2" in {row["test"] for row in tests}
    assert {"planted", "fasttext", "hf"} <= {
        row["id"] for row in json.loads(biascore("list", "adapters", "--json").stdout)
    }
    assert {"weat", "sc-weat"} <= {
        row["name"] for row in json.loads(biascore("list", "metrics", "--json").stdout)
    }
    assert {"en", "it", "pl"} <= {
        row["code"] for row in json.loads(biascore("list", "languages", "--json").stdout)
    }
    assert "en/caliskan2017/flowers" in biascore("list", "wordlists", "en").stdout
    shown = biascore("show", "it/IT1").stdout
    assert "Ionut" in shown
    assert "Puttick" in shown
    assert json.loads(biascore("show", "it/it1", "--json").stdout)["id"] == "it/IT1"
    lead = biascore("show", "en/audit-gender-career-family").stdout
    assert (
        "names people: A and B\ntouches: work, leadership, money, family, home\nlead test of gender" in lead
    )
    told = json.loads(biascore("show", "en/weat6", "--json").stdout)
    assert (told["people"], told["touches"][0], told["lead"]) == ("XY", "work", False)
    groups = {
        one["list"]: one["about"] for one in json.loads(biascore("list", "wordlists", "en", "--json").stdout)
    }
    assert groups["en/people/road_users"] == ["law", "travel"]
    assert "adapter-planted" in biascore("plugins").stdout
    metric = biascore("show", "weat").stdout
    assert "Caliskan" in metric
    assert "page: docs/metrics/weat.md" in metric
    assert '  level = "sentence"  (one of "sentence", "token")' in metric
    mapping = json.loads(biascore("show", "eec", "--json").stdout)["options"]["quantities"]
    assert mapping == {"default": {}, "choices": []}
    assert json.loads(biascore("show", "weat", "--json").stdout)["options"]["ddof"] == {
        "default": 1,
        "choices": [0, 1],
    }


def test_plugins_are_a_line_each_and_what_is_missing_comes_first(
    biascore: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIASCORE_DISABLE_PLUGINS", "metric-weat")
    rows = json.loads(biascore("plugins", "--json").stdout)
    lines = biascore("plugins").stdout.splitlines()
    assert len(lines) == len(rows) > 70
    assert lines[0].split()[:2] == ["metric-weat", "blocked"]
    assert {line.split()[1] for line in lines[1:]} == {"loaded"}
