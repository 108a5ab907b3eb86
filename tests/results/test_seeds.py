"""The seed determines a run, and nothing else that does not belong to it."""

from __future__ import annotations

from pathlib import Path

from biascore import Audit, Engine, Run
from biascore.engine.measuring import measurement_seed

from ..builders.vectors import write_vectors
from .conftest import QUICK, TESTS


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
    words = [word for one in engine.catalogue.test("en/weat7").roles.values() for word in one.words]
    vectors = engine.model("planted:gender=0.8").embed(words)[:, :20]
    (tmp_path / "elsewhere").mkdir()
    paths = [tmp_path / "one.vec", tmp_path / "elsewhere" / "other.vec"]
    refs = [write_vectors(path, dict(zip(words, vectors, strict=True))) for path in paths]
    runs = [engine.measure("weat", ref, "en/weat7", **QUICK) for ref in refs]
    with engine.model(refs[0], name="mine") as named:
        runs.append(engine.measure("weat", named, "en/weat7", **QUICK))
    assert len({run[0].headline.interval.low for run in runs}) == 1
    assert {run[0].seed for run in runs} == {runs[0][0].seed}
