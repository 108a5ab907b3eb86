"""Every metric that ships, on a small test, shipped or made here; the contract of metrics is checked on each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from biascore import Engine
from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.api.metrics import Test
from biascore.testing import MetricContract

from ..builders.models import model_of
from ..metrics.bbq.made import made_test, questions
from ..metrics.coreference.made import read_winobias, read_winogender, write_winobias, write_winogender
from ..metrics.discrim_eval.deciding import cases_of, decisions_test
from ..metrics.eec.corpora import corpus
from ..metrics.impact_ratio.test_outcomes import BOTH, Decides, outcomes
from ..metrics.mt_geneval.conftest import read as read_geneval
from ..metrics.mt_geneval.conftest import write as write_geneval
from ..metrics.robust.probing import hashed, small
from ..metrics.stereoset.made import TERMS, document
from ..metrics.stereoset.made import read as read_stereoset
from ..metrics.stereoset.made import write as write_stereoset

QUICK: Mapping[str, int] = {"draws": 199, "resamples": 100}
CAUSAL: Mapping[str, Any] = {"model_kind": "causal"}
UNPLANTED = frozenset({"keys", "rises", "sign", "false positives"})
"""What is not asked where nothing can be planted, and so on one model only."""
MADE = frozenset({"audited"})
"""What is not asked on a test that is made here, and so in no file of stimuli."""
SCORES = frozenset({"lost"})
"""What is not asked of a metric whose queries always have an answer."""
FIXED = frozenset({"order"})
"""What is not asked of a test without lists whose order could be another."""
ITEMLESS = frozenset({"estimator"})
"""What is not asked of a headline that does not follow from the items alone."""
OPEN = frozenset({"audited", "cached", "lost"})
"""What is not asked on a model that is given open."""


@dataclass(frozen=True)
class Case:
    """A metric on a test; ``model``: on which, where nothing can be planted. ``not_asked``: the clauses that say nothing."""

    test: str | Callable[[Engine, Path], Test]
    options: Mapping[str, Any] = field(default_factory=dict)
    not_asked: frozenset[str] = frozenset()
    model: str | Callable[[Engine], Any] | None = None
    nulls: int = 60


def sentences(_engine: Engine, folder: Path) -> Test:
    """So many pairs that a difference between genders can be detected."""
    names = [f"cook {number}" for number in range(60)]
    files = {
        "feminine.en": [f"She is the {name}." for name in names],
        "feminine.it": [f"È la {name}." for name in names],
        "masculine.en": [f"He is the {name}." for name in names],
        "masculine.it": [f"È il {name}." for name in names],
    }
    return read_geneval(write_geneval(folder, files, "sentences"))


def examples(_engine: Engine, folder: Path) -> Test:
    return read_stereoset(write_stereoset(folder, document(dict.fromkeys(TERMS, 12))))


def second_sentences(_engine: Engine, folder: Path) -> Test:
    path = write_stereoset(folder, document(dict.fromkeys(TERMS, 12)))
    return read_stereoset(path, part="intersentence")


class Likelihoods(Backend):
    """Sentences with a likelihood of their own, per token, which no planted model tells."""

    def __init__(self) -> None:
        self.identity = Identity(digest="test:likelihoods", quantities=("mean_log_likelihood",))

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        """Anything, but always the same."""
        assert quantity in self.identity.quantities
        return np.array([hashed((text,), 0, "") for text in texts])


def analogies(engine: Engine, folder: Path) -> Test:
    words = engine.catalogue.test("en/weat7").roles
    pairs = list(zip(words["X"].words, words["Y"].words, strict=True))
    rows = [f"{a} {b} {c} {d}" for (a, b), (c, d) in pairwise(pairs)]
    path = folder / "analogies.txt"
    path.write_text("\n".join([": lists", *rows]) + "\n", encoding="utf-8")
    return engine.data("analogies", path, language="en")


def norms(engine: Engine, folder: Path) -> Test:
    words = engine.catalogue.test("en/weat1").roles
    scores = {
        word: place % 5 + 4.0 * (role == "X") for role in "XY" for place, word in enumerate(words[role].words)
    }
    path = folder / "norms.csv"
    path.write_text("\n".join(["word,score", *(f"{w},{s}" for w, s in scores.items())]), encoding="utf-8")
    return engine.data("valence-norms", path, language="en")


def without_a_direction(engine: Engine, test: str) -> Any:
    model = engine.model(f"planted:{test}=1")
    return model.with_transform("hard-debias", pairs="en/bolukbasi2016/definitional")


CASES: Mapping[str, Case] = {
    "advice": Case("en/advice-black", nulls=20),
    "analogy": Case(analogies, not_asked=UNPLANTED | MADE | ITEMLESS | {"lost"}, model="planted:en/weat7=1"),
    "bbq": Case(lambda *_: made_test(questions(12, 8)), {"way": "text"}, MADE),
    "characters": Case("en/occasions-occupations", {"templates": 2}, FIXED, nulls=20),
    "counterfactual": Case("en/counterfactual-gender", nulls=30),
    "crows-pairs": Case("en/crows_own"),
    "crows-pairs, causal": Case("en/crows_own", CAUSAL, SCORES),
    "crows-pairs-mixed": Case("en/crows_own", nulls=30),
    "discrim-eval": Case(lambda *_: decisions_test(cases_of(12)), not_asked=MADE, nulls=30),
    "eec": Case(lambda *_: corpus(6), {"emotions": ["anger"]}, MADE | SCORES),
    "fise": Case("en/fise_gender_race_occupations", nulls=30),
    "gest-lm": Case("en/gest_own", nulls=30),
    "gest-lm, causal": Case("en/gest_own", CAUSAL, SCORES),
    "gest-mt": Case("en/gest_own", {"target": "it"}),
    "gg-fise": Case("it/fise_it1_traits", not_asked=ITEMLESS, nulls=20),
    "gg-weat": Case("de/GER1", not_asked=ITEMLESS),
    "impact-ratio": Case(
        lambda *_: outcomes(BOTH, "sex", "race")[0],
        {"draws": 499},
        UNPLANTED | OPEN | ITEMLESS | FIXED,
        model=lambda _engine: model_of(Decides(outcomes(BOTH, "sex", "race")[1])),
    ),
    "lpbs": Case("de/GER1"),
    "lpbs, causal": Case("de/GER1", CAUSAL, SCORES),
    "mt-geneval": Case(sentences, not_asked=MADE | FIXED),
    "pairwise-distance": Case("es/nouns", not_asked=UNPLANTED, model="planted:"),
    "robust-association": Case("it/professioni_donne", nulls=20),
    "robust-association, causal": Case(
        lambda _, folder: small(folder),
        CAUSAL,
        UNPLANTED | OPEN,
        model=lambda _: model_of(Likelihoods()),
    ),
    "sc-gg-weat": Case(
        "es/nouns",
        not_asked=UNPLANTED | OPEN | ITEMLESS,
        model=lambda engine: without_a_direction(engine, "es/gg-weat"),
    ),
    "sc-weat": Case("de/GER1", not_asked=ITEMLESS | {"sign"}),
    "seat": Case("en/weat6"),
    "stereoset": Case(examples, not_asked=MADE),
    "stereoset, causal": Case(examples, CAUSAL, MADE | SCORES),
    "stereoset, second sentences": Case(second_sentences, CAUSAL, MADE | SCORES),
    "valnorm": Case(norms, not_asked=UNPLANTED | MADE, model="planted:en/weat1=1"),
    "weat": Case("de/GER1"),
    "weat-change": Case(
        "en/weat6",
        not_asked=UNPLANTED | OPEN | ITEMLESS,
        model=lambda engine: without_a_direction(engine, "en/weat6"),
    ),
    "winobias": Case(lambda _, folder: read_winobias(write_winobias(folder)), not_asked=MADE),
    "winobias, causal": Case(lambda _, folder: read_winobias(write_winobias(folder)), CAUSAL, MADE | SCORES),
    "winogender": Case(lambda _, folder: read_winogender(write_winogender(folder)), not_asked=MADE | SCORES),
}


def contract_of(name: str, engine: Engine, folder: Path) -> MetricContract:
    """The contract of a case, with options that take little time."""
    case, metric = CASES[name], engine.plugins.metrics.get(name.partition(",")[0])
    quick = {**QUICK, **metric.calibrated_with}
    taken = {option: value for option, value in quick.items() if option in metric.option_type.model_fields}
    test = case.test if isinstance(case.test, str) else case.test(engine, folder)
    model = case.model(engine) if callable(case.model) else case.model
    return MetricContract(metric, test, model, {**taken, **case.options}, engine, case.nulls)
