"""Which tokens are hidden in a step, and what stands for them; and the learning rate of each step."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.errors import OptionsError
from biascore.models.training import Training
from biascore_adapters.transformer.masking import NOT_ASKED, Masking, Piece

MASK, PAD = 4, 0
ORDINARY = np.arange(10, 1010)
MASKING = Masking(MASK, ORDINARY, 0.15, PAD)


def piece(length: int, first: int = 10) -> Piece:
    """[CLS], so many tokens of its own, [SEP]."""
    own = list(range(1, length + 1))
    return Piece([2, *range(first, first + length), 3], [0] * (length + 2), own=own)


def test_shares_are_those_of_bert() -> None:
    """15 % of 40,000 tokens; of these 80 % hidden, 10 % a random token, 10 % as they are."""
    pieces = [piece(400)] * 100
    batch = MASKING.batch(pieces, np.random.default_rng(1))
    asked = batch["labels"] != NOT_ASKED
    assert asked[:, 1:-1].mean() == pytest.approx(0.15, abs=0.006)
    original = np.array([p.ids for p in pieces])
    assert (batch["labels"][asked] == original[asked]).all()
    assert (batch["input_ids"][~asked] == original[~asked]).all()
    shown = batch["input_ids"][asked]
    hidden, same = shown == MASK, shown == original[asked]
    assert hidden.mean() == pytest.approx(0.8, abs=0.02)
    assert same.mean() == pytest.approx(0.1, abs=0.02)
    others = shown[~hidden & ~same]
    assert set(others) <= set(ORDINARY)
    assert len(set(others)) > 300  # drawn from all of them


def test_special_tokens_and_padding_are_never_asked() -> None:
    always = Masking(MASK, ORDINARY, 0.999, PAD)
    batch = always.batch([piece(3), piece(1)], np.random.default_rng(0))
    assert (batch["labels"] != NOT_ASKED).tolist() == [
        [False, True, True, True, False], [False, True, False, False, False],
    ]  # fmt: skip
    assert batch["input_ids"][1].tolist()[2:] == [3, PAD, PAD]
    assert batch["attention_mask"].tolist() == [[1] * 5, [1, 1, 1, 0, 0]]


def test_a_step_asks_at_least_one_token() -> None:
    never = Masking(MASK, ORDINARY, 1e-9, PAD)
    batch = never.batch([piece(3), piece(2)], np.random.default_rng(0))
    assert (batch["labels"] != NOT_ASKED).sum() == 1


def test_the_same_generator_hides_the_same_and_another_others() -> None:
    one, again, other = (MASKING.batch([piece(50)], np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert (one["input_ids"] == again["input_ids"]).all()
    assert (one["labels"] != other["labels"]).any()


def test_a_model_without_token_types_gets_none() -> None:
    batch = MASKING.batch([Piece([2, 10, 3], own=[1])], np.random.default_rng(0))
    assert "token_type_ids" not in batch


@pytest.mark.parametrize("power", [1.0, 2.0])
def test_the_learning_rate_is_that_of_the_library(power: float) -> None:
    torch = pytest.importorskip("torch", reason="needs biascore[hf]")
    transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")
    training = Training(learning_rate=3e-4, warmup_steps=7, power=power)
    optimiser = torch.optim.AdamW([torch.nn.Parameter(torch.zeros(1))], lr=3e-4)
    schedule = transformers.get_polynomial_decay_schedule_with_warmup(optimiser, 7, 30, power=power)
    for step in range(30):
        assert training.rate(step, 30) == pytest.approx(optimiser.param_groups[0]["lr"], rel=1e-12)
        optimiser.step()
        schedule.step()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("epochs", 0), ("epochs", 1.5), ("epochs", True), ("batch", 0), ("warmup_steps", -1), ("seed", -1)),
        *(("learning_rate", 0.0), ("learning_rate", float("nan")), ("masked", 0.0), ("masked", 1.0)),
        *(("weight_decay", -0.1), ("power", 0.0), ("power", float("inf"))),
    ],
)
def test_options_out_of_bounds_are_refused(option: str, value: object) -> None:
    with pytest.raises(OptionsError, match=f"^{option}=.* is not a"):
        Training(**{option: value})  # type: ignore[arg-type]
