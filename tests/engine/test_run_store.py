"""A run is stored whole or not at all, comes back equal, and no change to it goes unnoticed."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pydantic import ValidationError

from biascore import Audit, Engine, Run
from biascore.basics.frozen import Frozen
from biascore.engine import measurement_seed
from biascore.errors import RunError
from biascore.files import placing
from biascore.results.measurement import item_table
from biascore.results.run import content_hash, read_run

TESTS = ["en/weat6", "en/weat7"]
QUICK = {"resamples": 200}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    engine = Engine(cache=None, seed=4)
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def run(engine: Engine) -> Run:
    return engine.measure("weat", "planted:gender=0.8", TESTS, **QUICK)


@pytest.fixture
def folder(run: Run, tmp_path: Path) -> Path:
    return run.save(tmp_path / "run")


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


# Saved and loaded.


def test_a_run_comes_back_equal(run: Run, folder: Path) -> None:
    loaded = Run.load(folder)
    assert loaded == run
    assert loaded.results_digest() == run.results_digest()
    for one, other in zip(run, loaded, strict=True):
        assert one.items.equals(other.items)
        assert one.items.schema == other.items.schema
    assert loaded.provenance == run.provenance
    assert loaded.to_json() == run.to_json()
    pd.testing.assert_frame_equal(loaded.to_frame(), run.to_frame())
    assert read_run(folder) == ([], run)


def test_an_audit_with_nested_options_comes_back_equal(engine: Engine, tmp_path: Path) -> None:
    audit = Audit.from_parts(
        title="Größe 😀",
        models=[{"ref": "planted:gender=0.8", "name": "naïve", "options": {"seed": 2}}],
        measurements=[{"metric": "weat", "tests": TESTS, "options": {"resamples": 200, "level": "token"}}],
    )
    run = engine.run(audit)
    loaded = Run.load(run.save(tmp_path / "run"))
    assert loaded == run
    assert loaded.title == "Größe 😀"
    assert loaded.models[0].explicit_options == {"seed": 2}
    again = Audit.model_validate(dict(loaded.provenance.audit))
    assert again == audit
    assert engine.run(again).results_digest() == run.results_digest()


def test_what_lies_on_disk(run: Run, folder: Path) -> None:
    names = {"run.json", "items/0000-weat-en-weat6.parquet", "items/0001-weat-en-weat7.parquet"}
    assert set(files(folder)) == names
    body = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert body["schema_version"] == 2
    assert body["results_digest"] == run.results_digest()
    assert body["models"][0]["questions"]["asked"] == run.questions.asked > 0
    items = pq.read_table(folder / "items" / "0000-weat-en-weat6.parquet")
    assert items.column_names[:3] == ["item", "group", "value"]
    assert items.num_rows == 16


def test_the_folder_may_be_read_as_any_other(folder: Path) -> None:
    umask = os.umask(0)
    os.umask(umask)
    assert folder.stat().st_mode & 0o777 == 0o777 & ~umask


@pytest.mark.parametrize("name", ["../../outside", "a/b", "..", "é" * 90])
def test_names_of_strangers_do_not_become_paths(run: Run, tmp_path: Path, name: str) -> None:
    odd = run.model_copy(update={"measurements": tuple(m.model_copy(update={"metric": name}) for m in run)})
    target = odd.save(tmp_path / "deep" / "er" / "run")
    assert len(files(target)) == 3
    assert len(list(tmp_path.rglob("*.parquet"))) == 2
    assert Run.load(target) == odd


def test_a_run_without_items_or_values(run: Run, tmp_path: Path) -> None:
    empty = run.model_copy(update={"measurements": (run[0].model_copy(update={"items": item_table()}),)})
    assert Run.load(empty.save(tmp_path / "empty")) == empty
    missing = item_table(["a", "b"], ["X", "Y"], [None, 0.1], {"note": [None, "text"], "count": [1, None]})
    holes = run.model_copy(update={"measurements": (run[0].model_copy(update={"items": missing}),)})
    loaded = Run.load(holes.save(tmp_path / "holes"))
    assert loaded == holes
    assert loaded[0].items.to_pydict() == missing.to_pydict()


# Not overwritten.


def test_an_existing_run_is_kept_unless_told(run: Run, folder: Path) -> None:
    before = files(folder)
    with pytest.raises(RunError, match=r"exists already.*--force"):
        run.save(folder)
    assert files(folder) == before
    shorter = run.model_copy(update={"measurements": run.measurements[:1]})
    shorter.save(folder, overwrite=True)
    assert set(files(folder)) == {"run.json", "items/0000-weat-en-weat6.parquet"}
    assert Run.load(folder) == shorter


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("kind", ["a folder of other things", "a run and other things", "a file"])
def test_what_is_no_run_is_never_overwritten(run: Run, tmp_path: Path, overwrite: bool, kind: str) -> None:
    target = tmp_path / "target"
    if kind == "a file":
        target.write_text("precious")
    else:
        target.mkdir()
        (target / "thesis.tex").write_text("precious")
    if kind == "a run and other things":
        (target / "run.json").write_text("{}")
    with pytest.raises(RunError, match=r"Choose another folder"):
        run.save(target, overwrite=overwrite)
    assert (target if kind == "a file" else target / "thesis.tex").read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("run.json", "its run.json was not written by biascore"),
        ("notes.txt", "beside a run it holds notes.txt"),
        ("report.html", "beside a run it holds report.html"),
        ("items/0000-mine.csv", "beside a run it holds items/0000-mine.csv"),
        ("items/deep/0000-weat-x.parquet", "beside a run it holds items/deep"),
    ],
)
def test_a_file_of_another_hand_stops_it_and_is_named(run: Run, folder: Path, name: str, told: str) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text('{"schema_version": 1}')
    before = files(folder)
    with pytest.raises(RunError, match=f"is not overwritten: {re.escape(told)}. Choose another folder"):
        run.save(folder, overwrite=True)
    assert files(folder) == before


def test_a_link_to_a_run_stays_and_what_it_links_to_is_replaced(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(folder)
    shorter = run.model_copy(update={"measurements": run.measurements[:1]})
    assert shorter.save(link, overwrite=True) == link
    assert link.is_symlink()
    assert Run.load(folder) == shorter


def test_an_empty_folder_may_be_overwritten(run: Run, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    assert Run.load(run.save(tmp_path / "run", overwrite=True)) == run


# Changed.


def change(folder: Path, path: str, value: Any) -> None:
    body = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    *steps, last = path.split(".")
    place = body
    for step in steps:
        place = place[int(step) if isinstance(place, list) else step]
    place[int(last) if isinstance(place, list) else last] = value
    (folder / "run.json").write_text(json.dumps(body, ensure_ascii=False), encoding="utf-8")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("measurements.0.estimates.0.value", 0.0),
        ("measurements.0.verdict", "negligible"),
        ("measurements.1.seed", 1),
        ("models.0.digest", "sha256:00"),
        ("models.0.questions.asked", 0),
        ("provenance.seed", 99),
        ("provenance.audit.metric", "other"),
        ("stimuli.0.sha256", "0" * 64),
        ("verdicts.0.p_adjusted", 0.0001),
        ("results_digest", "sha256:00"),
        ("content_sha256", "00"),
        ("item_hashes.0", "00"),
        ("warnings", ["none"]),
        ("title", "Another title"),
    ],
)
def test_a_changed_record_is_found(folder: Path, path: str, value: Any) -> None:
    change(folder, path, value)
    problems, found = read_run(folder)
    assert "run.json was changed after it was written" in problems
    assert found is not None
    with pytest.raises(RunError, match=r"run.json was changed.*biascore verify"):
        Run.load(folder)


def test_a_record_whose_hash_was_made_anew_still_has_the_wrong_results(run: Run, folder: Path) -> None:
    change(folder, "measurements.0.estimates.0.value", 0.0)
    body = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    del body["content_sha256"]
    change(folder, "content_sha256", content_hash(body))
    assert read_run(folder)[0] == ["the results do not have the digest they were stored with"]


ITEMS = "items/0000-weat-en-weat6.parquet"


def test_a_changed_item_is_found(folder: Path) -> None:
    table = pq.read_table(folder / ITEMS)
    values = table["value"].to_pylist()
    values[3] = np.nextafter(values[3], 1)
    pq.write_table(table.set_column(2, "value", pa.array(values)), folder / ITEMS)
    assert read_run(folder)[0] == [f"{ITEMS} was changed after it was written"]


@pytest.mark.parametrize(
    "alter",
    [
        lambda t: t.slice(1),
        lambda t: t.rename_columns(["item", "group", "price"]),
        lambda t: t.select(["item", "group"]),
        lambda t: t.append_column("more", pa.array([None] * len(t), pa.int64())),
        lambda t: t.set_column(2, "value", t["value"].cast(pa.float32())),
        lambda t: t.take(list(range(len(t)))[::-1]),
    ],
)
def test_a_changed_item_table_is_found(folder: Path, alter: Callable[[pa.Table], pa.Table]) -> None:
    pq.write_table(alter(pq.read_table(folder / ITEMS)), folder / ITEMS)
    assert read_run(folder)[0] == [f"{ITEMS} was changed after it was written"]


def test_a_deleted_item_table_is_found(folder: Path) -> None:
    (folder / ITEMS).unlink()
    problems, found = read_run(folder)
    assert len(problems) == 1
    assert f"{ITEMS} cannot be read" in problems[0]
    assert found is not None
    assert found[0].items.num_rows == 0


@pytest.mark.parametrize("seed", range(80))
def test_a_flipped_bit_is_found_or_harmless(run: Run, folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    file = folder / (ITEMS if seed % 4 else "run.json")
    data = bytearray(file.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    file.write_bytes(data)
    problems, found = read_run(folder)
    # A Parquet file has bytes that stand for nothing, and JSON has spaces.
    assert problems or found == run


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "no run.json here, so this is not a stored run"),
        (b"", "run.json cannot be read"),
        (b'{"schema_version": 2', "run.json cannot be read"),
        (b"\xff\xfe", "run.json cannot be read"),
        (
            b'{"schema_version": 9, "schema_version": 1}',
            "the key 'schema_version' stands twice in one object",
        ),
        (b"[]", "schema version list is not 2"),
        (b"{}", "schema version None is not 2"),
        (b'{"schema_version": 1}', "schema version 1 is not 2, which this biascore reads"),
        (b'{"schema_version": 2}', "run.json was changed after it was written"),
        (
            b'{"schema_version": 2, "measurements": [], "item_hashes": ["a"]}',
            "run.json does not have the form of a run",
        ),
        (
            b'{"schema_version": 2, "measurements": 3, "item_hashes": []}',
            "run.json does not have the form of a run",
        ),
    ],
)
def test_what_is_no_run_cannot_be_read(tmp_path: Path, content: bytes | None, problem: str) -> None:
    if content is not None:
        (tmp_path / "run.json").write_bytes(content)
    problems, found = read_run(tmp_path)
    assert found is None
    assert any(problem in p for p in problems)
    remedy = "Name a folder that biascore run wrote" if content is None else "biascore verify"
    with pytest.raises(RunError, match=f"{tmp_path}: .*{remedy}"):
        Run.load(tmp_path)


# Interrupted.


@pytest.mark.parametrize("breaks_at", ["first table", "second table", "run.json"])
@pytest.mark.parametrize("overwrites", [False, True])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_nothing_half_written(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    breaks_at: str,
    overwrites: bool,
    error: BaseException,
) -> None:
    target, real, written = tmp_path / "run", pq.write_table, []
    if overwrites:
        run.model_copy(update={"title": "The one before"}).save(target)
    before = files(tmp_path)

    def write_table(*args: Any) -> None:
        written.append(args)
        if len(written) == {"first table": 1, "second table": 2, "run.json": 0}[breaks_at]:
            raise error
        real(*args)

    def fsync(_: int) -> None:
        raise error

    monkeypatch.setattr(pq, "write_table", write_table)
    if breaks_at == "run.json":
        monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(RunError if isinstance(error, OSError) else KeyboardInterrupt):
        run.save(target, overwrite=True)
    assert files(tmp_path) == before
    assert len(list(tmp_path.iterdir())) == int(overwrites)


def test_the_old_run_comes_back_where_the_new_one_cannot_take_its_place(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.rename

    def rename(self: Path, target: Path) -> Path:
        if self.name == "new":
            raise OSError(5, "Input/output error")
        return real(self, target)

    before = files(folder)
    monkeypatch.setattr(Path, "rename", rename)
    monkeypatch.setattr(placing, "_exchanged", lambda *_: False)
    with pytest.raises(RunError, match="Input/output error"):
        run.save(folder, overwrite=True)
    assert files(folder) == before
    assert [path.name for path in folder.parent.iterdir()] == ["run"]


def test_a_place_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RunError, match=r"cannot be written.*Choose another place"):
        run.save(tmp_path / "file" / "run")


def test_files_that_may_not_grow(tmp_path: Path) -> None:
    program = """
import json, resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from biascore import Engine
from biascore.errors import RunError
run = Engine(cache=None).measure("weat", "planted:gender=1", "en/weat6", resamples=200)
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
try:
    run.save(sys.argv[1])
except RunError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "run"], capture_output=True, text=True, check=True
    )
    assert "cannot be written" in done.stdout
    assert list(tmp_path.iterdir()) == []


# Frozen.


def frozen_values(run: Run) -> Iterator[Frozen]:
    yield run
    yield run[0]
    yield run[0].headline
    yield run[0].headline.p_values[0]
    yield run[0].coverage
    yield run.models[0]
    yield run.provenance
    yield run.stimuli[0]


def test_no_attribute_can_be_changed(run: Run) -> None:
    for value in frozen_values(run):
        for name in type(value).model_fields:
            with pytest.raises(ValidationError, match="frozen"):
                setattr(value, name, getattr(value, name))
        with pytest.raises(ValidationError):
            value.anything = 1  # type: ignore[attr-defined]


def test_no_mapping_and_no_list_can_be_changed(engine: Engine, run: Run) -> None:
    for mapping in (run[0].conventions, run[0].headline.n, run[0].coverage.given, run.models[0].options):
        with pytest.raises(TypeError):
            mapping["new"] = 1  # type: ignore[index]
    models = [{"ref": "planted:gender=1", "options": {"seed": 1}}]
    measurements = [{"metric": "weat", "tests": TESTS, "options": QUICK}]
    audit = Audit.from_parts(title="t", models=models, measurements=measurements)
    stored = engine.run(audit).provenance.audit
    with pytest.raises(TypeError):
        stored["models"][0]["ref"] = "another"
    with pytest.raises(TypeError):
        stored["models"][0]["options"]["seed"] = 2
    with pytest.raises(AttributeError):
        stored["measurements"][0]["tests"].append("en/weat8")


def test_changing_what_was_given_changes_nothing(engine: Engine) -> None:
    parts: dict[str, Any] = {"ref": "planted:gender=1", "options": {"seed": 1}}
    audit = Audit.from_parts(title="t", models=[parts], measurements=[{"metric": "weat", "tests": TESTS}])
    parts["options"]["seed"] = 2
    assert audit.models[0].options == {"seed": 1}


def test_unknown_keys_and_nan_are_refused(run: Run) -> None:
    body = run[0].model_dump()
    for change_to in ({"extra": 1}, {"seed": float("nan")}):
        with pytest.raises(ValidationError):
            type(run[0]).model_validate({**body, **change_to})


# Shown.


def test_repr_is_readable(run: Run) -> None:
    text = repr(run)
    assert text.startswith("<Run 'weat on planted:gender=0.8': 2 measurement(s) on 1 model(s)>\n  <weat")
    assert str(run) == text
    assert len(text.splitlines()) == 3
    headline = run[0].headline
    assert f"effect size d = {headline.value:.3f}" in text
    assert "n = 8 X + 8 Y -> " in text


def test_a_run_is_a_sequence(run: Run) -> None:
    assert [m.test for m in run] == TESTS
    assert len(run) == 2
    assert run[-1] is run.measurements[1]


def test_to_frame(run: Run) -> None:
    frame = run.to_frame()
    assert len(frame) == sum(len(m.estimates) for m in run)
    columns = {
        "model",
        "metric",
        "test",
        "estimate",
        "value",
        "unit",
        "ci_low",
        "ci_high",
        "p_value",
        "verdict",
        "verdict_alone",
        "family",
        "adjustment",
    }
    assert columns | {"p_adjusted", "n_X", "n_Y"} <= set(frame.columns)
    headlines = frame[frame["verdict"].notna()]
    assert headlines["test"].tolist() == TESTS
    assert headlines["value"].tolist() == [m.headline.value for m in run]
    # Benjamini and Hochberg over two p-values, by hand: the smaller doubled, but not above the larger.
    p = [m.p_value for m in run]
    low, high = sorted(p)
    expected = {low: min(2 * low, high), high: high}
    assert headlines["p_adjusted"].tolist() == pytest.approx([expected[value] for value in p])
    assert frame[frame["verdict"].isna()]["p_adjusted"].isna().all()
    assert set(headlines["family"]) == {"control planted:gender=0.8"}


# Determined by the seed.


def test_the_same_seed_gives_the_same_digest(run: Run) -> None:
    again = Engine(cache=None, seed=4).measure("weat", "planted:gender=0.8", TESTS, **QUICK)
    assert again.results_digest() == run.results_digest()
    assert again.provenance.started != run.provenance.started


def test_another_seed_gives_another_interval(run: Run) -> None:
    other = Engine(cache=None, seed=5).measure("weat", "planted:gender=0.8", TESTS, **QUICK)
    assert other.results_digest() != run.results_digest()
    assert other[0].headline.value == run[0].headline.value
    assert other[0].headline.interval != run[0].headline.interval


def test_neither_company_nor_order_changes_a_measurement(engine: Engine) -> None:
    models = [{"ref": "planted:gender=0.8", "name": "one"}, {"ref": "planted:gender=0.2", "name": "two"}]
    weat = {"metric": "weat", "tests": TESTS, "options": QUICK}
    more = {"metric": "sc-weat", "tests": ["en/weat8"], "options": QUICK}
    forth = engine.run(Audit.from_parts(title="forth", models=models, measurements=[weat, more]))
    back = engine.run(
        Audit.from_parts(
            title="back",
            models=models[::-1],
            measurements=[more, {**weat, "tests": [*TESTS[::-1], "en/weat8"]}],
        )
    )
    found = {(m.metric, m.test, m.model): m for m in back}
    assert len(forth) == 6
    assert len(found) == 8
    for one in forth:
        other = found[one.metric, one.test, one.model]
        assert one == other
        assert one.items.equals(other.items)
    assert forth.results_digest() != back.results_digest()


def test_the_cache_and_the_order_of_asking_change_nothing(tmp_path: Path, run: Run) -> None:
    engine = Engine(cache=tmp_path, seed=4)
    engine.measure("weat", "planted:gender=0.8", "en/weat8", **QUICK)
    cached = engine.measure("weat", "planted:gender=0.8", TESTS, **QUICK)
    engine.close()
    assert cached.questions.cached > 0
    assert cached.results_digest() == run.results_digest()


def test_measurement_seeds_are_apart() -> None:
    parts = [(s, metric, test) for s in (0, 1) for metric in "ab" for test in "ab"]
    parts += [(0, "ab", "c"), (0, "a", "bc"), (0, "\ud800", "c")]
    seeds = {measurement_seed(*some) for some in parts}
    assert len(seeds) == len(parts)
    # Within what JSON numbers carry exactly everywhere would be 2**53; the store is read by Python, so 2**56.
    assert all(0 <= seed < 2**56 for seed in seeds)


def test_neither_path_nor_name_of_a_model_moves_its_results(engine: Engine, tmp_path: Path) -> None:
    words = engine.catalogue.test("en/weat7").roles
    vectors = engine.model("planted:gender=0.8").embed([w for one in words.values() for w in one.words])
    names = [w for one in words.values() for w in one.words]
    lines = [" ".join([n, *map(str, v[:20])]) for n, v in zip(names, vectors, strict=True)]
    paths = [tmp_path / "one.vec", tmp_path / "elsewhere" / "other.vec"]
    paths[1].parent.mkdir()
    for path in paths:
        path.write_text(f"{len(lines)} 20\n" + "\n".join(lines), encoding="utf-8")
    runs = [engine.measure("weat", f"fasttext:{path}", "en/weat7", **QUICK) for path in paths]
    with engine.model(f"fasttext:{paths[0]}", name="mine") as named:
        runs.append(engine.measure("weat", named, "en/weat7", **QUICK))
    assert len({run[0].headline.interval.low for run in runs}) == 1
    assert {run[0].seed for run in runs} == {runs[0][0].seed}
