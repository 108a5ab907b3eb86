"""Names and activation of a sequence head, as options say them; names found without case."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore import Engine  # noqa: E402
from biascore.api.adapters import find_output  # noqa: E402
from biascore.errors import OptionsError, QuestionError  # noqa: E402

from ...builders import tiny  # noqa: E402

TEXTS = ("She is angry.", "He is angry.", "nurse")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    auto = transformers.AutoModelForSequenceClassification
    root = tmp_path_factory.mktemp("heads")
    configs: dict[str, dict[str, Any]] = {
        "emotions": tiny.EMOTIONS,
        "one": {"num_labels": 1},
        "two": {"num_labels": 2},
    }
    return {
        name: tiny.save_model("bert-uncased", root / name, seed, auto, **config)
        for seed, (name, config) in enumerate(configs.items())
    }


@pytest.mark.parametrize(
    ("asked", "names", "found"),
    [
        ("joy", ("joy", "Joy"), "joy"),
        ("JOY", ("anger", "Joy"), "Joy"),
        ("happiness", ("anger", "Joy"), "Joy"),
        ("Joy", ("Happiness",), "Happiness"),
        ("happiness", ("joy", "happiness"), "happiness"),
        ("JOY", ("joy", "Joy"), None),
        ("fear", ("joy", "anger"), None),
        ("joyful", ("joy",), None),
    ],
)
def test_an_output_is_found_by_name(asked: str, names: tuple[str, ...], found: str | None) -> None:
    assert find_output(asked, names) == found


def test_case_is_ignored_and_joy_is_happiness(folders: dict[str, Path], engine: Engine) -> None:
    with engine.model(f"hf:{folders['emotions']}", device="cpu") as model:
        joy = model.score(TEXTS, "joy")
        np.testing.assert_array_equal(model.score(TEXTS, "Happiness"), joy)
        np.testing.assert_array_equal(model.score(TEXTS, "ANGER"), model.score(TEXTS, "anger"))
        with pytest.raises(
            QuestionError, match=r"'sadness'; it has 'anger', 'joy', 'fear'\. Ask for one of them$"
        ):
            model.score(TEXTS, "sadness")


def test_the_activation_is_as_stated(folders: dict[str, Path], engine: Engine) -> None:
    found = {}
    for activation in (None, "none", "sigmoid", "softmax"):
        options = {} if activation is None else {"activation": activation}
        with engine.model(f"hf:{folders['emotions']}", device="cpu", **options) as model:
            found[activation] = np.stack([model.score(TEXTS, name) for name in ("anger", "joy", "fear")])
            assert activation is None or {"none": "raw"}.get(activation, activation) in str(
                model.identity.facts["outputs"]
            )
    raw = found["none"]
    np.testing.assert_allclose(found["sigmoid"], 1 / (1 + np.exp(-raw)), rtol=1e-12)
    np.testing.assert_allclose(found["softmax"], np.exp(raw) / np.exp(raw).sum(axis=0), rtol=1e-12)
    np.testing.assert_array_equal(found[None], found["softmax"])


def test_one_output_is_its_raw_value_where_the_pipeline_takes_the_sigmoid(
    folders: dict[str, Path], engine: Engine
) -> None:
    pipeline = transformers.pipeline("text-classification", str(folders["one"]), device="cpu")
    theirs = [one["score"] for one in pipeline(list(TEXTS))]
    ref = f"hf:{folders['one']}"
    with (
        engine.model(ref, device="cpu") as raw,
        engine.model(ref, device="cpu", activation="sigmoid") as sigmoid,
    ):
        np.testing.assert_allclose(sigmoid.score(TEXTS, "score"), theirs, atol=1e-6)
        np.testing.assert_allclose(
            sigmoid.score(TEXTS, "score"), 1 / (1 + np.exp(-raw.score(TEXTS, "score"))), rtol=1e-12
        )


def test_outputs_without_names_are_named_by_an_option(folders: dict[str, Path], engine: Engine) -> None:
    with engine.model(f"hf:{folders['one']}", device="cpu") as unnamed:
        plain = unnamed.score(TEXTS, "score")
        with pytest.raises(
            QuestionError, match=r"no output 'anger'; it has 'score'.* 'model.labels=\[\"anger\"\]'"
        ):
            unnamed.score(TEXTS, "anger")
    with engine.model(f"hf:{folders['one']}", device="cpu", labels=["anger"]) as named:
        assert named.identity.quantities == ("anger",)
        np.testing.assert_array_equal(named.score(TEXTS, "anger"), plain)
    with (
        engine.model(f"hf:{folders['two']}", device="cpu") as unnamed,
        pytest.raises(
            QuestionError, match=r"it has 'LABEL_0', 'LABEL_1'.* 'model.labels=\[\"fear\", \"…\"\]'"
        ),
    ):
        unnamed.score(TEXTS, "fear")


@pytest.mark.parametrize(
    ("folder", "options", "message"),
    [
        ("two", {"labels": ("fear",)}, r"has 2 outputs, and the option labels names 1 \(fear\)"),
        ("two", {"labels": ("fear", "fear")}, "which must be as many and all different"),
        ("one", {"activation": "softmax"}, "one output, whose softmax is 1 for every text"),
        ("one", {"activation": "tanh"}, "activation"),
    ],
)
def test_options_that_do_not_fit_the_head(
    folder: str, options: dict[str, Any], message: str, folders: dict[str, Path], engine: Engine
) -> None:
    with pytest.raises(OptionsError, match=message):
        engine.model(f"hf:{folders[folder]}", device="cpu", **options)


def test_a_model_without_a_head_has_no_such_options(tmp_path: Path, engine: Engine) -> None:
    folder = tiny.save_model("bert-uncased", tmp_path / "masked", 1)
    with pytest.raises(
        OptionsError, match="has no sequence head, so that labels and activation would mean nothing"
    ):
        engine.model(f"hf:{folder}", labels=("anger",), activation="none")
