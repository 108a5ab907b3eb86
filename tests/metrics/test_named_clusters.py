"""The option ``cluster`` names what items belong to, in every format whose items belong to something."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.errors import DataError, OptionsError

from .bbq.written import bbq_row
from .coreference.made import write_winogender
from .stereoset.made import document

PAIR = {"sent_less": "B is late.", "stereo_antistereo": "stereo", "bias_type": "age"}


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(cache=None)


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def pairs(path: Path, *scenes: str) -> Path:
    rows = [
        {**PAIR, "sent_more": f"A{n} is late.", "scene": scene, "template": "t"}
        for n, scene in enumerate(scenes)
    ]
    return write(path, rows)


def test_pairs(engine: Engine, tmp_path: Path) -> None:
    path = pairs(tmp_path / "x.jsonl", "s1", "s1", "s2")

    def of(**options: Any) -> list[str]:
        test: Any = engine.data("crows-pairs", path, language="en", **options)
        return [pair.template for pair in test.pairs.rows]

    assert of() == ["t", "t", "t"]
    assert of(cluster="scene") == of(columns={"template": "scene"}) == ["s1", "s1", "s2"]
    with pytest.raises(DataError, match="has no column 'scenes'"):
        of(cluster="scenes")
    with pytest.raises(OptionsError, match="columns names template, and cluster does so too"):
        of(cluster="scene", columns={"template": "scene"})
    with pytest.raises(OptionsError, match="template is called cluster here"):
        of(template="scene")
    pairs(path, "s1", "", "s2")
    with pytest.raises(DataError, match="line 2 scene is blank"):
        of(cluster="scene")


def test_the_error_follows_the_clusters_that_are_named(engine: Engine, tmp_path: Path) -> None:
    rows = [
        {**PAIR, "sent_more": f"A{n} is late.", "scene": f"s{n // 5}", "bias_type": "age"} for n in range(20)
    ]
    path = write(tmp_path / "x.jsonl", rows)

    def measured(**options: Any) -> Any:
        test = engine.data("crows-pairs", path, language="en", **options)
        (found,) = engine.measure("crows-pairs", "planted:gender=1", test)
        return found

    alone, together = measured().headline, measured(cluster="scene").headline
    assert alone.value == together.value
    assert (dict(alone.n), dict(together.n)) == ({"pairs": 20}, {"pairs": 20, "templates": 4})
    assert together.p_values[0].value > 100 * alone.p_values[0].value


def test_questions(engine: Engine, tmp_path: Path) -> None:
    rows = [bbq_row(n, source_text=f"d{n // 2}", question_index=str(n % 3)) for n in range(6)]
    path = write(tmp_path / "Age.jsonl", rows)

    def of(**options: Any) -> list[str]:
        test: Any = engine.data("bbq", path, language="en", **options)
        return [question.template for question in test.questions.rows]

    assert of() == [f"Age/{n % 3}" for n in range(6)]
    assert of(cluster="source_text") == ["d0", "d0", "d1", "d1", "d2", "d2"]
    with pytest.raises(DataError, match="line 1: document is blank or missing"):
        of(cluster="document")
    rows[1] |= {"category": "Religion"}
    write(path, rows)
    with pytest.raises(DataError, match="has the cluster 'd0' in the categories Age and Religion"):
        of(cluster="source_text")


def test_terms_and_sectors(engine: Engine, tmp_path: Path) -> None:
    told = document()
    for example in told["data"]["intrasentence"]:
        example["sector"] = example["bias_type"]
    (tmp_path / "dev.json").write_text(json.dumps(told))
    test: Any = engine.data("stereoset", tmp_path / "dev.json", language="en", cluster="sector")
    assert [one.family for one in test.samples.rows] == [one.domain for one in test.samples.rows]
    with pytest.raises(DataError, match="has no sectors, which the option cluster names"):
        engine.data("stereoset", tmp_path / "dev.json", language="en", cluster="sectors")
    folder = tmp_path / "winogender"
    folder.mkdir()
    write_winogender(folder)
    path = folder / "occupations-stats.tsv"
    header, *lines = path.read_text().splitlines()
    path.write_text(
        "\n".join([f"{header}\tfield", *(f"{line}\tf{n % 2}" for n, line in enumerate(lines))]) + "\n"
    )
    test = engine.data("winogender", folder, language="en", cluster="field")
    assert {one.sector for one in test.samples.rows} == {"f0", "f1"}


def test_decisions(engine: Engine, tmp_path: Path) -> None:
    rows = [
        {"filled_template": f"May {who} join {n}?", "decision_question_id": n, "age": 20 + 20 * m, "gender": "male",
         "race": "white", "topic": f"t{n % 2}"}
        for n in range(4) for m, who in enumerate(("he", "the old man"))
    ]  # fmt: skip
    path = write(tmp_path / "explicit.jsonl", rows)
    test: Any = engine.data("discrim-eval", path, language="de", cluster="topic")
    assert [one.cluster for one in test.cases.rows] == ["t0", "t0", "t1", "t1"] * 2
    with pytest.raises(DataError, match="has no column 'topics'"):
        engine.data("discrim-eval", path, language="de", cluster="topics")


@pytest.mark.parametrize("name", ["cluster", "template"])
def test_a_format_without_clusters_says_so(name: str, engine: Engine, tmp_path: Path) -> None:
    path = write(tmp_path / "gest.jsonl", [{"sentence": "I am late.", "stereotype": 1}])
    with pytest.raises(
        OptionsError, match=rf"{name} names what items belong to, and items belong to nothing here"
    ):
        engine.data("gest", path, language="en", **{name: "scene"})
