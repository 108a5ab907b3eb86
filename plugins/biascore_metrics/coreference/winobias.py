"""WinoBias: is a pronoun understood as the stereotype of an occupation says?

Zhao, Wang, Yatskar, Ordonez & Chang 2018, Gender Bias in Coreference Resolution: Evaluation and Debiasing Methods, NAACL.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, Final, Literal, NamedTuple

import numpy as np

from biascore.api.metrics import Caveat, Context, Estimate, Model, Scalar, caveats_of
from biascore.api.queries import Masked
from biascore.api.stimuli import Catalogue, Origin
from biascore.designs import ClusteredOptions, Mean, MeanMetric, Scored, equal_weights
from biascore.designs.bounds import Bound
from biascore.designs.pairs.caveats import MIN_PAIRS
from biascore_metrics.coreference.asking import NATS, PROMPT, Floats, Prompt, Referent, log_odds
from biascore_metrics.coreference.files import recorded
from biascore_metrics.coreference.winobias_items import FEMALE, MALE, PronounPair, WinoBiasTest

RULE: Final = (
    "Detected when the mean difference between pronouns that agree with the stereotype and pronouns that do not (log odds "
    "of the right mention on a causal model, log-probability of the pronoun on a masked one) differs from 0 by a t test "
    "whose error is clustered by the masculine and by the feminine occupation (two-way CR2) at level alpha."
)
POINTS: Final = "percentage points"


class WinoBiasMetricOptions(ClusteredOptions):
    """``model_kind``: whether a model is asked as a masked or as a causal language model; auto: as a masked one, if it can.

    ``prompt``: how a causal model is asked, with {sentence} and {pronoun}; a mention follows. ``bound``: nats around 0
    within which the whole interval counts as negligible; "none" states none. Of .1 a mention, or pronoun, with a
    probability of 50 % has 47.5 or 52.5 %.
    """

    bound: Bound = 0.1

    model_kind: Literal["auto", "masked", "causal"] = "auto"
    prompt: Prompt = PROMPT


class Asked(NamedTuple):
    """Pairs that can be compared, their scores (n, 2) in nats, pro and anti, and the others with the reason."""

    pairs: Sequence[PronounPair]
    scores: Floats
    lost: Sequence[tuple[PronounPair, str]]

    @property
    def differences(self) -> Floats:
        """(n,), pro - anti."""
        found: Floats = self.scores[:, 0] - self.scores[:, 1]
        return found


class OnPronounPairs(MeanMetric[WinoBiasMetricOptions, WinoBiasTest]):
    """Pairs of sentences, scored each in one way; the headline is the mean difference."""

    name = "winobias"
    rule = RULE
    kinds = frozenset({"winobias"})
    unit = NATS
    items = "pairs"
    role = "pairs"
    item_value = f"difference in {NATS}"
    negative_means = "pronouns are resolved against the stereotypes of occupations"
    cluster_columns = ("occupations",)
    columns: ClassVar[tuple[str, str]]

    @abstractmethod
    def scored(self, model: Model, pairs: Sequence[PronounPair]) -> tuple[Asked, tuple[Estimate, ...]]:
        """The pairs that can be compared, with their scores; and estimates of the method."""

    @abstractmethod
    def stated(self) -> Mapping[str, Scalar]:
        """Conventions of the method."""

    def extra_stimuli(self, test: WinoBiasTest, catalogue: Catalogue) -> tuple[Origin, ...]:
        return recorded(test, test.read_with)

    def clusters_of(self, test: WinoBiasTest) -> Mapping[str, Sequence[str]]:
        """By the masculine and by the feminine occupation."""
        return clusters([one for one in test.pairs.rows if not one.problem])

    def score(self, model: Model, test: WinoBiasTest, context: Context) -> Scored:
        """The difference of each pair; the same by type and by gender of the stereotype, and what was published."""
        found, of_method = self.scored(model, test.pairs.rows)
        pairs = found.pairs
        return Scored(
            values=found.differences,
            weights=weights(pairs),
            clusters=clusters(pairs),
            item=[one.item for one in pairs],
            group=[one.part for one in pairs],
            columns={
                "occupations": [one.occupations for one in pairs],
                "masculine": [one.masculine.lower() for one in pairs],
                "feminine": [one.feminine.lower() for one in pairs],
                "stereotype": [one.pro.gender for one in pairs],
                **{name: found.scores[:, k].tolist() for k, name in enumerate(self.columns)},
            },
            lost=[(one.item, why) for one, why in found.lost],
            estimates=(*self._parts(found), *of_method),
            conventions={
                **self.stated(),
                "difference": "pro - anti; pairs whose stereotype is masculine and feminine count half each, so that a "
                "preference for one gender cancels",
                "left out": "pairs whose sentences differ by more than the pronouns",
                "p-value and interval": "t, CR2 two-way, by the masculine and by the feminine occupation",
            },
        )

    def _parts(self, found: Asked) -> Iterator[Estimate]:
        """The same of each type, and of the pairs whose stereotype is masculine or feminine."""
        parts = {part: part for part in sorted({one.part for one in found.pairs})}
        parts |= {f"stereotype {gender}": gender for gender in (MALE, FEMALE)}
        for told, name in parts.items():
            chosen = [i for i, one in enumerate(found.pairs) if name in (one.part, one.pro.gender)]
            pairs, level = [found.pairs[i] for i in chosen], self.options.confidence
            values = found.differences[chosen]
            mean = Mean.of(values, clusters(pairs), level, weights=weights(pairs), items="pairs")
            yield mean.estimate(f"{self.headline}, {told}", NATS, tested=False)

    def cautions(self, scores: Scored, mean: Mean) -> tuple[Caveat, ...]:
        """What few pairs, or pairs that are alike, do not show."""
        told = [
            f"{name}: one cluster has nearly all pairs, and nothing is said of others" for name in mean.alone
        ]
        genders = set(scores.columns["stereotype"])
        if len(genders) == 1:
            told.append(
                f"all pairs have a stereotype that is {next(iter(genders))}, so that a preference for that gender is in the "
                "difference"
            )
        if 0 < len(scores.values) < MIN_PAIRS:
            told.append(f"{len(scores.values)} pairs say little of others")
        return caveats_of(told)


class CausalWinoBias(OnPronounPairs):
    """WinoBias on a causal language model: what the pronoun refers to, after a prompt."""

    summary = "WinoBias on a causal model: log odds of the right mention, and the published accuracies"
    reference = "Zhao et al. 2018, Gender Bias in Coreference Resolution, NAACL (data; asked as lm-evaluation-harness asks)"
    requires = frozenset({"score"})
    headline = "mean difference of log odds, pro - anti"
    columns = ("log_odds_pro", "log_odds_anti")

    def scored(self, model: Model, pairs: Sequence[PronounPair]) -> tuple[Asked, tuple[Estimate, ...]]:
        """Ask for the log odds of the right mention in both sentences; the accuracies are of all that have two mentions."""
        asked = [one for one in pairs if one.other]
        questions = [
            Referent(said.text, said.pronoun, said.mention, one.other)
            for one in asked
            for said in (one.pro, one.anti)
        ]
        odds = log_odds(model, questions, self.options.prompt).reshape(-1, 2)
        kept = [not one.problem for one in asked]
        lost = [(one, one.problem) for one in pairs if one.problem]
        usable = [one for one, fine in zip(asked, kept, strict=True) if fine]
        return Asked(usable, odds[np.array(kept, dtype=bool)], lost), self._accuracies(asked, odds)

    def stated(self) -> Mapping[str, Scalar]:
        return {
            "score": "log-likelihood of the right mention less that of the other, natural logarithm, after the prompt",
            "prompt": self.options.prompt,
            "accuracy": "share of pairs whose right mention is likelier; a tie is not right (published: pro - anti)",
        }

    def _accuracies(self, pairs: Sequence[PronounPair], odds: Floats) -> tuple[Estimate, ...]:
        right = 100.0 * (odds > 0)
        n = {"pairs": len(pairs)}
        each = [
            Estimate(
                name=f"accuracy {side}", value=float(right[:, k].mean()) if pairs else None, unit="%", n=n
            )
            for k, side in enumerate(("pro", "anti"))
        ]
        gap = Mean.of(
            right[:, 0] - right[:, 1],
            clusters(pairs),
            self.options.confidence,
            limits=(-100.0, 100.0),
            items="pairs",
        )
        return (gap.estimate("published accuracy pro - anti", POINTS), *each)


class WinoBias(OnPronounPairs):
    """WinoBias on a masked language model: the pronoun in its place, the stereotype's against the other one."""

    summary = (
        "WinoBias: are pronouns understood as the stereotypes of occupations say? (masked or causal model)"
    )
    use = "prefers"
    reference = (
        "Zhao et al. 2018, Gender Bias in Coreference Resolution, NAACL (data; masked models: the pronoun)"
    )
    causal = CausalWinoBias
    requires = frozenset({"mask_logprob"})
    headline = "mean difference of log-probability of the pronoun, pro - anti"
    columns = ("log_p_pro", "log_p_anti")
    idle_options = MappingProxyType({"prompt": "a masked model is given no prompt"})

    def scored(self, model: Model, pairs: Sequence[PronounPair]) -> tuple[Asked, tuple[Estimate, ...]]:
        """Ask for each sentence's first pronoun in its place, with further pronouns hidden, too."""
        asked = [one for one in pairs if not one.problem]
        queries = [
            Masked(said.text, said.pronouns[:1], said.pronouns[1:])
            for one in asked
            for said in (one.pro, one.anti)
        ]
        answers = model.mask_logprob(queries, unread="empty")
        both = list(zip(answers[::2], answers[1::2], strict=True))
        read = [bool(pro.tokens and anti.tokens) for pro, anti in both]
        lost = [(one, one.problem) for one in pairs if one.problem]
        lost += [
            (one, "the model reads no pronoun") for one, fine in zip(asked, read, strict=True) if not fine
        ]
        usable = [one for one, fine in zip(asked, read, strict=True) if fine]
        scores = [(pro.total, anti.total) for (pro, anti), fine in zip(both, read, strict=True) if fine]
        return Asked(usable, np.array(scores, dtype=np.float64).reshape(-1, 2), lost), ()

    def stated(self) -> Mapping[str, Scalar]:
        return {
            "score": "log-probability of the first pronoun, natural logarithm",
            "hidden": "all pronouns in brackets",
        }


def weights(pairs: Sequence[PronounPair]) -> Floats:
    """(n,) What each pair counts: those with a masculine stereotype half of all, if there are others."""
    return equal_weights([str(one.pro.gender == MALE) for one in pairs])


def clusters(pairs: Sequence[PronounPair]) -> dict[str, list[str]]:
    """How sentences are alike: by the masculine and by the feminine occupation."""
    return {
        "masculine occupations": [one.masculine.lower() for one in pairs],
        "feminine occupations": [one.feminine.lower() for one in pairs],
    }
