"""Questions whose masked texts are equal share a forward pass, and each gets its own token's answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore.api.queries import Masked, Span  # noqa: E402
from biascore.engine.engine import Engine  # noqa: E402
from biascore_adapters.transformer.masked import MaskedPlan  # noqa: E402

from ...builders import tiny  # noqa: E402

# Probes made from templates: 94 group words, 20 traits, 6 templates, every word one token

GROUPS = [f"group{a}{b}" for a in "abcdefghij" for b in "abcdefghij"][:94]
TRAITS = [f"trait{a}{b}" for a in "abcd" for b in "abcde"]
TEMPLATES = [
    "{group} is a {trait} person .",
    "a {trait} person is {group} .",
    "the {group} person is {trait} .",
    "is {group} a {trait} person ?",
    "{trait} is the {group} person .",
    "every {group} is {trait} and every person is {trait} .",
]


@pytest.fixture(scope="module")
def probe_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("probes")
    words = sorted({*GROUPS, *TRAITS, "is", "a", "person", "the", "every", "and", ".", "?"})
    tokenizer = tiny.whole_word_tokenizer(words)
    tokenizer.save_pretrained(folder)
    config = tiny.config_of("bert-uncased", len(tokenizer))
    tiny.save_random(transformers.AutoModelForMaskedLM, config, folder, seed=0)
    return folder


@contextmanager
def counted_sequences() -> Iterator[list[int]]:
    """How many sequences each forward pass of a BERT encoder takes, wherever it is called from."""
    counts: list[int] = []
    original = transformers.models.bert.modeling_bert.BertEncoder.forward

    def forward(self: Any, hidden_states: Any, *args: Any, **kwargs: Any) -> Any:
        counts.append(len(hidden_states))
        return original(self, hidden_states, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transformers.models.bert.modeling_bert.BertEncoder, "forward", forward)
        yield counts


def span(text: str, word: str) -> tuple[Span]:
    start = text.index(word)
    return ((start, start + len(word)),)


def probe(template: str, group: str, trait: str, *, prior: bool = False) -> Masked:
    text = template.format(group=group, trait=trait)
    return Masked(text, span(text, group), also=span(text, trait) if prior else ())


@pytest.mark.slow
@pytest.mark.parametrize("order", ["groups first", "templates first", "shuffled"])
def test_probes_that_differ_in_the_hidden_word_share_a_pass(
    order: str, probe_folder: Path, opened: Any
) -> None:
    combinations = [(t, g, x) for g in GROUPS for x in TRAITS for t in TEMPLATES]
    if order == "templates first":
        combinations.sort(key=lambda one: TEMPLATES.index(one[0]))
    elif order == "shuffled":
        combinations = [combinations[i] for i in np.random.default_rng(5).permutation(len(combinations))]
    queries = [probe(*one) for one in combinations]
    backend = opened(probe_folder)
    with counted_sequences() as counts:
        answers = backend.mask_logprob(tuple(queries))
    read = backend._reader.read([query.text for query in queries])
    plan = MaskedPlan(queries, read, backend._reader.tokenizer.mask_token_id)
    assert plan.naive_passes == len(GROUPS) * len(TRAITS) * len(TEMPLATES)
    assert sum(counts) == len(plan.passes) == len(TRAITS) * len(TEMPLATES)
    assert sum(counts) <= plan.naive_passes / 10

    tokenizer = transformers.AutoTokenizer.from_pretrained(probe_folder)
    model = transformers.AutoModelForMaskedLM.from_pretrained(probe_folder).eval()
    for i in range(0, len(queries), 97):
        template, group, trait = combinations[i]
        inputs = tokenizer(template.format(group="[MASK]", trait=trait), return_tensors="pt")
        with torch.no_grad():
            logprobs = torch.log_softmax(model(**inputs).logits[0], dim=-1)
        position = inputs["input_ids"][0].tolist().index(tokenizer.mask_token_id)
        assert answers[i].tokens == (group,)
        expected = float(logprobs[position, tokenizer.convert_tokens_to_ids(group)])
        assert answers[i].logprobs[0] == pytest.approx(expected, abs=1e-5)


@pytest.mark.slow
def test_the_engine_keeps_questions_that_share_a_pass_together(probe_folder: Path) -> None:
    combinations = [(t, g, x) for g in GROUPS for x in TRAITS for t in TEMPLATES]
    queries = [probe(*one) for one in combinations]
    with Engine(cache=None).model(f"hf:{probe_folder}") as model, counted_sequences() as counts:
        answers = model.mask_logprob(queries)
    # In 1024 questions a batch, each of 11 borders may cut a shared pass in two.
    assert len(TRAITS) * len(TEMPLATES) <= sum(counts) <= len(TRAITS) * len(TEMPLATES) + 11
    assert [answer.tokens for answer in answers] == [(group,) for _, group, _ in combinations]


def test_distinct_masked_texts_are_run_once_each(probe_folder: Path, opened: Any) -> None:
    backend = opened(probe_folder)
    first, second = GROUPS[:2]
    queries = (
        probe(TEMPLATES[0], first, TRAITS[0]),
        probe(TEMPLATES[0], second, TRAITS[0]),  # the same masked text
        probe(TEMPLATES[0], first, TRAITS[1]),  # another
        probe(TEMPLATES[0], first, TRAITS[0], prior=True),  # a third
        probe(TEMPLATES[0], second, TRAITS[3], prior=True),  # the third again
        # six tokens, of which the first hidden alone is known
        Masked(TEMPLATES[0].format(group=first, trait=TRAITS[0]), None, one_at_a_time=True),
    )
    with counted_sequences() as counts:
        answers = backend.mask_logprob(queries)
    assert sum(counts) == 3 + 5
    assert answers[5].logprobs[0] == answers[0].logprobs[0]
    assert answers[0].logprobs != answers[1].logprobs
