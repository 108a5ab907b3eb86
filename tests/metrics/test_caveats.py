"""One list of caveats: what touches the verdict, what is said in short, and runs stored when there were three lists."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from biascore import Engine, Run
from biascore.designs.words import coverage_caveats
from biascore.results.caveat import Caveat, caveats_of
from biascore.results.coverage import Coverage, LostWord
from biascore.results.hashes import canonical, content_hash, item_hash
from biascore.results.measurement import Measurement


def test_what_is_said_in_short_touches_the_verdict() -> None:
    with pytest.raises(ValueError, match="does not touch the verdict"):
        Caveat("a detail", verdict=False, short="detail")
    with pytest.raises(ValueError, match="needs a text"):
        Caveat("")
    assert [one.short for one in caveats_of(["a", "b"], short="both")] == ["both", ""]


def test_lost_words_count_from_the_share_from_which_there_is_a_caveat() -> None:
    lost = tuple(LostWord(word=f"w{i}", role="Y", reason="out of vocabulary") for i in range(2))
    some = Coverage(given={"X": 8, "Y": 8}, used={"X": 8, "Y": 6}, lost=lost)
    assert [one.short for one in coverage_caveats(some)] == ["a list lost 2 of its 8 words"]
    assert [one.short for one in coverage_caveats(some, brief=False)] == [""]
    assert [one.short for one in coverage_caveats(some.model_copy(update={"lost": lost[:1]}))] == [""]


def test_a_run_stored_with_three_lists_is_read_and_keeps_its_digest(tmp_path: Path) -> None:
    run = Engine(cache=None).measure("weat", "planted:gender=1", "en/weat6", reference="none")
    run.save(tmp_path / "run")
    file = tmp_path / "run" / "run.json"
    body = json.loads(file.read_text(encoding="utf-8"))
    (stored,) = body["measurements"]
    del stored["caveats"]
    stored |= {"warnings": ["of a list", "a detail"], "cautions": ["of a list"], "doubts": ["in short"]}
    digest = hashlib.sha256(canonical(stored))
    digest.update(item_hash(run[0].items).encode())
    digest.update(canonical(body["verdicts"]))
    body["results_digest"] = f"sha256:{digest.hexdigest()}"
    del body["content_sha256"]
    body["content_sha256"] = content_hash(body)
    file.write_text(json.dumps(body), encoding="utf-8")
    read = Run.load(tmp_path / "run")
    assert read[0].caveats == (
        Caveat("in short", short="in short"),
        Caveat("of a list"),
        Caveat("a detail", verdict=False),
    )
    assert Measurement.model_validate(read[0].model_dump()).caveats == read[0].caveats
