"""How log odds are got for prompts: from a masked model, from a causal one, or from a file of given scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biascore.api.metrics import Model
from biascore.api.queries import Masked, TokenLogprobs
from biascore.errors import CapabilityError
from biascore_metrics.gest.kind import Sample
from biascore_metrics.gest.odds import Scored, ScoredSample
from biascore_metrics.gest.prompts import Prompt

UNREAD = "the model reads nothing under one of the two words"
LOG_LIKELIHOOD = "log_likelihood"
PAIRS = "pairs"
"""The quantity under which given scores of gendered pairs are asked for."""


def template_name(number: int) -> str:
    """What a template is called in results, and the quantity under which given scores are asked for."""
    return f"template {number}"


def holds_scores(model: Model, metric: str, quantities: Sequence[str], *, can_be_asked: bool) -> bool:
    """Whether the model holds given scores of all these names, so that it need not be asked for words.

    Raises CapabilityError where it does not and cannot be asked either.
    """
    held = model.identity.quantities
    if set(quantities) <= set(held):
        return True
    if not can_be_asked:
        raise CapabilityError(
            f"{metric} on {model.name}: it answers no questions about words, and holds {', '.join(held) or 'no scores'} "
            f"where {', '.join(quantities)} are needed. Name the scores so (option quantity or quantities of answers:), "
            "or choose the templates that it has"
        )
    return False


def given_scores(model: Model, samples: Sequence[Sample], prompts: Sequence[Prompt]) -> Scored:
    """Log odds that the model holds for the samples themselves, in nats, by template."""
    names = tuple(template_name(prompt.number) for prompt in prompts)
    texts = [sample.sentence for sample in samples]
    columns = [model.score(texts, name, in_nats=True) for name in names]
    return _scored(samples, names, np.stack(columns, axis=1).tolist())


def masked_odds(model: Model, samples: Sequence[Sample], prompts: Sequence[Prompt]) -> Scored:
    """log P(man) - log P(woman) at the place of the word, both in the model's whole vocabulary (Equation 3).

    A word of several sub-tokens counts with the sum of their log-probabilities, all hidden together.
    """
    queries = [
        Masked(text, (span,))
        for sample in samples
        for prompt in prompts
        for text, span in (prompt.fill(sample.sentence, word) for word in (prompt.male, prompt.female))
    ]
    answers = model.mask_logprob(queries, unread="empty")
    men, women = answers[::2], answers[1::2]
    width = len(prompts)
    rows: list[list[float] | None] = []
    for i in range(len(samples)):
        own = slice(i * width, (i + 1) * width)
        pairs = list(zip(men[own], women[own], strict=True))
        rows.append(
            [m.total - f.total for m, f in pairs] if all(m.tokens and f.tokens for m, f in pairs) else None
        )
    names = tuple(template_name(prompt.number) for prompt in prompts)
    return _scored(samples, names, rows, _several_tokens(prompts, men, women))


def causal_odds(model: Model, samples: Sequence[Sample], prompts: Sequence[Prompt]) -> Scored:
    """log P(man | sample) - log P(woman | sample) for the word that comes next.

    Both texts have the same beginning, so the difference of their log-likelihoods is that of their last
    words; a word of several tokens counts with the sum over them.
    """
    texts = [
        prompt.fill(sample.sentence, word)[0]
        for sample in samples
        for prompt in prompts
        for word in (prompt.male, prompt.female)
    ]
    scores = model.score(texts, LOG_LIKELIHOOD, in_nats=True).reshape(len(samples), len(prompts), 2)
    names = tuple(template_name(prompt.number) for prompt in prompts)
    return _scored(samples, names, (scores[:, :, 0] - scores[:, :, 1]).tolist())


def _scored(
    samples: Sequence[Sample],
    names: tuple[str, ...],
    rows: Sequence[Sequence[float] | None],
    warnings: tuple[str, ...] = (),
) -> Scored:
    scored = tuple(
        ScoredSample(
            text=sample.sentence,
            sentence=sample.sentence,
            stereotype=sample.stereotype,
            odds=() if row is None else tuple(row),
            lost=UNREAD if row is None else "",
        )
        for sample, row in zip(samples, rows, strict=True)
    )
    return Scored(scored, names, warnings=warnings)


def _several_tokens(
    prompts: Sequence[Prompt], men: Sequence[TokenLogprobs], women: Sequence[TokenLogprobs]
) -> tuple[str, ...]:
    """A warning for each prompt whose words are not one token each, as the paper's words are for its models."""
    found = []
    for position, prompt in enumerate(prompts):
        for word, answers in ((prompt.male, men), (prompt.female, women)):
            most = max((len(answer.tokens) for answer in answers[position :: len(prompts)]), default=0)
            if most > 1:
                found.append(
                    f"{template_name(prompt.number)}: {word!r} is up to {most} sub-tokens of this model, whose "
                    "log-probabilities are added; longer words are less probable, and q is not comparable"
                )
    return tuple(found)
