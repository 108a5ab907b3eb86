"""The vectors of sentence-transformers folders against ``encode()`` of the library itself."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore.api.queries import Text
from biascore.errors import ModelLoadError, QuestionError

from .conftest import change

# To import the library alone takes longer than all the tests here, so that it is done where they are not deselected.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
]

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

SENTENCES = [
    "nurse",
    "The engineer finished her work before he left the office.",
    "  A   NURSE\tand a\nprogrammer  ",
    "La dottoressa è andata in città.",
    "queen " * 20,
    "x",
]
MODES = ("cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken")
Encoded = Callable[..., Any]
Build = Callable[..., Path]
Opened = Callable[..., Any]


@pytest.fixture(scope="module")
def library() -> Any:
    return pytest.importorskip("sentence_transformers", reason="needs biascore[dev]")


@pytest.fixture
def encoded(library: Any) -> Encoded:
    """``encoded(folder, texts)``: what ``encode()`` gives."""

    def encode(folder: Path, texts: list[str] | None = None) -> Any:
        return library.SentenceTransformer(str(folder), device="cpu").encode(texts or SENTENCES)

    return encode


@pytest.fixture
def built(library: Any, folders: dict[str, Path], tmp_path: Path) -> Iterator[Build]:
    """``built(kind, pooling, *later, **settings)``: a folder that the library saves."""

    def make(
        kind: str, pooling: Any = "mean", *later: Any, include_prompt: bool = True, **settings: Any
    ) -> Path:
        models = library.sentence_transformer.modules
        transformer = models.Transformer(str(folders[kind]))
        transformer.tokenizer.pad_token = transformer.tokenizer.pad_token or transformer.tokenizer.eos_token
        pool = models.Pooling(32, pooling, include_prompt=include_prompt)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(7)
            modules = [transformer, pool, *(module(models) for module in later)]
        library.SentenceTransformer(modules=modules, device="cpu", **settings).save(
            str(tmp_path / "saved"), create_model_card=False
        )
        return tmp_path / "saved"

    transformers.utils.logging.disable_progress_bar()
    yield make
    transformers.utils.logging.enable_progress_bar()


def vectors(backend: Any, texts: list[str] | None = None) -> Any:
    return backend.embed(tuple(Text(text) for text in texts or SENTENCES), "sentence")


def normalize(models: Any) -> Any:
    return models.Normalize()


@pytest.mark.parametrize(
    ("kind", "pooling"),
    [
        *(("bert-uncased", mode) for mode in MODES),
        ("gpt2", "weightedmean"),
        ("roberta", ("cls", "max", "mean")),
    ],
)
def test_every_pooling_is_the_librarys(
    kind: str, pooling: Any, built: Build, opened: Opened, encoded: Encoded
) -> None:
    folder = built(kind, pooling)
    backend = opened(folder)
    np.testing.assert_allclose(vectors(backend), encoded(folder), rtol=1e-6, atol=2e-6)
    assert "as the sentence-transformers folder declares" in backend.identity.sentence_vector
    # Words have no such rule, and keep the width of the states.
    assert backend.embed((Text.word("nurse"),), "token").shape == (1, 32)


@pytest.mark.parametrize("activation", ["Tanh", "Identity", "ReLU", "GELU", "SiLU", "Sigmoid"])
def test_the_modules_behind_the_pooling_are_computed(
    activation: str, built: Build, opened: Opened, encoded: Encoded
) -> None:
    folder = built(
        "bert-uncased",
        "mean",
        lambda models: models.Dense(32, 48, bias=False, activation_function=getattr(torch.nn, activation)()),
        lambda models: models.Dense(48, 16, activation_function=torch.nn.Identity(), use_residual=True),
        lambda models: models.LayerNorm(16),
        lambda models: models.Dropout(0.5),
        normalize,
    )
    backend = opened(folder)
    assert backend.identity.facts["sentence"] == (
        f"mean, Dense (32 to 48, {activation}), Dense (48 to 16, Identity, with its input added), LayerNorm, "
        "Normalize (length 1)"
    )
    np.testing.assert_allclose(vectors(backend), encoded(folder), rtol=1e-6, atol=2e-6)


@pytest.mark.parametrize("include", [True, False])
@pytest.mark.parametrize("pooling", ["mean", "weightedmean", "cls"])
def test_the_default_prompt_is_put_before_a_sentence(
    include: bool, pooling: str, built: Build, opened: Opened, encoded: Encoded
) -> None:
    prompts = {"query": "The Nurse and: ", "passage": ""}
    folder = built(
        "bert-uncased", pooling, prompts=prompts, default_prompt_name="query", include_prompt=include
    )
    backend = opened(folder)
    np.testing.assert_allclose(vectors(backend), encoded(folder), rtol=1e-6, atol=2e-6)
    assert "'The Nurse and: '" in backend.identity.sentence_vector
    assert not np.allclose(vectors(backend), vectors(opened(folder, sentence="mean")), atol=1e-3)
    with pytest.raises(QuestionError, match="is blank"):
        vectors(backend, [" "])
    assert np.isnan(vectors(opened(folder), ["漢字"])).all(), "the prompt's words do not make a text known"


def test_lower_case_holds_for_words_too(built: Build, opened: Opened, encoded: Encoded) -> None:
    folder = built("bert-cased", "mean")
    change(folder / "sentence_bert_config.json", do_lower_case=True)
    backend = opened(folder)
    np.testing.assert_allclose(
        vectors(backend, ["NURSE", "nurse"]), encoded(folder, ["NURSE", "nurse"]), atol=2e-6
    )
    upper, lower = backend.embed((Text("a NURSE", (2, 7)), Text("a nurse", (2, 7))), "token")
    np.testing.assert_array_equal(upper, lower)
    plain = opened(folder, sentence="mean").embed((Text("a NURSE", (2, 7)), Text("a nurse", (2, 7))), "token")
    assert not np.array_equal(*plain), "the transformer alone reads capitals"


def test_what_encode_would_cut_is_refused_or_cut_with_a_warning(
    built: Build, opened: Opened, encoded: Encoded
) -> None:
    folder = built(
        "bert-uncased",
        "mean",
    )
    change(folder / "sentence_bert_config.json", max_seq_length=16)
    backend = opened(folder)
    assert backend.identity.facts["sentence_tokens"] == 16
    with pytest.raises(
        QuestionError,
        match=r"'The engineer.*would cut it at 16\..*long_texts='cut'.*sentence='mean'.*takes 128",
    ):
        vectors(backend)
    assert vectors(opened(folder, sentence="mean")).shape == (6, 32)
    assert backend.embed((Text("queen " * 20, (0, 5)),), "token").shape == (1, 32)
    cut = opened(folder, long_texts="cut")
    assert cut.identity.facts["long_texts"] == "cut"
    with pytest.warns(
        UserWarning, match=r"^[34] of 6 texts are longer than 16 tokens and were cut.*'The engineer"
    ):
        found = vectors(cut)
    np.testing.assert_allclose(found, encoded(folder), rtol=1e-6, atol=2e-6)


def test_truncated_vectors(built: Build, opened: Opened, encoded: Encoded) -> None:
    folder = built("bert-uncased", "mean", normalize)
    change(folder / "config_sentence_transformers.json", truncate_dim=8)
    np.testing.assert_allclose(vectors(opened(folder)), encoded(folder), rtol=1e-6, atol=2e-6)
    assert vectors(opened(folder)).shape == (6, 8)


def old_layout(folder: Path) -> Path:
    """As the library wrote it before version 1: the transformer in a folder of its own."""
    inner = folder / "0_Transformer"
    inner.mkdir()
    for file in [file for file in folder.iterdir() if file.is_file()]:
        if file.name not in ("modules.json", "config_sentence_transformers.json"):
            shutil.move(file, inner / file.name)
    modules = json.loads((folder / "modules.json").read_text())
    modules[0]["path"] = inner.name
    for module in modules:
        module["type"] = "sentence_transformers.models." + module["type"].rpartition(".")[2]
    (folder / "modules.json").write_text(json.dumps(modules))
    return inner


def test_the_old_layout_and_the_folder_inside_it(built: Build, opened: Opened, encoded: Encoded) -> None:
    folder = built("bert-uncased", "mean", lambda models: models.Dense(32, 16), normalize)
    inner = old_layout(folder)
    np.testing.assert_allclose(vectors(opened(folder)), encoded(folder), rtol=1e-6, atol=2e-6)
    with pytest.raises(
        ModelLoadError, match=rf"Name that folder: {folder}; or set the option sentence='cls'"
    ):
        opened(inner)
    assert opened(inner, sentence="mean").identity.sentence_vector.endswith("as asked")
    # The modules behind the transformer are part of what identifies the model.
    before = opened(folder).identity.digest
    change(folder / "2_Dense" / "config.json", activation_function="torch.nn.modules.linear.Identity")
    assert opened(folder).identity.digest != before


def test_a_t5_encoder(
    folders: dict[str, Path], tmp_path: Path, opened: Opened, encoded: Encoded, library: Any
) -> None:
    models = library.sentence_transformer.modules
    sizes: dict[str, Any] = {"d_model": 32, "d_kv": 8, "d_ff": 16, "num_layers": 2, "num_heads": 4}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        model = transformers.T5EncoderModel(transformers.T5Config(vocab_size=200, **sizes))
    model.save_pretrained(tmp_path / "t5")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(folders["xlm-roberta"] / name, tmp_path / "t5")
    modules = [models.Transformer(str(tmp_path / "t5")), models.Pooling(32), models.Dense(32, 24, bias=False)]
    library.SentenceTransformer(modules=modules, device="cpu").save(
        str(tmp_path / "gtr"), create_model_card=False
    )
    backend = opened(tmp_path / "gtr")
    assert backend.identity.facts["architecture"] == "T5EncoderModel"
    np.testing.assert_allclose(vectors(backend), encoded(tmp_path / "gtr"), rtol=1e-6, atol=2e-6)


def test_weights_as_pickle_or_in_bfloat16(built: Build, opened: Opened, encoded: Encoded) -> None:
    from safetensors.torch import load_file, save_file

    folder = built("bert-uncased", "mean", lambda models: models.Dense(32, 16))
    file = folder / "2_Dense" / "model.safetensors"
    weights = {name: tensor.bfloat16() for name, tensor in load_file(file).items()}
    save_file(weights, file)
    wanted = encoded(folder)
    np.testing.assert_allclose(vectors(opened(folder)), wanted, rtol=1e-6, atol=2e-6)
    torch.save(weights, folder / "2_Dense" / "pytorch_model.bin")
    file.unlink()
    with pytest.raises(ModelLoadError, match=r"2_Dense has its weights only as pickle.*allow_pickle=true"):
        opened(folder)
    np.testing.assert_allclose(vectors(opened(folder, allow_pickle=True)), wanted, rtol=1e-6, atol=2e-6)


def test_a_cross_encoder_has_its_scores(
    folders: dict[str, Path], tmp_path: Path, opened: Opened, library: Any
) -> None:
    model = library.CrossEncoder(str(folders["bert-uncased"]), num_labels=1, device="cpu")
    model.save_pretrained(str(tmp_path / "cross"))
    backend = opened(tmp_path / "cross")
    assert backend.identity.quantities
    assert backend.identity.sentence_vector.endswith("by architecture")
