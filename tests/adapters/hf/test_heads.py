"""Every output of a sequence head against the obvious one: one text at a time, no padding, in plain transformers."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from safetensors.torch import load_file, save_file  # noqa: E402

from biascore import Engine  # noqa: E402
from biascore.api.queries import Masked, Text  # noqa: E402
from biascore.errors import AnswerError, CapabilityError, QuestionError  # noqa: E402

from ...builders import tiny  # noqa: E402

VALENCE = {"num_labels": 1, "id2label": {0: "valence"}, "label2id": {"valence": 0}}
HEADS: dict[str, tuple[str, dict[str, Any]]] = {
    "emotions": ("bert-uncased", tiny.EMOTIONS),
    "emotions, said to be single": (
        "roberta",
        tiny.EMOTIONS | {"problem_type": "single_label_classification"},
    ),
    "toxicity": ("distilbert", tiny.EMOTIONS | {"problem_type": "multi_label_classification"}),
    "two unnamed": ("electra", {"num_labels": 2}),
    "valence": ("bert-cased", VALENCE),
    "valence, said to be regression": ("albert", VALENCE | {"problem_type": "regression"}),
    "unnamed regression": ("xlm-roberta", {"num_labels": 1}),
    "regression of three": ("bert-cased", tiny.EMOTIONS | {"problem_type": "regression"}),
    "one label, yes or no": ("bert-cased", VALENCE | {"problem_type": "multi_label_classification"}),
    "decoder": ("gpt2", tiny.EMOTIONS | {"pad_token_id": 5}),
    "decoder without padding": ("llama", tiny.EMOTIONS),
}
NAMES = {
    "two unnamed": ("LABEL_0", "LABEL_1"),
    "unnamed regression": ("score",),
    "valence": ("valence",),
    "valence, said to be regression": ("valence",),
    "one label, yes or no": ("valence",),
}
TEXTS = [
    "The engineer finished her work before he left the office.",
    "La dottoressa è andata in città con l'ingegnere",
    "  A NURSE\tand\na  programmer  ",
    "Queen 😀 and 👩🏽‍🔬 waved!",
    "nurse",
    "queen " * 8,
    "She is angry.",
    "He is angry.",
]


@pytest.fixture(scope="module")
def head_folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A saved model with a random head of each sort."""
    auto = transformers.AutoModelForSequenceClassification
    root = tmp_path_factory.mktemp("heads")
    return {
        head: tiny.save_model(kind, root / head.replace(",", ""), seed, auto, **config)
        for seed, (head, (kind, config)) in enumerate(HEADS.items())
    }


@pytest.fixture(scope="module")
def logits(head_folders: dict[str, Path]) -> Callable[[str, str], list[float]]:
    """``logits(head, text)``: what the head of the model puts out, in plain transformers."""

    @lru_cache
    def opened(head: str) -> tuple[Any, Any]:
        folder = head_folders[head]
        model = transformers.AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32)
        return transformers.AutoTokenizer.from_pretrained(folder), model.eval()

    def run(head: str, text: str) -> list[float]:
        tokenizer, model = opened(head)
        with torch.no_grad():
            return [float(value) for value in model(**tokenizer(text, return_tensors="pt")).logits[0]]

    return run


def in_its_unit(head: str, values: list[float]) -> np.ndarray:
    """Softmax, sigmoid or as they are, written out."""
    raw = np.array(values, dtype=np.float64)
    if head in ("toxicity", "one label, yes or no"):
        return 1 / (1 + np.exp(-raw))
    if "regression" in head or "valence" in head:
        return raw
    return np.exp(raw) / np.exp(raw).sum()


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("sequences", [1, pytest.param(3, marks=pytest.mark.slow), 64])
def test_every_output_equals_the_obvious_one(
    head: str, sequences: int, head_folders: dict[str, Path], shared: Any, logits: Any
) -> None:
    names = NAMES.get(head, ("anger", "joy", "fear"))
    order = np.random.default_rng(sequences).permutation(len(TEXTS))
    texts = [*(TEXTS[i] for i in order), *TEXTS[:3]]
    backend = shared(head_folders[head], batch_tokens=1 if sequences == 1 else sequences * tiny.CONTEXT)
    wanted = np.array([in_its_unit(head, logits(head, text)) for text in texts])
    assert wanted.shape == (len(texts), len(names))
    assert np.ptp(wanted, axis=0).min() > 1e-3  # the texts can be told apart
    for column, name in enumerate(names):
        got = backend.score(tuple(texts), name)
        assert got.dtype == np.float64
        np.testing.assert_allclose(got, wanted[:, column], rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(backend.score(tuple(texts), name), got)


@pytest.mark.parametrize("head", HEADS)
def test_an_output_that_is_not_there_is_refused_with_those_that_are(
    head: str, head_folders: dict[str, Path], shared: Any
) -> None:
    backend = shared(head_folders[head])
    names = NAMES.get(head, ("anger", "joy", "fear"))
    for wrong in ("disgust", "log_likelihood", "LABEL_7", ""):
        with pytest.raises(QuestionError) as caught:
            backend.score(("nurse",), wrong)
        assert repr(wrong) in str(caught.value)
        assert all(repr(name) in str(caught.value) for name in names)


@pytest.mark.parametrize(
    ("head", "unit"), [("emotions", "softmax"), ("toxicity", "sigmoid"), ("valence", "raw")]
)
def test_the_outputs_and_their_unit_are_stated(
    head: str, unit: str, head_folders: dict[str, Path], shared: Any
) -> None:
    stated = str(shared(head_folders[head]).identity.facts["outputs"])
    assert unit in stated
    assert all(name in stated for name in NAMES.get(head, ("anger", "joy", "fear")))


def test_softmax_is_stable_for_large_logits(
    head_folders: dict[str, Path], opened: Any, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(head_folders["emotions"], tmp_path / "large"))
    weights = load_file(folder / "model.safetensors")
    weights["classifier.bias"] = torch.tensor([800.0, 0.0, 799.0])
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    backend = opened(folder)
    parts = [backend.score(tuple(TEXTS), name) for name in ("anger", "joy", "fear")]
    np.testing.assert_allclose(sum(parts), 1, rtol=1e-12)
    assert all(np.isfinite(part).all() for part in parts)


def test_texts_that_the_model_cannot_take_are_refused(head_folders: dict[str, Path], shared: Any) -> None:
    backend = shared(head_folders["emotions"])
    with pytest.raises(QuestionError, match="' '"):
        backend.score(("nurse", " "), "anger")
    with pytest.raises(QuestionError, match=rf"x x x.* takes {tiny.CONTEXT}"):
        backend.score(("nurse", "x " * 70), "anger")
    assert backend.score((), "anger").shape == (0,)


def test_a_damaged_model_is_found_out_at_the_text(
    head_folders: dict[str, Path], opened: Any, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(head_folders["emotions"], tmp_path / "damaged"))
    weights = load_file(folder / "model.safetensors")
    (name,) = [key for key in weights if key.endswith("position_embeddings.weight")]
    weights[name][25] = float("nan")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    backend = opened(folder)
    assert np.isfinite(backend.score(("nurse",), "anger")).all()
    with pytest.raises(AnswerError, match="unbelievable mathematics"):
        backend.score(("nurse", "unbelievable mathematics " * 3, "queen"), "anger")


def test_the_configuration_is_left_as_it_was(head_folders: dict[str, Path], opened: Any) -> None:
    """An export reads it: a padding that was chosen for one batch would be taken for the model's own."""
    backend = opened(head_folders["decoder without padding"])
    config = backend._runtime._head._model.config
    assert config.pad_token_id is None
    backend.score(tuple(TEXTS), "anger")
    assert config.pad_token_id is None


def test_a_head_that_reads_the_last_place_of_a_batch_gets_texts_of_equal_length(
    tmp_path: Path, opened: Any
) -> None:
    """XLNet pads on the left, and its head reads the state at the right end whatever stands there."""
    config = transformers.XLNetConfig(
        vocab_size=140, d_model=32, n_layer=1, n_head=4, d_inner=48, num_labels=2, pad_token_id=0
    )
    auto = transformers.AutoModelForSequenceClassification
    tiny.tokenizer_of("llama").save_pretrained(tmp_path)
    tiny.save_random(auto, config, tmp_path, seed=1)
    backend, plain = opened(tmp_path), auto.from_pretrained(tmp_path).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path)
    with torch.no_grad():
        logits = [plain(**tokenizer(text, return_tensors="pt")).logits[0].tolist() for text in TEXTS]
    wanted = [in_its_unit("two", values)[0] for values in logits]
    np.testing.assert_allclose(backend.score(tuple(TEXTS), "LABEL_0"), wanted, atol=1e-5)
    assert "moves the head's outputs" in str(backend.identity.facts["padding"])


@pytest.mark.parametrize("head", ["emotions", "valence", "decoder"])
def test_the_same_through_the_engine(head: str, head_folders: dict[str, Path], logits: Any) -> None:
    name = NAMES.get(head, ("anger",))[0]
    with Engine(cache=None).model(f"hf:{head_folders[head]}") as model:
        assert {"embed", "score"} <= model.capabilities
        wanted = [in_its_unit(head, logits(head, text))[0] for text in TEXTS]
        np.testing.assert_allclose(model.score(TEXTS, name), wanted, rtol=1e-5, atol=1e-5)
        with pytest.raises(CapabilityError, match="cannot mask_logprob; it can embed, score"):
            model.mask_logprob([Masked("nurse", None)])


@pytest.mark.parametrize("head", ["emotions", "toxicity", "decoder"])
def test_embeddings_are_those_of_the_trunk(head: str, head_folders: dict[str, Path], shared: Any) -> None:
    folder = head_folders[head]
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    trunk = transformers.AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    got = shared(folder).embed(tuple(Text(text) for text in TEXTS), "sentence")
    for vector, text in zip(got, TEXTS, strict=True):
        with torch.no_grad():
            states = trunk(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
        np.testing.assert_allclose(
            vector, states[-1 if head == "decoder" else 0].numpy(), rtol=1e-5, atol=1e-5
        )
