"""Whether log-probabilities are natural logarithms, as far as single answers show it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from biascore.models.pipeline import hooks
from biascore.models.questions.questions import Masked
from biascore.testing.contract import NotAskedError, hold
from biascore.testing.queries import WORDS, Asked, Direct

Answers = Callable[[Asked], list[Any]]


def hold_units(direct: Direct, found: Iterable[tuple[Asked, list[Any]]], ask: Answers) -> None:
    """Raise AssertionError for logarithms that are no natural ones, NotAskedError where the model gives none."""
    some = 0
    for asked, answers in found:
        if asked.name == "score: log_likelihood":
            some += 1
            hold(max(answers) <= 0, f"{asked.name}: {max(answers)} is above 0")
            _hold_mean(direct, asked, answers, ask)
        if asked.name == "choose: letters":
            some += 1
            for answer in answers:
                whole = float(np.exp(answer.logprobs).sum()) + answer.outside
                hold(
                    whole <= 1 + 1e-4 or np.isnan(whole),
                    f"{asked.name}: the letters and the rest have {whole} in all",
                )
    if "mask_logprob" in direct.capabilities:
        some += 1
        queries = [Masked(f"{word} is a cautious person.", ((0, len(word)),)) for word in WORDS]
        each = ask(Asked("mask_logprob", hooks.filling(), tuple(queries)))
        whole = sum(np.exp(one.logprobs[0]) for one in each if len(one.tokens) == 1)
        hold(
            whole <= 1 + 1e-4, f"mask_logprob: different words at one place have {whole:.3f} in all, as nats"
        )
    if not some:
        raise NotAskedError("no answer: the model gives no log-probabilities")


def _hold_mean(direct: Direct, asked: Asked, sums: Sequence[float], ask: Answers) -> None:
    if not {"mean_log_likelihood", "token_count"} <= {*direct.backend.identity.quantities}:
        return
    mean, count = (
        np.array(ask(replace(asked, hook=hooks.scoring(q)))) for q in ("mean_log_likelihood", "token_count")
    )
    hold(
        np.allclose(mean * count, sums, rtol=1e-6),
        f"{asked.name}: mean times token_count is {mean * count}, not {sums}",
    )
    hold((count % 1 == 0).all() and (count >= 1).all(), f"token_count is {count}")
