"""Every masked log-probability against the obvious one: one masked text at a time, no padding, all logits."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from safetensors.torch import load_file, save_file  # noqa: E402

from biascore import Engine  # noqa: E402
from biascore.api.queries import Masked, Span, TokenLogprobs  # noqa: E402
from biascore.errors import AnswerError, CapabilityError, ModelLoadError, QuestionError  # noqa: E402

from ...builders import tiny  # noqa: E402

KINDS = tiny.MASKED
QUICK = [pytest.param(kind, marks=[] if kind in tiny.QUICK else [pytest.mark.slow]) for kind in KINDS]
Answer = tuple[str, Span, float]

ENGINEER = "The engineer finished her work before he left the office, and nobody noticed it."
CITY = "La dottoressa è andata in città con l'ingegnere più anziano"
SPACED = "  A NURSE\tand\na  programmer  "
EMOJI = "Queen 😀 and 👩🏽‍🔬 waved, unbelievable!"
GERMAN = "Die Ärztin grüßt den Krankenpfleger auf der Straße"
COMBINING = "Cafe\u0301 naïve nurse, ﬁne İstanbul"
TEXTS = [ENGINEER, CITY, SPACED, EMOJI, GERMAN, COMBINING, "nurse", "È", "queen " * 12]


NOTHING = TokenLogprobs((), (), ())


def span(text: str, word: str) -> Span:
    start = text.index(word)
    return start, start + len(word)


def spans(text: str, *words: str) -> tuple[Span, ...]:
    return tuple(span(text, word) for word in words)


QUERIES = [
    Masked(ENGINEER, ((ENGINEER.index(" he ") + 1, ENGINEER.index(" he ") + 3),)),
    Masked(ENGINEER, spans(ENGINEER, "engineer")),
    Masked(ENGINEER, spans(ENGINEER, "he left"), also=spans(ENGINEER, "engineer")),
    Masked(ENGINEER, spans(ENGINEER, "nobody", "The", "office")),
    Masked(
        ENGINEER, spans(ENGINEER, "nobody", "work"), also=spans(ENGINEER, "work", "left"), one_at_a_time=True
    ),
    Masked(ENGINEER, spans(ENGINEER, "gin")),
    Masked(ENGINEER, spans(ENGINEER, "engineer", "gine", "engineer finished")),
    Masked(CITY, spans(CITY, "città")),
    Masked(CITY, spans(CITY, "è")),
    Masked(CITY, spans(CITY, "ingegnere"), also=spans(CITY, "dottoressa", "più")),
    Masked(CITY, spans(CITY, "dottoressa"), one_at_a_time=True),
    Masked(SPACED, spans(SPACED, "NURSE")),
    Masked(SPACED, spans(SPACED, "programmer"), also=spans(SPACED, "A")),
    Masked(EMOJI, spans(EMOJI, "😀")),
    Masked(EMOJI, spans(EMOJI, "waved"), also=spans(EMOJI, "👩🏽‍🔬")),
    Masked(EMOJI, spans(EMOJI, "unbelievable")),
    Masked(GERMAN, spans(GERMAN, "Ärztin", "Straße")),
    Masked(COMBINING, spans(COMBINING, "Cafe\u0301", "naïve")),
    Masked(COMBINING, spans(COMBINING, "ﬁne"), also=spans(COMBINING, "İstanbul")),
    *(Masked(text, None) for text in TEXTS),
    *(Masked(text, None, one_at_a_time=True) for text in TEXTS),
    *(Masked(text, None, also=((0, 3),), one_at_a_time=True) for text in TEXTS if len(text) > 3),
]

# Texts whose words can be told from the strings of their tokens alone, see opens_a_word
L2R_TEXTS = [
    "The engineer finished her work before he left the office",
    "La dottoressa andata con ingegnere anziano",
    "Krankenpfleger unbelievable mathematics programmer",
    "nurse carpenter nurse",
]
L2R = [
    *(Masked(text, None, one_at_a_time=True, pll="within_word_l2r") for text in L2R_TEXTS),
    Masked(
        L2R_TEXTS[0],
        spans(L2R_TEXTS[0], "engineer", "office"),
        also=spans(L2R_TEXTS[0], "before"),
        one_at_a_time=True,
        pll="within_word_l2r",
    ),
    Masked(L2R_TEXTS[2], spans(L2R_TEXTS[2], "believ"), one_at_a_time=True, pll="within_word_l2r"),
]


@pytest.fixture(scope="module")
def masked_folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A saved masked language model of each family, with random weights."""
    root = tmp_path_factory.mktemp("masked")
    return {kind: tiny.save_model(kind, root / kind, seed) for seed, kind in enumerate(KINDS)}


@pytest.fixture(scope="module")
def obvious(masked_folders: dict[str, Path]) -> Callable[[str, Masked], list[Answer]]:
    """``obvious(kind, query)``: token, offsets and log-probability of each hidden token, in plain transformers."""

    @cache
    def opened(kind: str) -> tuple[Any, Any]:
        folder = masked_folders[kind]
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        return tokenizer, transformers.AutoModelForMaskedLM.from_pretrained(
            folder, dtype=torch.float32
        ).eval()

    @cache
    def all_logprobs(kind: str, text: str, hidden: frozenset[int]) -> Any:
        tokenizer, model = opened(kind)
        inputs = tokenizer(text, return_tensors="pt")
        inputs["input_ids"][0, list(hidden)] = tokenizer.mask_token_id
        with torch.no_grad():
            return torch.log_softmax(model(**inputs).logits[0].double(), dim=-1)

    def answer(kind: str, query: Masked) -> list[Answer]:
        encoding = opened(kind)[0](query.text, return_offsets_mapping=True)
        ids, offsets = encoding["input_ids"], encoding["offset_mapping"]
        tokens = opened(kind)[0].convert_ids_to_tokens(ids)
        own = range(1, len(ids) - 1)  # between [CLS] and [SEP]

        def under(some: tuple[Span, ...]) -> set[int]:
            meant = {i for one in some for i in range(*one) if not query.text[i].isspace()}
            covering = {i for i in own if tokens[i] != "▁" and meant & set(range(*offsets[i]))}
            return covering | {i - 1 for i in covering if tokens[i - 1] == "▁"}  # the boundary that opens it

        asked = sorted(own if query.spans is None else under(query.spans))
        assert asked
        answers = []
        for i in asked:
            hidden = {i} if query.one_at_a_time else set(asked)
            later = i + 1
            while query.pll == "within_word_l2r" and later in own and not opens_a_word(kind, tokens[later]):
                hidden.add(later)
                later += 1
            table = all_logprobs(kind, query.text, frozenset(hidden | under(query.also)))
            answers.append((tokens[i], offsets[i], float(table[i, ids[i]])))
        return answers

    return answer


def opens_a_word(kind: str, token: str) -> bool:
    """Whether a token that is not the first opens a word, in texts of words with one space between."""
    opening = {"roberta": "Ġ", "albert": "▁", "xlm-roberta": "▁"}.get(kind)
    return token.startswith(opening) if opening else not token.startswith("##")


def check(got: tuple[TokenLogprobs, ...], wanted: list[list[Answer]]) -> None:
    assert len(got) == len(wanted)
    for answer, expected in zip(got, wanted, strict=True):
        assert answer.tokens == tuple(token for token, _, _ in expected)
        assert answer.offsets == tuple(offsets for _, offsets, _ in expected)
        assert all(type(p) is float for p in answer.logprobs)
        np.testing.assert_allclose(answer.logprobs, [p for _, _, p in expected], rtol=0, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_white_space_at_the_ends_of_a_span_hides_nothing_more(
    kind: str, masked_folders: dict[str, Path], shared: Any
) -> None:
    start, end = span(ENGINEER, "before")
    backend = shared(masked_folders[kind])
    exact, wide = backend.mask_logprob(
        (Masked(ENGINEER, ((start, end),)), Masked(ENGINEER, ((start - 1, end + 1),)))
    )
    assert wide == exact
    assert backend.mask_logprob((Masked(ENGINEER, ((end, end + 1),)),)) == (NOTHING,)


@pytest.mark.parametrize(
    ("kind", "sequences"),
    [
        pytest.param(
            kind, size, marks=[pytest.mark.slow] if size == 1 or (size > 7 and kind not in tiny.QUICK) else []
        )
        for kind in KINDS
        for size in (1, 7, 64)
    ],
)
def test_every_logprob_equals_the_obvious_one(
    kind: str, sequences: int, masked_folders: dict[str, Path], shared: Any, obvious: Any
) -> None:
    """All queries in one call, shuffled and some twice, from one masked text a batch to 64 of the longest."""
    order = np.random.default_rng(sequences).permutation(len(QUERIES))
    if kind not in tiny.QUICK and sequences == 7:
        order = order[::3]  # all with its other sizes, which are slow
    queries = [QUERIES[i] for i in order] + [QUERIES[i] for i in order[::5]]
    backend = shared(masked_folders[kind], batch_tokens=1 if sequences == 1 else sequences * tiny.CONTEXT)
    got = backend.mask_logprob(tuple(queries))
    check(got, [obvious(kind, query) for query in queries])
    assert backend.mask_logprob(tuple(queries)) == got


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_asked_alone_has_the_same_answer(
    kind: str, masked_folders: dict[str, Path], shared: Any, obvious: Any
) -> None:
    backend = shared(masked_folders[kind])
    for query in QUERIES[:19]:
        check(backend.mask_logprob((query,)), [obvious(kind, query)])
    assert backend.mask_logprob(()) == ()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sequences", [1, 64])
def test_later_tokens_of_the_word_are_hidden_too(
    kind: str, sequences: int, masked_folders: dict[str, Path], shared: Any, obvious: Any
) -> None:
    """PLL-word-l2r of Kauf & Ivanova (2023), with the words told by the spelling of the tokens."""
    backend = shared(masked_folders[kind], batch_tokens=1 if sequences == 1 else sequences * tiny.CONTEXT)
    mixed = [*L2R, *(Masked(text, None, one_at_a_time=True) for text in L2R_TEXTS)]
    got = backend.mask_logprob(tuple(mixed))
    check(got, [obvious(kind, query) for query in mixed])
    # The tiny vocabularies split words, so that the two estimators differ
    for adapted, original in zip(got[: len(L2R_TEXTS)], got[len(L2R) :], strict=True):
        assert adapted.tokens == original.tokens
        assert not np.allclose(adapted.logprobs, original.logprobs, rtol=0, atol=1e-2)


@pytest.mark.parametrize("kind", KINDS)
def test_a_word_of_several_tokens_is_hidden_at_once_and_summed(
    kind: str, masked_folders: dict[str, Path], shared: Any, obvious: Any
) -> None:
    query = Masked(ENGINEER, spans(ENGINEER, "engineer"))
    one_by_one = Masked(ENGINEER, spans(ENGINEER, "engineer"), one_at_a_time=True)
    together, apart = shared(masked_folders[kind]).mask_logprob((query, one_by_one))
    assert len(together.tokens) > 1
    assert together.tokens == apart.tokens
    assert together.total == pytest.approx(sum(p for *_, p in obvious(kind, query)), abs=1e-4)
    assert not np.allclose(together.logprobs, apart.logprobs, rtol=0, atol=1e-2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("text", "word"),
    [(ENGINEER, "nobody"), (CITY, "città"), (SPACED, "programmer"), (EMOJI, "waved"), (GERMAN, "Straße")],
)
def test_the_answer_is_the_word_meant(
    kind: str, text: str, word: str, masked_folders: dict[str, Path], shared: Any
) -> None:
    """Independent of the tokenizer's offsets: the tokens of the answer spell the word."""
    backend = shared(masked_folders[kind])
    (answer,) = backend.mask_logprob((Masked(text, spans(text, word)),))
    spelt = backend._reader.tokenizer.convert_tokens_to_string(list(answer.tokens)).replace(" ", "")
    plain = {"à": "a", "ß": "ß"}
    folded = word if kind in ("bert-cased", "roberta", "xlm-roberta") else word.lower()
    accents = kind not in ("bert-cased", "roberta", "xlm-roberta")
    assert spelt == (folded.translate(str.maketrans(plain)) if accents else folded)
    assert all(0 <= start <= end <= len(text) for start, end in answer.offsets)
    assert {i for one in answer.offsets for i in range(*one)} - {span(text, word)[0] - 1} == set(
        range(*span(text, word))
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_span_on_characters_that_the_tokenizer_drops_has_an_answer_without_tokens(
    kind: str, masked_folders: dict[str, Path], shared: Any
) -> None:
    backend = shared(masked_folders[kind])
    text = "The nurse  left the office"
    beside = Masked(text, spans(text, "nurse"), also=((9, 11),))
    nurse, dropped, hidden_beside, one_of_two = backend.mask_logprob(
        (Masked("nurse", None), Masked(text, ((9, 11),)), beside, Masked(text, ((4, 9), (9, 11))))
    )
    assert nurse.tokens
    assert dropped == hidden_beside == one_of_two == NOTHING
    if kind not in ("roberta", "albert", "xlm-roberta"):
        assert backend.mask_logprob((Masked("a nur\u200dse", ((5, 6),)),)) == (NOTHING,)


def test_the_engine_refuses_it_unless_it_is_asked_to_tell(masked_folders: dict[str, Path]) -> None:
    text = "The nurse  left the office"
    queries = [Masked(text, spans(text, "nurse")), Masked(text, spans(text, "nurse"), also=((9, 11),))]
    with Engine(cache=None).model(f"hf:{masked_folders['bert-cased']}") as model:
        with pytest.raises(QuestionError, match="no sub-token covers 'nurse', '  ' of 'The nurse  left"):
            model.mask_logprob(queries)
        kept, dropped = model.mask_logprob(queries, unread="empty")
    assert kept.tokens
    assert dropped == NOTHING


@pytest.mark.parametrize("kind", KINDS)
def test_texts_that_the_model_cannot_take_are_refused(
    kind: str, masked_folders: dict[str, Path], shared: Any, obvious: Any
) -> None:
    backend = shared(masked_folders[kind])
    tokenizer = backend._reader.tokenizer
    word = next(w for w in ("a", "the", "e", "o") if len(tokenizer(w)["input_ids"]) == 3)
    fits = " ".join([word] * 200)
    while len(tokenizer(fits, verbose=False)["input_ids"]) > tiny.CONTEXT:
        fits = fits[: -1 - len(word)]
    assert len(tokenizer(fits)["input_ids"]) > tiny.CONTEXT - 3
    query = Masked(fits, ((0, 1),))
    check(backend.mask_logprob((query,)), [obvious(kind, query)])
    too_long = f"{fits} {word} {word} {word}"
    with pytest.raises(QuestionError, match=rf"{too_long[:40]}.* takes {tiny.CONTEXT}"):
        backend.mask_logprob((Masked("nurse", None), Masked(too_long, ((0, 1),))))
    for blank in ("", "  \t"):
        with pytest.raises(QuestionError, match=repr(blank).replace("\\", "\\\\")):
            backend.mask_logprob((Masked(blank, None),))


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_model_is_found_out_at_the_text(
    kind: str, masked_folders: dict[str, Path], opened: Any, tmp_path: Path
) -> None:
    """A position that is NaN harms only the texts that reach it."""
    folder = Path(shutil.copytree(masked_folders[kind], tmp_path / kind))
    weights = load_file(folder / "model.safetensors")
    (name,) = [key for key in weights if key.endswith("position_embeddings.weight")]
    weights[name][25] = float("nan")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    backend = opened(folder)
    assert np.isfinite(backend.mask_logprob((Masked("nurse", None),))[0].total)
    long = "unbelievable mathematics " * 3
    with pytest.raises(AnswerError, match="unbelievable mathematics"):
        backend.mask_logprob(
            (Masked("nurse", None), Masked(long, None, one_at_a_time=True), Masked("È", None))
        )


@pytest.mark.parametrize("kind", QUICK)
def test_the_same_question_through_the_engine(
    kind: str, masked_folders: dict[str, Path], obvious: Any
) -> None:
    with Engine(cache=None).model(f"hf:{masked_folders[kind]}") as model:
        assert {"embed", "mask_logprob"} <= model.capabilities
        assert "score" not in model.capabilities
        check(model.mask_logprob(QUERIES), [obvious(kind, query) for query in QUERIES])
        with pytest.raises(CapabilityError, match=r"cannot score; it can embed, mask_logprob"):
            model.score(["nurse"], "log_likelihood")


@pytest.mark.slow
def test_logits_that_do_not_fit_into_memory_at_once_are_computed_in_parts(
    masked_folders: dict[str, Path], opened: Any, obvious: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("biascore_adapters.hf.head.MAX_LOGITS", 500)  # some three positions
    answers = opened(masked_folders["roberta"]).mask_logprob(tuple(QUERIES))
    check(answers, [obvious("roberta", query) for query in QUERIES])


@torch.inference_mode()
def test_the_head_answers_in_the_order_that_it_is_asked_in_and_nothing_to_nothing(
    masked_folders: dict[str, Path], opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = opened(masked_folders["roberta"], device="cpu")._runtime._vocabulary
    states = torch.randn(7, 32, generator=torch.Generator().manual_seed(1))
    wanted = [(5, 3), (0, 9), (5, 9), (6, 3), (0, 3)]
    whole = head.log_probabilities(states, wanted)
    each = [head.log_probabilities(states[row : row + 1], [(0, token)])[0] for row, token in wanted]
    np.testing.assert_allclose(whole, each, atol=1e-5)
    monkeypatch.setattr("biascore_adapters.hf.head.MAX_LOGITS", 1)  # a row at a time
    np.testing.assert_allclose(head.log_probabilities(states, wanted), each, atol=1e-5)
    assert head.log_probabilities(states[:0], []) == []


def test_a_model_without_a_vocabulary_head_says_what_it_can(folders: dict[str, Path]) -> None:
    for kind in ("bert-uncased", "xlm-roberta"):
        with (
            Engine(cache=None).model(f"hf:{folders[kind]}") as model,
            pytest.raises(CapabilityError, match=r"cannot mask_logprob; it can embed\b"),
        ):
            model.mask_logprob([Masked("nurse", None)])


def test_a_tokenizer_without_a_mask_is_refused(
    masked_folders: dict[str, Path], opened: Any, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(masked_folders["bert-uncased"], tmp_path / "bert"))
    path = folder / "tokenizer_config.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({k: v for k, v in settings.items() if k != "mask_token"}), encoding="utf-8")
    with pytest.raises(ModelLoadError, match="mask token"):
        opened(folder)


@pytest.mark.parametrize("kind", QUICK)
def test_half_precision_is_near(
    kind: str, masked_folders: dict[str, Path], shared: Any, obvious: Any
) -> None:
    # The log-softmax at least must not be taken in 16 bits, whose steps near -8 are 1/16.
    got = shared(masked_folders[kind], dtype="bfloat16").mask_logprob(tuple(QUERIES))
    pairs = zip(got, QUERIES, strict=True)
    expected = [(answer.logprobs, obvious(kind, query)) for answer, query in pairs]
    errors = [abs(p - q) for own, all_ in expected for p, (*_, q) in zip(own, all_, strict=True)]
    assert 0 < max(errors) < 0.5
    assert np.mean(errors) < 0.08
