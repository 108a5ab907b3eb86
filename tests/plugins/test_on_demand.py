"""A stimuli file is an index at once, and lists and tests when they are asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biascore import Engine
from biascore.cli.app import app
from biascore.errors import StimuliError
from biascore.plugins.loading import Plugins
from biascore.stimuli import Kinds, loader, schema

from ..builders.kinds import KINDS
from ..builders.word_lists import weat_file, write_weat
from .made import engine_with, lists_of, plugins_of, wordlists_of

WHOLE = lists_of("whole")
LATE = {
    "a list that is not there": WHOLE.replace('X = "x"', 'X = "z"'),
    "a key that is none": WHOLE.replace('X = "x"', 'X = "x"\nQ = "y"'),
    "a list of nothing": WHOLE.replace('["x1", "x2"]', "[]"),
    "a test without a title": WHOLE.replace('kind = "weat"\ntitle = "mine"', 'kind = "weat"'),
}
AT_ONCE = {
    "no TOML": "schema = ",
    "no licence": WHOLE.replace('licence = "CC0"\n', ""),
    "a kind that is none": WHOLE.replace('"weat"', '"wat"'),
    "no kind": WHOLE.replace('kind = "weat"\n', ""),
    "an id that is no name": WHOLE.replace("tests.whole", 'tests."who le"'),
    "an id twice": WHOLE + WHOLE[WHOLE.index("[tests.") :].replace("tests.whole", "tests.WHOLE"),
    "a section that is no table": "lists = 1\n" + WHOLE.partition("[lists")[0],
}  # fmt: skip


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are built from here on, none of which is known from before."""
    built: list[str] = []
    build = loader.contents_of

    def counted(entry: object, kinds: object, display: str, sha256: str) -> object:
        built.append(display)
        return build(entry, kinds, display, sha256)  # type: ignore[arg-type]

    monkeypatch.setattr(loader, "contents_of", counted)
    loader._indexed.cache_clear()
    return built


@pytest.fixture
def with_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], Plugins]:
    """The installed plugins, and one with a whole file and one of this text."""

    def install(text: str) -> Plugins:
        module = wordlists_of(tmp_path, "one", "other", "other.toml")
        (tmp_path / "one" / "xx" / "mine.toml").write_text(text, encoding="utf-8")
        return plugins_of(monkeypatch, module)

    return install


def test_a_test_is_built_with_its_file_alone_and_once(builds: list[str]) -> None:
    engine = Engine(cache=None)
    assert builds == []
    assert {one.id for one in engine.catalogue.index} >= {"en/weat6", "it/eec"}
    assert "en/caliskan2017/flowers" in engine.catalogue.lists()
    assert builds == []
    assert engine.catalogue.test("en/weat6") is engine.catalogue.select("en/weat6")[0]
    assert Engine(cache=None).catalogue.test("en/weat6") is engine.catalogue.test("en/weat6")
    assert builds == ["biascore_wordlists/en/caliskan2017.toml"]


def test_the_index_says_of_a_test_what_the_test_does(engine: Engine) -> None:
    for listed, test in zip(engine.catalogue.index, engine.catalogue.tests, strict=True):
        assert (listed.id, listed.kind, listed.language) == (test.id, test.kind, test.language)
        assert (listed.title, listed.concept) == (test.title, test.concept)
    for address, one in engine.catalogue.lists().items():
        assert address.endswith(f"/{one.name}")


@pytest.mark.parametrize("arguments", [("list", "tests"), ("list", "languages"), ("show", "en/weat6")])
def test_a_list_builds_no_test_that_it_does_not_show(builds: list[str], arguments: tuple[str, ...]) -> None:
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert [*map(Path, builds)] == [Path("biascore_wordlists/en/caliskan2017.toml")] * ("show" in arguments)


@pytest.mark.parametrize("text", LATE.values(), ids=LATE)
def test_a_file_that_cannot_be_built_is_named_before_a_model_is_opened(
    monkeypatch: pytest.MonkeyPatch, with_file: Callable[[str], Plugins], text: str
) -> None:
    plugins = with_file(text)
    engine = engine_with(monkeypatch, plugins)
    assert next(one for one in plugins.records if one.name == "one").status == "loaded"
    assert {"xx/whole", "xx/other"} <= {one.id for one in engine.catalogue.index}
    opened = []
    monkeypatch.setattr(plugins.adapters.get("planted"), "load", lambda *_: opened.append(1))
    with pytest.raises(StimuliError, match=r"(?s)one/xx/mine\.toml.*biascore plugins"):
        engine.measure("weat", "planted:", "xx/whole")
    assert opened == []
    assert engine.catalogue.test("xx/other").roles["X"].words == ("x1", "x2")


@pytest.mark.parametrize("text", LATE.values(), ids=LATE)
def test_the_list_of_plugins_names_a_file_that_cannot_be_built(
    monkeypatch: pytest.MonkeyPatch, with_file: Callable[[str], Plugins], text: str
) -> None:
    plugins = with_file(text)
    monkeypatch.setattr("biascore.cli.inspect.Plugins", lambda: plugins)
    shown = json.loads(CliRunner().invoke(app, ["plugins", "--json"]).stdout)
    (row,) = (row for row in shown if row["name"] == "one")
    assert row["status"] == "failed"
    assert "one/xx/mine.toml" in row["reason"]
    assert {row["status"] for row in shown if row["dist"] == "biascore"} == {"loaded"}


@pytest.mark.parametrize("text", AT_ONCE.values(), ids=AT_ONCE)
def test_what_keeps_a_file_from_an_index_fails_its_plugin(
    with_file: Callable[[str], Plugins], text: str
) -> None:
    record = next(one for one in with_file(text).records if one.name == "one")
    assert record.status == "failed"
    assert "one/xx/mine.toml" in record.reason


@pytest.mark.parametrize("text", [*LATE.values(), *AT_ONCE.values()], ids=[*LATE, *AT_ONCE])
def test_a_folder_of_ones_own_is_built_at_once(tmp_path: Path, text: str) -> None:
    write_weat(tmp_path, text, language="xx", name="mine.toml")
    with pytest.raises(StimuliError, match=r"xx/mine\.toml"):
        Engine(cache=None, stimuli=[tmp_path])


def test_a_file_of_one_kind_is_told_of_the_others(tmp_path: Path) -> None:
    """Its tests need one kind, and its message names all."""
    write_weat(tmp_path, weat_file().replace('"weat"', '"wat"'))
    with pytest.raises(StimuliError, match=r"'wat' is no kind of test. Known kinds: weat, .*nouns"):
        Engine(cache=None, stimuli=[tmp_path])


def test_a_list_of_a_kind_that_no_test_of_the_file_has_is_read(tmp_path: Path) -> None:
    write_weat(tmp_path, weat_file() + '[forms.mine]\npieces = ["one"]\n')
    assert Engine(cache=None, stimuli=[tmp_path]).catalogue.list_("en/own/mine").name == "mine"


def test_a_kind_is_imported_when_a_file_of_it_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def imported(name: str) -> object:
        asked.append(name)
        return import_module(name)

    monkeypatch.setattr(schema, "import_module", imported)
    entries = {name: KINDS.entries[name] for name in KINDS.names if name != "weat"}
    kinds = Kinds(later=((name, f"{one.__module__}:{one.__qualname__}") for name, one in entries.items()))
    shipped = Path(__file__).parents[2] / "wordlists" / "biascore_wordlists"
    weat, nouns = (
        loader.index_file(shipped / "de" / name, name, kinds) for name in ("seat.toml", "nouns.toml")
    )
    assert [one.kind for one in nouns.index] == ["nouns"]
    weat.contents()
    assert asked == []
    assert [test.kind for test in nouns.tests] == ["nouns"]
    assert asked == [entries["nouns"].__module__]
    with pytest.raises(StimuliError, match=r"Known kinds: weat, .*nouns"):
        loader.load_file(write_weat(tmp_path, weat_file().replace('"weat"', '"wat"')), "own.toml", kinds)
