"""A grammar file of one's own tells the speaker's gender before it is in a package."""

from __future__ import annotations

import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from biascore import Engine
from biascore.archive.bundle import write_bundle
from biascore.errors import GrammarError, OptionsError
from biascore.files.toml import dumps

GRAMMAR = """language = "xy"
[words]
am = ["am"]
[forms.adjective]
masculine = ["-o"]
feminine = ["-a"]
[[rules]]
name = "am + adjective"
anchor = ["am"]
find = ["adjective"]
look = ["right"]
"""


@pytest.fixture
def folder(tmp_path: Path, engine: Engine) -> Path:
    samples = engine.catalogue.test("en/gest_own").samples.rows
    rows = [f'"{one.sentence}",Am {"lento" if one.stereotype > 7 else "lenta"}' for one in samples]
    (tmp_path / "given.csv").write_text("\n".join(["text,translation", *rows]), encoding="utf-8")
    (tmp_path / "xy.toml").write_text(GRAMMAR, encoding="utf-8")
    return tmp_path


def options(folder: Path, **more: object) -> Mapping[str, object]:
    return {"target": "XY", "grammar": str(folder / "xy.toml"), **more}


def test_a_grammar_file_tells_the_gender(
    folder: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    model = engine.model("answers:given.csv", language="xy")
    run = engine.measure("gest-mt", model, "en/gest_own", **options(folder))
    assert run[0].headline.value == 1
    assert run[0].conventions["grammar"] == "xy.toml"
    assert [used.file for used in run.stimuli] == ["biascore_wordlists/en/gest_own.toml", "xy.toml"]


def test_a_grammar_lies_next_to_its_audit_and_is_in_the_bundle(folder: Path, engine: Engine) -> None:
    parts = {
        "title": "x",
        "models": [{"ref": f"answers:{folder / 'given.csv'}", "options": {"language": "xy"}}],
        "measurements": [
            {"metric": "gest-mt", "tests": ["en/gest_own"], "options": {"target": "xy", "grammar": "xy.toml"}}
        ],
    }
    (folder / "audit.toml").write_text(dumps(parts), encoding="utf-8")
    run = engine.run(folder / "audit.toml")
    assert run[0].headline.value == 1
    stored = run.save(folder / "run")
    assert str(folder) not in (stored / "run.json").read_text(encoding="utf-8")
    write_bundle(stored, folder / "run.zip")
    with zipfile.ZipFile(folder / "run.zip") as archive:
        audit = tomllib.loads(archive.read("biascore-bundle/audit.toml").decode())
        assert archive.read("biascore-bundle/data/xy.toml").decode() == GRAMMAR
    assert audit["measurements"][0]["options"]["grammar"] == "data/xy.toml"


@pytest.mark.parametrize(
    ("grammar", "target", "told"),
    [("xy.toml", "xx", "'xy'"), ("none.toml", "xy", "none.toml"), ("given.csv", "xy", "given.csv")],
)
def test_a_grammar_that_does_not_fit_is_refused_before_a_model_is_asked(
    grammar: str, target: str, told: str, folder: Path, engine: Engine
) -> None:
    with pytest.raises(GrammarError, match=told):
        engine.tests("gest-mt", ["en/gest_own"], {"target": target, "grammar": str(folder / grammar)})


def test_templates_need_no_grammar(folder: Path, engine: Engine) -> None:
    with pytest.raises(OptionsError, match="translator"):
        engine.tests("gest-lm", ["en/gest_own"], {"grammar": str(folder / "xy.toml")})
