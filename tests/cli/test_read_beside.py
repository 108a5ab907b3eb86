"""A run names what its metrics read beside the tests; harmless groups of one's own are verified and go into the bundle."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from biascore import Engine, Run
from biascore.archive.bundle import write_bundle
from biascore.cli import codes
from biascore.stimuli import Catalogue, StimuliFile

from ..builders.word_lists import write_weat

THINGS = """schema = 1
[meta]
language = "en"
title = "Things"
source = "Written for this test"
licence = "CC0"
[lists.words]
words = ["brick", "kettle", "ladder", "rope", "spoon", "table", "window", "zip", "hinge", "carpet", "towel", "bucket"]
"""
AUDIT = """
stimuli = ["mine"]
[[models]]
ref = "planted:pets=1"
[[measurements]]
metric = "weat"
tests = ["en/pets"]
options = { resamples = 100, reference = "things" }
"""


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Engine(cache=None).catalogue


@pytest.mark.parametrize(
    ("metric", "test", "options", "files"),
    [
        ("weat", "en/weat6", {}, ["en/people"]),
        ("weat", "en/weat1", {}, ["en/topics"]),
        ("weat", "en/weat6", {"reference": "none"}, []),
        ("lpbs", "en/weat6", {}, ["en/people"]),
        ("seat", "it/weat8", {}, ["it/seat", "it/people"]),
        ("gg-weat", "es/gg-weat", {"nouns": "es/nouns"}, ["es/nouns"]),
        ("gg-weat", "es/gg-weat", {}, []),
        ("gest-lm", "en/gest_own", {}, ["en/gest"]),
    ],
)
def test_metrics_name_what_they_read(
    catalogue: Catalogue, metric: str, test: str, options: dict[str, object], files: list[str]
) -> None:
    chosen = Engine(cache=None).plugins.metrics.get(metric)
    found = chosen(chosen.option_type(**options)).extra_stimuli(catalogue.test(test), catalogue)
    named = [one.display if isinstance(one, StimuliFile) else one.file for one in found]
    assert [name.removesuffix(".toml").partition("/")[2] for name in named] == files


def test_harmless_groups_of_ones_own_are_named_verified_and_bundled(biascore, tmp_path: Path) -> None:
    write_weat(tmp_path / "mine")
    pool = tmp_path / "mine" / "en" / "things.toml"
    pool.write_text(THINGS, encoding="utf-8")
    (tmp_path / "audit.toml").write_text(AUDIT, encoding="utf-8")
    biascore("run", "audit.toml", "--no-cache")
    run = Run.load(tmp_path / "audit-run")
    assert [used.file for used in run.stimuli] == ["mine/en/own.toml", "mine/en/things.toml"]
    assert run.stimuli[1].licence == "CC0"
    assert run.stimuli[1].tests == ()
    biascore("verify", "audit-run")
    with zipfile.ZipFile(write_bundle(tmp_path / "audit-run", tmp_path / "packed.zip").path) as archive:
        assert archive.read("biascore-bundle/stimuli/en/things.toml") == pool.read_bytes()
    pool.write_text(THINGS.replace("brick", "bolt"), encoding="utf-8")
    assert "mine/en/things.toml" in biascore("verify", "audit-run", code=codes.DIFFERENT).stdout
