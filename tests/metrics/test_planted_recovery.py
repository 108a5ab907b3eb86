"""The planted model is the yardstick: metrics must find what was planted, and nothing where nothing was."""

import numpy as np
import pytest

from biascore.engine.engine import Engine

SEEDS = range(60)


def effects(engine: Engine, declared: str, test: str, **options: object) -> tuple[np.ndarray, np.ndarray]:
    d, p = [], []
    for seed in SEEDS:
        model = engine.model(f"planted:{declared}", seed=seed)
        measurement = engine.measure("weat", model, test, resamples=100, **options)[0]
        d.append(measurement.headline.value)
        p.append(measurement.p_value)
    return np.array(d), np.array(p)


@pytest.mark.slow
@pytest.mark.parametrize("test", ["en/weat4", "it/IT1"])  # 18 + 18 names; 10 + 10 names
def test_the_population_effect_is_the_declared_one(engine: Engine, test: str):
    declared = (-1.2, -0.5, 0.0, 0.5, 1.2)
    found = []
    for effect in declared:
        d, _ = effects(engine, f"{test}={effect}", test, permutation="monte-carlo", draws=200)
        error = d.std(ddof=1) / np.sqrt(len(d))
        # The sample d with ddof 1 is biased by about 1/n towards either side; four standard errors and that.
        assert abs(d.mean() - effect) < 4 * error + 0.06, (effect, d.mean(), error)
        found.append(d.mean())
    assert found == sorted(found)


@pytest.mark.slow
def test_false_positives_are_near_alpha_where_nothing_is_planted(engine: Engine):
    rejected = []
    for declared in ("en/weat7=0", "en/weat8=0", ""):
        _, p = effects(engine, declared, "en/weat8" if "8" in declared else "en/weat7")
        rejected.append(p <= 0.05)
    share = np.concatenate(rejected).mean()
    # 180 draws at alpha = .05: a share above .11 or below .005 has probability below .001.
    assert 0.005 <= share <= 0.11


def test_a_strong_planted_bias_is_detected_with_its_sign(engine: Engine):
    for effect in (-1.7, 1.7):
        run = engine.measure(
            "weat", f"planted:gender={effect}", ["en/weat6", "en/weat7", "de/weat8", "fr/GenS"]
        )
        assert {m.verdict.value for m in run} == {"detected"}
        assert all(np.sign(m.headline.value) == np.sign(effect) for m in run)


def test_other_concepts_are_left_alone(engine: Engine):
    model = engine.model("planted:gender=1.7")
    run = engine.measure("weat", model, ["it/IT1", "it/IT3", "en/weat10"])
    assert all(m.verdict.value == "inconclusive" for m in run)
