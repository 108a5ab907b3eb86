"""Texts that begin alike are computed as a tree of prefixes, with the answers that each has alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore.errors import QuestionError  # noqa: E402
from biascore_adapters.transformer.prefixes import LONGEST, TOKENS, Branches, Prefixes, tree_arrays  # noqa: E402
from biascore_adapters.transformer.tokens import Input  # noqa: E402

from ...builders import tiny  # noqa: E402
from .families import save  # noqa: E402

WORDS = ("nurse", "engineer", "queen", "king", "carpenter", "programmer")
TEXTS = tuple(f"The {one} walked home with the {other}." for one in WORDS for other in WORDS)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory, opened: Callable[..., Any]) -> Callable[[str], Any]:
    """``models(kind)``: a tiny causal model, or the random one of a family."""
    found: dict[str, Any] = {}

    def of(kind: str) -> Any:
        if kind not in found:
            folder: Path = tmp_path_factory.mktemp("trees") / "model"
            if kind not in tiny.CAUSAL:
                save(kind, folder)
            else:
                tiny.save_model(kind, folder, 1)
            found[kind] = opened(folder)
        return found[kind]

    return of


def counted(backend: Any, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What goes into the passes of the runtime."""
    real, read = backend._runtime.log_probabilities, []

    def note(inputs: Any, wanted: Any) -> Any:
        read.extend(inputs)
        return real(inputs, wanted)

    monkeypatch.setattr(backend._runtime, "log_probabilities", note)
    return read


@pytest.mark.parametrize("kind", tiny.CAUSAL)
def test_together_they_are_what_they_are_alone(
    kind: str, models: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = models(kind)
    alone = [float(backend.score((text,), "log_likelihood")[0]) for text in TEXTS]
    whole = sum(len(one.input.ids) for one in backend._texts.read(TEXTS, "log_likelihood"))
    read = counted(backend, monkeypatch)
    together = backend.score(TEXTS, "log_likelihood")
    np.testing.assert_allclose(together, alone, rtol=1e-6, atol=1e-5)
    tokens = sum(len(one.ids) for one in read)
    assert all(isinstance(one, Branches) for one in read)
    assert tokens < whole / 2
    cost = backend.cost("score", TEXTS, {"quantity": "log_likelihood"})
    assert (cost.passes, cost.tokens, cost.naive_passes) == (len(read), tokens, len(TEXTS))


def test_other_texts_in_the_call_do_not_move_an_answer(models: Callable[[str], Any]) -> None:
    backend = models("llama")
    some = backend.score(TEXTS[::5], "log_likelihood")
    many = backend.score((*TEXTS, "He said that he knew", "the lazy dog"), "log_likelihood")
    np.testing.assert_allclose(many[:-2][::5], some, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("kind", ["mistral", "bloom", "mpt", "gpt_neo"])  # windows, and positions in the row
def test_a_model_that_sees_no_branches_is_asked_text_by_text_and_says_so(
    kind: str, models: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = models(kind)
    assert "shared_prefixes" in backend.told().facts
    assert "shared_prefixes" not in backend.identity.facts  # the key of what is kept stays
    alone = [float(backend.score((text,), "log_likelihood")[0]) for text in TEXTS[:8]]
    read = counted(backend, monkeypatch)
    np.testing.assert_allclose(backend.score(TEXTS[:8], "log_likelihood"), alone, rtol=1e-6, atol=1e-5)
    assert not any(isinstance(one, Branches) for one in read)


def test_a_model_that_takes_trees_says_nothing_of_it(models: Callable[[str], Any]) -> None:
    assert not models("gpt2").told().facts


def test_where_a_row_fails_texts_are_asked_as_they_are(
    models: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = models("llama")
    expected = backend.score(TEXTS, "log_likelihood")
    real = backend._runtime.log_probabilities

    def fails(inputs: Any, wanted: Any) -> Any:
        if isinstance(inputs[0], Branches):
            raise QuestionError("the row does not fit")
        return real(inputs, wanted)

    monkeypatch.setattr(backend._runtime, "log_probabilities", fails)
    np.testing.assert_allclose(backend.score(TEXTS, "log_likelihood"), expected, rtol=1e-6, atol=1e-5)


def test_rows_are_halved_where_memory_ends(
    models: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = models("gpt2")
    texts = (*TEXTS, *(f"A {text}" for text in TEXTS))
    expected = backend.score(texts, "log_likelihood")
    trunk, rows = backend._runtime.trunk, []
    real = trunk.hidden

    def hidden(inputs: Any) -> Any:
        rows.append(len(inputs["input_ids"]))
        if rows[-1] > 1:
            raise torch.cuda.OutOfMemoryError("simulated")
        return real(inputs)

    monkeypatch.setattr(trunk, "hidden", hidden)
    np.testing.assert_allclose(backend.score(texts, "log_likelihood"), expected, rtol=1e-6, atol=1e-5)
    assert rows[0] > 1
    assert rows[-1] == 1


def test_texts_that_share_little_are_no_tree(
    models: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = models("gpt2")
    read = counted(backend, monkeypatch)
    backend.score(("The nurse walked home.", "he said", "A king and a queen"), "log_likelihood")
    assert not any(isinstance(one, Branches) for one in read)


def test_every_prefix_is_in_a_row_once_and_every_answer_is_of_its_own() -> None:
    rng = np.random.default_rng(1)
    texts = [tuple(rng.integers(1, 4, size=rng.integers(2, 9)).tolist()) for _ in range(400)]
    asked = {
        number: (Input(ids), [(place, ids[place + 1]) for place in range(len(ids) - 1)])
        for number, ids in enumerate(texts)
    }
    tree = Prefixes[object](asked)
    assert len(tree.rows) > 1
    paths: list[list[tuple[int, ...]]] = []
    for row in tree.rows:
        assert len(row.ids) <= TOKENS
        own: list[tuple[int, ...]] = []
        for id_, before in zip(row.ids, row.before, strict=True):
            own.append((*own[before], id_) if before >= 0 else (id_,))
        assert len({*own}) == len(own)
        paths.append(own)
    # The answer of a cell is what it is asked for: the tokens so far, and the next one.
    found = [
        [(own[place], token) for place, token in some] for own, some in zip(paths, tree.wanted(), strict=True)
    ]
    answers = dict(tree.answers(found))
    assert answers == {
        number: [(ids[: place + 1], ids[place + 1]) for place in range(len(ids) - 1)]
        for number, ids in enumerate(texts)
    }
    positions, sees = tree_arrays(tree.rows, TOKENS)
    assert positions[0, : len(paths[0])].tolist() == [len(path) - 1 for path in paths[0]]
    assert sees[0, : len(paths[0])].sum(axis=1).tolist() == [len(path) for path in paths[0]]
    assert sees[:, range(TOKENS), range(TOKENS)].all()


def test_a_long_text_is_in_no_tree(models: Callable[[str], Any]) -> None:
    backend = models("gpt2")
    read = backend._texts.read(TEXTS, "log_likelihood")
    tree, alone = backend._scored._tree(read, range(len(read)))
    assert not alone
    assert len(tree.rows) > 1
    longer = [type(one)(Input([*one.input.ids] * LONGEST), one.scored) for one in read]
    assert not backend._scored._tree(longer, range(len(longer)))[0].rows
