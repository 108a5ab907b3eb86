"""GEST on tiny models of every family, against the obvious computation: one text at a time, all logits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore import Engine  # noqa: E402
from biascore_metrics.gest.kind import (  # noqa: E402
    GenderedSample,
    GenderedSamples,
    GenderPairsTest,
    Sample,
    Samples,
    SamplesTest,
    Stereotype,
)

from ...builders import tiny  # noqa: E402

STEREOTYPES = (Stereotype(1, "Weak", "female"), Stereotype(2, "Tough", "male"))
SENTENCES = (
    ("I was very sure of it.", 1),
    ("I left the office!", 1),
    ("I walked home", 2),
    ("The fox and I", 2),
)
ABOUT: dict[str, Any] = {"id": "en/mine", "language": "en", "file": "mine", "sha256": "0" * 64}
TEST = SamplesTest(
    kind="samples",
    samples=Samples("mine", tuple(Sample(*row) for row in SENTENCES), stereotypes=STEREOTYPES),
    **ABOUT,
)
FORMS = (
    ("andato via da solo", "andata via da solo", 1),
    ("ero più anziano", "ero più anziana", 1),
    ("sono il medico", "sono la medica", 1),
    ("sure finished", "sura finished", 2),
    ("très sûr de lui", "très sûre de lui", 2),
    ("walked homo", "walked homa", 2),
)
PAIRS = GenderPairsTest(
    kind="gender-pairs",
    pairs=GenderedSamples("mine", tuple(GenderedSample(*row) for row in FORMS), stereotypes=STEREOTYPES),
    **ABOUT,
)
ONE_WORD = ("he", "she")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("gest")
    kinds = (*tiny.MASKED, *tiny.CAUSAL)
    return {kind: tiny.save_model(kind, root / kind, seed) for seed, kind in enumerate(kinds)}


def masked_logprobs(folder: Path, text: str, hidden: list[int]) -> list[float]:
    """Log-probabilities of the text's own tokens at positions, all of these hidden together."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder, dtype=torch.float32).eval()
    inputs = tokenizer(text, return_tensors="pt")
    own = inputs["input_ids"][0].clone()
    inputs["input_ids"][0, hidden] = tokenizer.mask_token_id
    with torch.no_grad():
        logprobs = model(**inputs).logits[0].log_softmax(-1)
    return [float(logprobs[i, own[i]]) for i in hidden]


def positions(folder: Path, text: str, start: int, end: int) -> list[int]:
    """The sub-tokens of a word, with a word boundary that is a token of its own before it."""
    encoding = transformers.AutoTokenizer.from_pretrained(folder)(text, return_offsets_mapping=True)
    tokens = encoding.tokens()
    own = {
        i
        for i, (a, b) in enumerate(encoding["offset_mapping"])
        if tokens[i] != "▁" and a < end and start < b and text[a:b].strip()
    }
    return sorted(own | {i - 1 for i in own if tokens[i - 1] == "▁"})


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[] if kind in tiny.QUICK else [pytest.mark.slow]) for kind in tiny.MASKED],
)
def test_the_odds_of_he_and_she(saved: dict[str, Path], kind: str) -> None:
    model = Engine(cache=None).model(f"hf:{saved[kind]}")
    found = Engine(cache=None).measure("gest-lm", model, TEST, templates=[3], log_base="e")[0]
    for (sentence, _), value in zip(SENTENCES, found.items_frame()["value"], strict=True):
        logs = []
        for word in ONE_WORD:
            text = f'"{sentence}", {word} said.'
            start = len(sentence) + 4
            logs.append(
                sum(
                    masked_logprobs(saved[kind], text, positions(saved[kind], text, start, start + len(word)))
                )
            )
        assert value == pytest.approx(logs[0] - logs[1], abs=2e-4)


@pytest.mark.slow
@pytest.mark.parametrize("kind", tiny.MASKED)
def test_pairs_that_differ_in_one_token(saved: dict[str, Path], kind: str) -> None:
    """The paper's filter on the tokens of whole sentences, and the score at the one position that differs."""
    found = Engine(cache=None).measure(
        "gest-lm", Engine(cache=None).model(f"hf:{saved[kind]}"), PAIRS, log_base="e"
    )[0]
    tokenizer = transformers.AutoTokenizer.from_pretrained(saved[kind])
    kept = 0
    for (male, female, _), (_, item) in zip(FORMS, found.items_frame().iterrows(), strict=True):
        ids = [tokenizer(text)["input_ids"] for text in (male, female)]
        differ = [i for i, (a, b) in enumerate(zip(*ids, strict=False)) if a != b]
        if male.startswith("sono") or len(ids[0]) != len(ids[1]) or len(differ) != 1:
            assert item["lost"], (male, kind)
        else:
            kept += 1
            m, f = (masked_logprobs(saved[kind], text, differ)[0] for text in (male, female))
            assert item["value"] == pytest.approx(m - f, abs=2e-4), (male, kind)
    assert kept >= 2


@pytest.mark.parametrize("kind", tiny.CAUSAL)
def test_the_odds_of_the_next_word(saved: dict[str, Path], kind: str) -> None:
    model = Engine(cache=None).model(f"hf:{saved[kind]}")
    found = Engine(cache=None).measure("gest-lm", model, TEST, templates=[1], log_base="e")[0]
    tokenizer = transformers.AutoTokenizer.from_pretrained(saved[kind])
    causal = transformers.AutoModelForCausalLM.from_pretrained(saved[kind], dtype=torch.float32).eval()
    for (sentence, _), value in zip(SENTENCES, found.items_frame()["value"], strict=True):
        logs = []
        for word in ONE_WORD:
            ids = tokenizer(f'"{sentence}", {word}')["input_ids"]
            if tokenizer.bos_token_id is not None and ids[0] != tokenizer.bos_token_id:
                ids = [tokenizer.bos_token_id, *ids]
            with torch.no_grad():
                logprobs = causal(torch.tensor([ids])).logits[0].log_softmax(-1)
            beginning = tokenizer(f'"{sentence}",')["input_ids"]
            same = len(beginning) + (len(ids) - len(tokenizer(f'"{sentence}", {word}')["input_ids"]))
            logs.append(sum(float(logprobs[i - 1, ids[i]]) for i in range(same, len(ids))))
        assert value == pytest.approx(logs[0] - logs[1], abs=2e-4)
