"""Every way in which a stranger's plugin can be bad, and that it harms nobody but itself.

The distributions of tests/dists are real: built as wheels, installed by pip, found through their metadata.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import types
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine, Run
from biascore.errors import DataError, OptionsError, PluginError, UnknownNameError
from biascore.plugins.loading import Plugins
from biascore.plugins_api import (
    Adapter,
    DataFile,
    DataFormat,
    Language,
    ModelPlugin,
    ModelRef,
    Options,
    Test,
    WordList,
    hookimpl,
)

FIRST_PARTY = {
    point.name for point in metadata.distribution("biascore").entry_points if point.group == "biascore"
}

SURVEY = """
import json
import os
import subprocess
import sys
from biascore.plugins.loading import Plugins
plugins = Plugins()
print(json.dumps({
    "records": [
        {"name": r.name, "dist": r.dist, "version": r.version, "status": r.status, "reason": r.reason,
         "hooks": r.hooks, "provides": r.provides, "error": type(r.error).__name__}
        for r in plugins.records
    ],
    "adapters": plugins.adapters.names, "metrics": plugins.metrics.names,
    "tests": [test.id for file in plugins.stimuli for test in file.tests],
}))
"""

# A failed plugin: part of the reason, and the exception that is kept.
FAILED = {
    "biascore-test-missing-import": ("No module named 'a_package_that_nobody_has'", "ModuleNotFoundError"),
    "biascore-test-exit": ("SystemExit: no licence found", "SystemExit"),
    "biascore-test-misspelt": ("unknown hook 'register_adaptors'", "PluginValidationError"),
    "biascore-test-arguments": ("'registrar'", "PluginValidationError"),
    "biascore-test-raises": ("RuntimeError: the licence server is down", "RuntimeError"),
    "biascore-test-foreign": ("not a subclass of biascore's Adapter", "TypeError"),
    "biascore-test-hookless": ("it implements no hook", "NoneType"),
    "biascore-test-incomplete": (
        "IncompleteAdapter lacks summary: str, example: str, capabilities: frozenset",
        "TypeError",
    ),
    "biascore-test-bad-toml": ("biascore-test-bad-toml/vo/broken.toml is no valid TOML", "StimuliError"),
}


@pytest.fixture(scope="module")
def survey(site: Path) -> dict[str, Any]:
    """What one interpreter with all the test distributions finds."""
    variables = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")])),
    }
    done = subprocess.run(
        [sys.executable, "-c", SURVEY], env=variables, capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])  # one of them prints when imported
    return found


def records(survey: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {record["dist"]: record for record in survey["records"] if record["dist"] != "biascore"}


@pytest.mark.parametrize("dist", FAILED)
def test_bad_plugin_fails_alone(survey: dict[str, Any], dist: str) -> None:
    record = records(survey)[dist]
    reason, error = FAILED[dist]
    assert record["status"] == "failed"
    assert reason in record["reason"]
    assert record["error"] == error
    assert record["provides"] == []


def test_bad_plugins_leave_nothing_behind(survey: dict[str, Any]) -> None:
    # Registered before its plugin raised; beside a word list that cannot be read; in that list's own folder.
    assert "good-until-then" not in survey["metrics"]
    assert "beside-bad-toml" not in survey["adapters"]
    assert "vo/good" not in survey["tests"]


def test_first_party_plugins_stay_loaded(survey: dict[str, Any]) -> None:
    own = {r["name"]: r["status"] for r in survey["records"] if r["dist"] == "biascore"}
    assert set(own) == FIRST_PARTY
    assert {"adapter-planted", "adapter-fasttext", "adapter-hf", "metric-weat", "wordlists-it"} <= FIRST_PARTY
    assert set(own.values()) == {"loaded"}
    assert {"planted", "fasttext", "hf"} <= set(survey["adapters"])
    assert "en/weat6" in survey["tests"]


def test_every_entry_point_has_a_record(survey: dict[str, Any], site: Path) -> None:
    installed = {path.name.split("-")[0].replace("_", "-") for path in site.glob("*.dist-info")}
    assert set(records(survey)) == installed


def test_same_entry_point_name_in_two_distributions(survey: dict[str, Any]) -> None:
    twins = [r for r in survey["records"] if r["name"] == "twin"]
    assert [(r["dist"], r["status"]) for r in twins] == [
        ("biascore-test-twin-a", "loaded"),
        ("biascore-test-twin-b", "loaded"),
    ]
    assert {"twin-a", "twin-b"} <= set(survey["adapters"])


def test_conflict_is_recorded_on_both_sides(survey: dict[str, Any]) -> None:
    for mine, other in (("a", "b"), ("b", "a")):
        record = records(survey)[f"biascore-test-rival-{mine}"]
        assert record["status"] == "conflict"
        for what in ("adapter 'rival'", "metric 'rival-metric'", "test 'tlh/rival'"):
            owner = f"plugin 'rival-{other}' of biascore-test-rival-{other} 1.0"
            assert f"{what} is also provided by {owner}" in record["reason"]
    assert "rival" not in survey["adapters"]
    assert "rival-metric" not in survey["metrics"]
    assert "tlh/rival" not in survey["tests"]
    # What is not in dispute stays usable.
    assert {"tlh/only_a", "tlh/only_b"} <= set(survey["tests"])


def test_using_a_conflicting_id_names_both_and_the_remedy(with_dists: Callable[..., None]) -> None:
    with_dists("biascore-test-rival-a", "biascore-test-rival-b")
    engine = Engine(cache=None)
    for use in (
        lambda: engine.model("rival:"),
        lambda: engine.measure("rival-metric", "planted:gender=1", "en/weat6"),
        lambda: engine.measure("weat", "planted:gender=1", "tlh/rival"),
        lambda: engine.measure("weat", "planted:gender=1", "TLH/r*"),
    ):
        with pytest.raises(PluginError) as info:
            use()
        text = str(info.value)
        assert "biascore-test-rival-a 1.0" in text
        assert "biascore-test-rival-b 1.0" in text
        assert "BIASCORE_DISABLE_PLUGINS=rival-a or BIASCORE_DISABLE_PLUGINS=rival-b" in text
    run = engine.measure("weat", "planted:", "tlh/only_a")
    assert [measurement.test for measurement in run] == ["tlh/only_a"]
    # A plugin in conflict that gave the test is part of the run's provenance.
    assert "biascore-test-rival-a" in {plugin.dist for plugin in run.provenance.plugins}


def test_the_remedy_of_a_conflict_works(
    with_dists: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_dists("biascore-test-rival-a", "biascore-test-rival-b")
    monkeypatch.setenv("BIASCORE_DISABLE_PLUGINS", "rival-b")
    plugins = Plugins()
    status = {record.dist: record.status for record in plugins.records}
    assert "rival" in plugins.adapters.names
    assert status["biascore-test-rival-a"] == "loaded"
    assert status["biascore-test-rival-b"] == "blocked"


@pytest.mark.parametrize(
    ("variable", "value", "blocked", "reason"),
    [
        ("BIASCORE_DISABLE_PLUGINS", "metric-weat", {"metric-weat"}, "disabled by BIASCORE_DISABLE_PLUGINS"),
        (
            "BIASCORE_DISABLE_PLUGINS",
            "Metric_Weat, wordlists-de",
            {"metric-weat", "wordlists-de"},
            "disabled by",
        ),
        ("BIASCORE_DISABLE_PLUGINS", "biascore", FIRST_PARTY, "disabled by BIASCORE_DISABLE_PLUGINS"),
        ("BIASCORE_DISABLE_PLUGINS", "", set(), ""),
        ("BIASCORE_LOAD_PLUGINS", "metric-weat", FIRST_PARTY - {"metric-weat"}, "not in the allow list"),
        ("BIASCORE_LOAD_PLUGINS", "biascore", set(), ""),
        ("BIASCORE_LOAD_PLUGINS", "", FIRST_PARTY, "not in the allow list BIASCORE_LOAD_PLUGINS"),
    ],
)
def test_blocked_by_environment(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, blocked: set[str], reason: str
) -> None:
    monkeypatch.setenv(variable, value)
    own = {r.name: r for r in Plugins().records if r.dist == "biascore"}
    assert {name for name, r in own.items() if r.status == "blocked"} == blocked
    assert {r.status for r in own.values()} <= {"blocked", "loaded"}
    assert all(reason in own[name].reason for name in blocked)


def test_disabling_wins_over_allowing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASCORE_LOAD_PLUGINS", "metric-weat,adapter-planted")
    monkeypatch.setenv("BIASCORE_DISABLE_PLUGINS", "metric-weat")
    plugins = Plugins()
    assert plugins.metrics.names == ()
    assert plugins.adapters.names == ("planted",)


def test_a_blocked_plugin_is_not_even_imported(
    with_dists: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_dists("biascore-test-stranger")
    monkeypatch.setenv("BIASCORE_DISABLE_PLUGINS", "stranger")
    Plugins()
    assert [name for name in sys.modules if name.startswith("biascore_test")] == []
    monkeypatch.delenv("BIASCORE_DISABLE_PLUGINS")
    Plugins()
    assert "biascore_test_stranger" in sys.modules


def test_require(with_dists: Callable[..., None]) -> None:
    wanted = [
        "biascore-test-stranger",
        "Biascore_Test.Stranger>=2,<3",
        "biascore-test-stranger>=3",
        "biascore-test-exit>=1",
        "biascore-test-rival-a",
        "biascore-plugin-klingon>=1",
        "numpy",
        "biascore plugin >> 1",
    ]
    with_dists(
        "biascore-test-stranger", "biascore-test-exit", "biascore-test-rival-a", "biascore-test-rival-b"
    )
    plugins = Plugins()

    def answer(text: str) -> tuple[str, str] | None:
        try:
            plugins.require([text])
        except PluginError as error:
            return str(error), type(error.__cause__).__name__
        return None

    answers = {text: answer(text) for text in wanted}
    installed, same, low, failed, conflict, absent, no_plugin, malformed = (answers[text] for text in wanted)
    assert installed is None
    assert same is None
    assert "2.1 is installed" in low[0]
    assert "pip install -U 'biascore-test-stranger>=3'" in low[0]
    assert failed[1] == "SystemExit"
    assert "no licence found" in failed[0]
    assert "biascore plugins" in failed[0]
    assert "is conflict" in conflict[0]
    assert "pip install 'biascore-plugin-klingon>=1'" in absent[0]
    assert "no installed plugin comes from numpy" in no_plugin[0]
    assert "is not a requirement" in malformed[0]
    assert malformed[1] == "InvalidRequirement"


def test_require_names_what_blocked_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASCORE_DISABLE_PLUGINS", "metric-weat")
    with pytest.raises(
        PluginError, match=r"plugin 'metric-weat' .* is blocked: disabled by BIASCORE_DISABLE_PLUGINS"
    ):
        Engine(cache=None, require_plugins=["biascore"])


@pytest.mark.parametrize(("typed", "meant"), [("plantd", "planted"), ("fastext", "fasttext")])
def test_unknown_adapter_did_you_mean(typed: str, meant: str) -> None:
    with pytest.raises(UnknownNameError, match=f"Did you mean '{meant}'.*biascore plugins"):
        Engine(cache=None).model(f"{typed}:gender=1")


def test_unknown_metric_names_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"no metric is called 'zzz'. There are: .*weat"):
        Engine(cache=None).measure("zzz", "planted:gender=1", "en/weat6")


def test_unknown_test_names_the_plugins_that_failed(with_dists: Callable[..., None]) -> None:
    with_dists("biascore-test-bad-toml")
    with pytest.raises(UnknownNameError, match=r"There is no test 'vo/good'") as info:
        Engine(cache=None).measure("weat", "planted:gender=1", "vo/good")
    assert "Not loaded: plugin 'bad-toml' of biascore-test-bad-toml 1.0" in str(info.value)


def test_order_of_entry_points_does_not_matter() -> None:
    points = list(metadata.entry_points(group="biascore"))
    one, other = Plugins(points), Plugins(reversed(points))
    assert one.records == other.records
    assert one.adapters.names == other.adapters.names
    assert one.stimuli == other.stimuli


def test_stranger_is_used_like_a_first_party_plugin(with_dists: Callable[..., None], tmp_path: Path) -> None:
    with_dists("biascore-test-stranger")
    engine = Engine(cache=tmp_path / "cache")
    run = engine.measure("nearest-rate", "stranger:toy", "eo/floroj")
    weat = engine.measure("weat", "stranger:toy", "eo/*", duplicates="keep")
    both = engine.measure("nearest-rate", "planted:en/weat6=1.5", "en/weat6")
    scaled = engine.model("stranger:toy", scale=2.0)
    assert run[0].headline.value == 1.0
    assert run[0].test == "eo/floroj"
    assert run.stimuli[0].file == "biascore-test-stranger/eo/floroj.toml"
    used = [(plugin.name, plugin.dist, plugin.version) for plugin in run.provenance.plugins]
    assert ("stranger", "biascore-test-stranger", "2.1") in used
    # X (3), A (2) and B (2) were asked by the first metric; of WEAT's ten words only Y was still missing.
    first = {"put": 7, "repeated": 0, "cached": 0, "asked": 7, "characters": 35}
    assert run.questions.model_dump() == first
    second = {"put": 10, "repeated": 0, "cached": 7, "asked": 3, "characters": 13}
    assert weat.questions.model_dump() == second
    assert weat[0].headline.value > 1.5
    assert 0 < both[0].headline.value <= 1
    assert scaled.embed(["rozo"]).tolist() == [[2.0, pytest.approx(0.2)]]
    assert engine.plugins.languages["eo"].name == "Esperanto"
    run.save(tmp_path / "run")
    assert Run.load(tmp_path / "run") == run


# What follows needs no distribution: plugins made on the spot.


def plugins_of(monkeypatch: pytest.MonkeyPatch, *modules: types.ModuleType) -> Plugins:
    points = []
    for module in modules:
        monkeypatch.setitem(sys.modules, module.__name__, module)
        points.append(metadata.EntryPoint(module.__name__, module.__name__, "biascore"))
    return Plugins([*metadata.entry_points(group="biascore"), *points])


def module_of(name: str, **hooks: Callable[..., Any]) -> types.ModuleType:
    module = types.ModuleType(name)
    for hook, function in hooks.items():
        setattr(module, hook, hookimpl(function))
    return module


def load(*_: Any) -> None:
    """Opens nothing."""


def adapter_of(**attributes: Any) -> type[Adapter]:
    whole = {
        "id": "made",
        "summary": "made",
        "example": "made:",
        "capabilities": frozenset({"embed"}),
        "load": load,
    }
    return type("MadeAdapter", (Adapter,), {**whole, **attributes})


class Panic(BaseException):
    """What a compiled extension raises when it panics: no Exception."""


def registers(*items: Any) -> Callable[..., None]:
    def hook(register: Callable[..., None]) -> None:
        for item in items:
            register(*item) if isinstance(item, tuple) else register(item)

    return hook


def raises(error: BaseException) -> Callable[..., None]:
    def hook(register: Callable[..., None]) -> None:
        raise error

    return hook


@pytest.mark.parametrize(
    ("hook", "function", "reason"),
    [
        ("register_adapters", raises(Panic("index out of bounds")), "Panic: index out of bounds"),
        (
            "register_adapters",
            registers(adapter_of(capabilities=frozenset({"smell"}))),
            "names smell; there are embed",
        ),
        ("register_adapters", registers(adapter_of(), adapter_of()), "registered 'made' twice"),
        ("register_adapters", registers(adapter_of(load=Adapter.load)), "MadeAdapter lacks load()"),
        ("register_languages", registers("eo"), "registered 'eo', which is not a Language"),
        ("register_wordlists", registers((Path("nowhere"), "made/xx")), "made/xx: there is no such folder"),
        ("register_wordlists", registers((None, "made/xx")), "AttributeError"),
    ],
)
def test_a_bad_registration_fails_its_plugin_only(
    monkeypatch: pytest.MonkeyPatch, hook: str, function: Callable[..., None], reason: str
) -> None:
    plugins = plugins_of(monkeypatch, module_of("made_plugin", **{hook: function}))
    record = next(r for r in plugins.records if r.name == "made_plugin")
    assert record.status == "failed"
    assert reason in record.reason
    assert {r.status for r in plugins.records if r.dist == "biascore"} == {"loaded"}
    with pytest.raises(UnknownNameError):
        plugins.adapters.get("made")


def test_interrupting_is_not_swallowed_and_says_what_was_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(**_: Any) -> None:
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as info:
        plugins_of(monkeypatch, module_of("made_plugin", register_adapters=interrupted))
    assert info.value.__notes__ == ["while plugin 'made_plugin' of unknown 0 was loading it"]


def test_an_interrupted_installation_has_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "half-1.0.dist-info"
    folder.mkdir()
    (folder / "entry_points.txt").write_text("[biascore]\nhalf = json\n")
    monkeypatch.syspath_prepend(tmp_path)
    plugins = Plugins()
    record = next(r for r in plugins.records if r.name == "half")
    assert (record.dist, record.version, record.status) == ("unknown", "0", "failed")


def test_the_metadata_of_a_distribution_are_read_once_for_all_its_plugins() -> None:
    class Counted(metadata.Distribution):
        read = 0

        def read_text(self, filename: str) -> str | None:
            self.read += filename == "METADATA"
            points = "[biascore]\none = json\ntwo = json\n"
            return {"METADATA": "Name: counted\nVersion: 3\n", "entry_points.txt": points}.get(filename)

        def locate_file(self, path: Any) -> Path:
            raise AssertionError("no file of it is needed")

    dist = Counted()
    plugins = Plugins(dist.entry_points)
    assert [(r.name, r.dist, r.version) for r in plugins.records] == [
        ("one", "counted", "3"),
        ("two", "counted", "3"),
    ]
    assert dist.read == 1


def test_a_stranger_cannot_take_over_a_first_party_id(monkeypatch: pytest.MonkeyPatch) -> None:
    plugins = plugins_of(
        monkeypatch, module_of("usurper", register_adapters=registers(adapter_of(id="planted")))
    )
    with pytest.raises(PluginError, match=r"'adapter-planted' of biascore .* and plugin 'usurper'"):
        plugins.adapters.get("planted")
    assert "planted" not in plugins.adapters.names
    assert {"fasttext", "hf"} <= set(plugins.adapters.names)


TOML = """\
schema = 1
[meta]
language = "xx"
title = "T"
source = "S"
licence = "CC0"
[lists.x]
words = ["x1", "x2"]
[lists.y]
words = ["y1", "y2"]
[tests.{test}]
kind = "weat"
title = "T"
concept = "c"
positive_means = "m"
X = "x"
Y = "y"
A = "x"
B = "y"
"""


def wordlists_of(folder: Path, module: str, test: str, file: str) -> types.ModuleType:
    own = folder / module / "xx"
    own.mkdir(parents=True)
    (own / file).write_text(TOML.format(test=test), encoding="utf-8")
    return module_of(module, register_wordlists=registers((own, f"{module}/xx")))


def engine_with(monkeypatch: pytest.MonkeyPatch, plugins: Plugins, **options: Any) -> Engine:
    monkeypatch.setattr("biascore.engine.Plugins", lambda: plugins)
    return Engine(cache=None, **options)


def test_two_plugins_with_one_file_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    one = wordlists_of(tmp_path, "one", "first", "same.toml")
    two = wordlists_of(tmp_path, "two", "second", "Same.toml")
    engine = engine_with(monkeypatch, plugins_of(monkeypatch, one, two))
    assert {r.name for r in engine.plugins.records if r.status == "conflict"} == {"one", "two"}
    assert "xx" not in engine.catalogue.languages
    with pytest.raises(
        PluginError, match=r"stimuli file 'xx/same.toml' is provided by plugin 'one' .* 'two'"
    ):
        engine.measure("weat", "planted:gender=1", "xx/first")


def test_a_users_folder_may_settle_a_conflict(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    one = wordlists_of(tmp_path, "one", "same", "one.toml")
    two = wordlists_of(tmp_path, "two", "same", "two.toml")
    own = tmp_path / "own"
    (own / "xx").mkdir(parents=True)
    (own / "xx" / "mine.toml").write_text(TOML.format(test="same"), encoding="utf-8")
    engine = engine_with(monkeypatch, plugins_of(monkeypatch, one, two), stimuli=[own])
    assert engine.measure("weat", "planted:", "xx/same").stimuli[0].file == "own/xx/mine.toml"


def test_a_users_broken_folder_raises(tmp_path: Path) -> None:
    (tmp_path / "xx").mkdir()
    (tmp_path / "xx" / "mine.toml").write_text("schema = ", encoding="utf-8")
    with pytest.raises(Exception, match=r"mine.toml is no valid TOML"):
        Engine(cache=None, stimuli=[tmp_path])


# One test per hook; the contract kit counts them.


def test_hook_register_adapters(monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = adapter_of(id="made")
    plugins = plugins_of(monkeypatch, module_of("made_plugin", register_adapters=registers(adapter)))
    assert plugins.adapters.get("made") is adapter
    assert plugins.adapters.owner("made").provides == ("adapter made",)


def test_hook_register_metrics(with_dists: Callable[..., None]) -> None:
    with_dists("biascore-test-stranger")
    assert "nearest-rate" in Plugins().metrics.names


def test_hook_register_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    module = module_of("made_plugin", register_languages=registers(Language("xx", "Exish")))
    assert plugins_of(monkeypatch, module).languages["xx"] == Language("xx", "Exish")


def test_hook_register_wordlists(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module = wordlists_of(tmp_path, "one", "first", "one.toml")
    engine = engine_with(monkeypatch, plugins_of(monkeypatch, module))
    assert engine.catalogue.test("xx/first").file == "one/xx/one.toml"
    assert engine.catalogue.word_list("xx/one/x").words == ("x1", "x2")


class Lines(DataFormat):
    """Every line of a file as a word list, in all four roles."""

    id = "lines"
    summary = "words, a line each"
    example = "lines:words.txt"

    def __init__(self, options: Options) -> None:
        pass

    def read(self, file: DataFile) -> Test:
        words = WordList("lines", tuple(file.path.read_text(encoding="utf-8").split()))
        roles = dict.fromkeys("XYAB", words)
        return Test(file.test, "weat", file.language, roles, file=file.display, sha256=file.sha256)


def test_hook_register_formats(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module = module_of("made_plugin", register_formats=registers(Lines))
    plugins = plugins_of(monkeypatch, module)
    assert ("data format lines",) in {record.provides for record in plugins.records}
    engine = engine_with(monkeypatch, plugins)
    path = tmp_path / "some.words.txt"
    path.write_text("uno due", encoding="utf-8")
    test = engine.data("lines", path, language="it")
    assert (test.id, test.roles["X"].words, test.file) == ("it/some", ("uno", "due"), str(path))
    assert test.sha256 == hashlib.sha256(b"uno due").hexdigest()
    with pytest.raises(DataError, match=r"gone\.txt cannot be read .*Give the path"):
        engine.data("lines", tmp_path / "gone.txt", language="it")
    with pytest.raises(OptionsError, match="data format lines: wrong"):
        engine.data("lines", path, language="it", wrong=1)
    with pytest.raises(UnknownNameError, match="Did you mean 'lines'"):
        engine.data("line", path, language="it")
    with pytest.raises(DataError, match="names no file of a dataset"):
        engine.data("lines", "hub:only/two", language="it")


class Named(ModelPlugin):
    """An observer by name."""

    role = "observer"

    def __init__(self, name: str) -> None:
        self.name = name


def around(*plugins: Any) -> Callable[..., Any]:
    def model_plugins(ref: ModelRef) -> Any:
        return list(plugins)

    return model_plugins


def test_hook_model_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def model_plugins(ref: ModelRef) -> list[ModelPlugin]:
        seen.append(ref)
        return [Named("second")]

    first, second = (
        module_of("a", model_plugins=around(Named("first"))),
        module_of("b", model_plugins=model_plugins),
    )
    for modules in ((first, second), (second, first)):
        found = plugins_of(monkeypatch, *modules).model_plugins(ModelRef("planted", "gender=1"))
        assert [plugin.name for plugin in found] == ["first", "second"]
    assert seen == [ModelRef("planted", "gender=1")] * 2


def test_model_plugins_that_raise_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def model_plugins(ref: ModelRef) -> Any:
        return 1 / 0

    engine = engine_with(monkeypatch, plugins_of(monkeypatch, module_of("a", model_plugins=model_plugins)))
    with pytest.raises(
        PluginError, match=r"plugin 'a' of unknown 0: .* ZeroDivisionError.*BIASCORE_DISABLE_PLUGINS=a"
    ) as info:
        engine.model("planted:gender=1")
    assert isinstance(info.value.__cause__, ZeroDivisionError)


class NotAWrapper(ModelPlugin):
    """Would answer in place of the model."""

    name = "usurper"
    role = "observer"

    @hookimpl
    def embed(self, texts: Any) -> None:
        raise AssertionError("never asked")


class Unmarked(ModelPlugin):
    """A transform without a fingerprint."""

    name = "unmarked"
    role = "transform"


@pytest.mark.parametrize(
    ("plugins", "problem"),
    [
        ([Named("same"), Named("same")], "same"),
        ([NotAWrapper()], "would answer embed in place of the model"),
        ([Unmarked()], "has no fingerprint"),
        ([object()], "is not a ModelPlugin"),
        ([Named("")], "is not a ModelPlugin with a name"),
    ],
)
def test_plugins_around_a_model_are_checked(
    monkeypatch: pytest.MonkeyPatch, plugins: list[Any], problem: str
) -> None:
    engine = engine_with(monkeypatch, plugins_of(monkeypatch, module_of("a", model_plugins=around(*plugins))))
    with pytest.raises(PluginError, match=problem):
        engine.model("planted:gender=1")
