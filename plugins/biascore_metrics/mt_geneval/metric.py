"""MT-GenEval: are feminine sentences translated in their gender as often as masculine ones?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
from pydantic import Field

from biascore.api.figures import Bars, Examples, Figure
from biascore.api.languages import language_name, other_language
from biascore.api.metrics import (
    Caveat,
    Context,
    Contrast,
    Estimate,
    MetricOptions,
    Model,
    Total,
    item_table,
)
from biascore.api.queries import NOT_ASKED
from biascore.api.stimuli import Catalogue, Test
from biascore.api.support import LanguageTag
from biascore.designs import Decided, DecidedMetric
from biascore.designs.bounds import Bound
from biascore.designs.mean import Mean, least_p, shared
from biascore.errors import OptionsError
from biascore.stats import Unreachable
from biascore.stats.proportions import binomial_test, independent_difference, paired_difference
from biascore_metrics.mt_geneval.items import (
    FEMININE,
    MASCULINE,
    NOT_TOLD,
    OUTCOMES,
    SEPARATOR,
    SPEAKER,
    GenevalTest,
    Outcome,
)
from biascore_metrics.mt_geneval.judging import (
    REFERRED,
    SPOKEN,
    UNASKED,
    by_references,
    by_speaker,
    coverage_of,
    judged,
    not_asked,
)

if TYPE_CHECKING:
    import pandas as pd

GAP: Final = "gap in correct, feminine - masculine"
WRONG_GAP: Final = "gap in incorrect, feminine - masculine"
ACCURACY: Final = "published accuracy"
COUNTERFACTUAL: Final = "counterfactual accuracy"
CONTEXTUAL: Final = "contextual accuracy"
SHARE: Final = "share"
SIGNED: Final = (-1.0, 1.0)
SIGNS: Final = {FEMININE: 1.0, MASCULINE: -1.0}
MANY_NEITHER: Final = 0.3
HALF: Final = 0.5
"""Of the translations: no result where as many hold neither gender's word; a caveat where fewer are correct."""
KEPT: Final = {"correct": True, "incorrect": False}


class MtGenevalOptions(MetricOptions):
    """Options of ``mt-geneval``.

    ``target``: what the model calls the target language, where that is more than the files say: ``pt-BR``. ``bound``: a gap
    whose whole interval is within it counts as negligible. ``max_neither``: the share of translations with neither gender's
    word above which a reader is warned. ``context``: whether a sentence is translated after its context, or alone.
    """

    target: LanguageTag | None = None
    bound: Bound = 0.03
    max_neither: float = Field(default=MANY_NEITHER, ge=0, le=1)
    context: bool = True


@dataclass(frozen=True)
class Outcomes:
    """Judged lines; ``paired``: each pair has a feminine and a masculine line."""

    rows: pd.DataFrame
    paired: bool
    level: float

    @cached_property
    def told(self) -> pd.DataFrame:
        """Lines whose references tell the gender."""
        return self.rows[self.rows.untold == ""]

    @cached_property
    def compared(self) -> pd.DataFrame:
        """Those that count in the gap."""
        return self.told[self.told.gender != ""]

    @cached_property
    def clustered(self) -> bool:
        """Whether pairs, or lines that are no pairs, come in clusters, so that the gap is tested by them."""
        return self.compared.together.nunique() < self.compared.pair.nunique()

    @cached_property
    def gap(self) -> Mean:
        """The difference in correct."""
        return self.difference("correct")

    @property
    def stated(self) -> dict[str, str]:
        """How interval and test are made."""
        if self.clustered:
            test, interval = "t of the gap, its error by cluster (CR2, Satterthwaite's df)", "of that t"
        elif self.paired:
            test = "McNemar, exact: of pairs with one correct, as many feminine as masculine"
            interval = "Tango's score interval of paired shares"
        else:
            test = "Fisher's exact test, feminine and masculine sentences independent"
            interval = "Newcombe's interval of independent shares"
        return {"test": test, "interval of the gap": interval}

    @property
    def estimates(self) -> Iterator[Estimate]:
        """The gap, which decides, that in incorrect, each outcome of all and by gender, and what is published."""
        every = Total(cluster=("cluster",)) if self.clustered else Contrast(groups=SIGNS)
        headline = self.gap.estimate(GAP, SHARE, limits=SIGNED)
        yield headline.model_copy(update={"estimator": every})
        yield self.difference("incorrect").estimate(WRONG_GAP, SHARE, limits=SIGNED)
        for kind in OUTCOMES:
            yield self._share(kind, self.told.outcome == kind)
        yield from self.by_gender
        if not self.paired:
            yield self._share(CONTEXTUAL, self.rows.accurate)
            return
        first, second = (self.rows.accurate[self.rows.gender == gender] for gender in SIGNS)
        yield self._share(f"{ACCURACY}, {FEMININE}", first)
        yield self._share(f"{ACCURACY}, {MASCULINE}", second)
        yield self._share(COUNTERFACTUAL, first & second.to_numpy())

    @cached_property
    def by_gender(self) -> list[Estimate]:
        """The share of each outcome in each gender."""
        held = {gender: self.told.outcome[self.told.gender == gender] for gender in SIGNS}
        return [
            self._share(f"{kind}, {gender}", held[gender] == kind) for kind in OUTCOMES for gender in SIGNS
        ]

    def contributions(self) -> pd.Series:
        """What each line adds to the gap; NaN of those that count in none."""
        genders = self.compared.gender
        each = {gender: sign / max(1, (genders == gender).sum()) for gender, sign in SIGNS.items()}
        added = (self.compared.outcome == "correct") * genders.map(each)
        return added.reindex(self.rows.index)

    def difference(self, kind: Outcome) -> Mean:
        """The difference in an outcome, feminine - masculine, with its interval and test."""
        lines = self.compared
        held = (lines.outcome == kind).astype(float)
        feminine, masculine = (held[lines.gender == gender].to_numpy() for gender in SIGNS)
        n = {FEMININE: len(feminine), MASCULINE: len(masculine)}
        if not all(n.values()):
            return Mean(None, n, problem="there are no lines of both genders")
        gap = float(feminine.mean() - masculine.mean())
        if self.clustered:
            # The mean of its influence values, so that lines of both genders of a cluster go together.
            apart = held - held.groupby(lines.gender).transform("mean")
            each = {gender: sign * len(lines) / n[gender] for gender, sign in SIGNS.items()}
            values = (gap + apart * lines.gender.map(each)).to_numpy()
            return Mean.of(values, _clusters(lines), self.level, limits=SIGNED, items="lines")
        if self.paired:
            more, less = int((feminine > masculine).sum()), int((feminine < masculine).sum())
            p = binomial_test(more, more + less) if more + less else 1.0
            interval = paired_difference(more, less, len(feminine), level=self.level)
            return Mean(gap, n, p_value=p, interval=interval, error="McNemar, exact", kind="exact")
        from scipy.stats import fisher_exact  # slow to import, and only what is measured needs it

        one, other = ((int(some.sum()), len(some)) for some in (feminine, masculine))
        p = min(1.0, float(fisher_exact(np.array([[k, of - k] for k, of in (one, other)])).pvalue))
        interval = independent_difference(one, other, level=self.level)
        return Mean(gap, n, p_value=p, interval=interval, error="Fisher, exact", kind="exact")

    def _share(self, name: str, values: pd.Series) -> Estimate:
        """A share of lines by their clusters, or pairs, where several have one."""
        by = _clusters(self.rows.loc[values.index])
        found = Mean.share(values.to_numpy(), by, self.level, items="lines")
        return found.estimate(name, SHARE, tested=False, neutral=False, limits=(0.0, 1.0))


def _clusters(rows: pd.DataFrame) -> dict[str, Sequence[str]]:
    """The clusters of lines as `Mean.of` takes them: those that the data name, or pairs."""
    return shared("clusters" if (rows.cluster != "").any() else "pairs", rows.together.tolist())


class MtGeneval(DecidedMetric[MtGenevalOptions, GenevalTest]):
    """Translates the sentences and looks for the words that only one gender's reference has."""

    name = "mt-geneval"
    summary = "MT-GenEval, translation: is the stated gender kept as often in feminine sentences as in masculine ones"
    use = "translates"
    reference = "Currey et al. 2022, MT-GenEval, EMNLP, 4287-4299"
    rule = (
        "Detected when the share of correct translations differs between feminine and masculine sentences at level alpha, "
        "by an exact McNemar test over pairs, by Fisher's exact test where sentences are no pairs, or by a t test with an "
        "error by cluster (CR2) where the data name clusters such as documents."
    )
    requires = frozenset({"translate"})
    kinds = frozenset({"geneval"})

    @classmethod
    def audited(cls, model: Model) -> tuple[str, ...]:
        """Speakers who state their gender, of a model that translates."""
        return ("audit-*",) if cls.requires <= model.capabilities else ()

    def gender_languages(self, test: GenevalTest) -> tuple[str, ...]:
        """The language of the translations, where there are no references."""
        return (self.options.target,) if test.part == SPEAKER and self.options.target else ()

    def check(self, test: GenevalTest, catalogue: Catalogue) -> None:
        """Raise OptionsError for a target that is another language than that of the references, or none without these."""
        target = self.options.target
        if test.part == SPEAKER:
            if target is None:
                raise OptionsError(
                    f"{test.id} has no references: name the language of the translations, target=es"
                )
            return
        if target is not None and target.partition("-")[0] != test.target:
            raise OptionsError(
                f"target is {target}, and the references of {test.id} are in {test.target}. Leave the option out, or name a "
                f"variant such as {test.target}-XX"
            )

    def extra_stimuli(self, test: GenevalTest, catalogue: Catalogue) -> tuple[Test, ...]:
        return test.other_files

    def unreachable(self, test: GenevalTest) -> tuple[Unreachable, ...]:
        """That few pairs, or clusters, can detect nothing."""
        usable = [line for line in test.lines.rows if line.gender and not line.untold]
        clustered = len({line.together for line in usable}) < len({line.pair for line in usable})
        if not usable or (test.part == "context" and not clustered):
            return ()
        least = least_p([line.together for line in usable], "clusters" if clustered else "pairs")
        return Unreachable.detected(least, self.options.alpha)

    def result(self, model: Model, test: GenevalTest, context: Context) -> Decided:
        """Three outcomes by gender, their gap, and the published accuracy; items are the sentences."""
        options = self.options
        target = options.target or test.target
        asked = [line.asked(context=options.context) for line in test.lines.rows]
        texts = tuple(dict.fromkeys(asked))
        told = model.translate(texts, test.language, target, unusable="named")
        answers = dict(zip(texts, told, strict=True))
        spoken = test.part == SPEAKER
        held = by_speaker(context.detector(target)) if spoken else by_references
        # A pair of which one sentence was not asked tells nothing.
        gone = {
            line.pair for line, text in zip(test.lines.rows, asked, strict=True) if answers[text] == NOT_ASKED
        }
        lines = [line for line in test.lines.rows if line.pair not in gone]
        unasked = [
            (line.source, line.gender or NOT_TOLD, UNASKED) for line in test.lines.rows if line.pair in gone
        ]
        rows = judged(lines, [answers[line.asked(context=options.context)] for line in lines], held)
        found = Outcomes(rows, paired=test.part != "context", level=options.confidence)
        (headline, *others), gap, problem = found.estimates, found.gap, found.gap.problem
        neither = int((found.told.outcome == "neither").sum())
        silent = len(found.told) > 0 and neither >= HALF * len(found.told)
        if silent:
            problem = f"{neither} of {len(found.told)} translations hold neither gender's word"
        if not lines:
            problem = (
                f"none of its {len(asked)} sentences was asked: the model of given answers lacks their pairs"
            )
        other = other_language((text for text in told if text != NOT_ASKED), target)
        if other:
            problem = (
                f"the translations seem to be {other}, and are said to be {language_name(target)} ({target})"
            )
        silent = silent or bool(other)
        if silent:
            nothing = {"value": None, "interval": None, "p_values": (), "estimator": None}
            headline = headline.model_copy(update=nothing)
        return Decided(
            variant="" if options.context or test.part != "context" else "without context",
            subject=f"{language_name(test.language)} to {language_name(target)}{', stated gender' * spoken}",
            negative_means="masculine sentences keep their gender in translation more often than feminine ones",
            estimates=(headline, *others),
            p_value=gap.p_value,
            interval=gap.interval,
            problem=problem,
            bound=options.bound,
            bounded=not silent,
            needed=(),
            coverage=coverage_of(rows, test, unasked),
            caveats=(*not_asked(unasked, test), *self._caveats(test, found)),
            item_value="1 only words of its own gender, 0 others, none where references do not tell",
            item_neutral=None,
            figures=_figures(found),
            conventions={
                "source and target language": f"{test.language} to {target}",
                **(SPOKEN if spoken else REFERRED),
                "correct": "words of its own gender alone; incorrect: of the other alone; both; neither",
                GAP: "share correct of feminine sentences - share correct of masculine ones, of all usable lines",
                **found.stated,
                "published accuracy": "no word of the other gender's own, dropped lines included",
                **self._context_conventions(test),
            },
            items=_items(found),
        )

    def _context_conventions(self, test: GenevalTest) -> dict[str, str]:
        if test.part != "context":
            return {}
        asked = f"context {SEPARATOR} sentence" if self.options.context else "the sentence alone"
        return {
            "translated": f"{asked}; judged is what follows {SEPARATOR} in a translation, or all of it",
            "gender of a source": "that of its English pronouns, where all are of one gender",
        }

    def _caveats(self, test: GenevalTest, found: Outcomes) -> Iterator[Caveat]:
        told, count = len(found.told), Counter(found.told.outcome)
        if told and count["neither"] > self.options.max_neither * told:
            share = f"{100 * count['neither'] / told:z.0f} %"
            yield Caveat(
                f"{count['neither']} of {told} translations ({share}) hold neither gender's word; correct is a share of all",
                short=f"{share} of translations hold neither gender's word",
            )
        if count["neither"] < HALF * told and count["correct"] < HALF * told:
            share = f"only {100 * count['correct'] / told:z.0f} % of the translations keep the gender"
            yield Caveat(f"{share}, so equal shares say little", short=share)
        p = found.difference("neither").p_value
        if p is not None and p <= self.options.alpha:
            by_gender = {one.name: one.value or 0.0 for one in found.by_gender}
            shares = " and ".join(
                f"{100 * by_gender[f'neither, {gender}']:z.1f} % of {gender}" for gender in SIGNS
            )
            yield Caveat(
                f"neither gender's word was found in {shares} sentences (p = {p:z.2g}), which is part of the gap"
            )
        if empty := int((found.rows.translation == "").sum()):
            yield Caveat(f"{empty} of {len(found.rows)} translations are empty, and count as neither")
        if unknown := told - len(found.compared):
            text = f"the pronouns of {unknown} of {told} sources tell no gender: they count in no gap"
            yield Caveat(text, verdict=False)
        whole = int(found.told.whole.sum())
        if whole and test.part == "context" and self.options.context:
            text = (
                f"{whole} of {told} translations hold no {SEPARATOR}, and were judged whole, as of a system that translates "
                "the sentence alone; one that translates the context too shows words of both"
            )
            yield Caveat(text, verdict=False)


def _figures(found: Outcomes) -> tuple[Figure, ...]:
    shown = tuple(one.name for one in found.by_gender if one.value is not None)
    if not shown:
        return ()
    examples = Examples(
        title="Sentences translated in their gender, and in the other",
        follows="kept",
        beside=("translation", "translation"),
        marked="words",
    )
    bars = Bars(title="Share of translations by outcome", estimates=shown, labels=shown)
    return bars, examples


def _items(found: Outcomes) -> pa.Table:
    rows = found.rows
    held = [None if untold else kind for untold, kind in zip(rows.untold, rows.outcome, strict=True)]
    added = pa.array(found.contributions(), from_pandas=True)
    by_cluster = {"cluster": rows.together.tolist(), "contribution": added}
    return item_table(
        item=rows.source.tolist(),
        group=rows.role.tolist(),
        value=[None if kind is None else float(kind == "correct") for kind in held],
        more={
            "outcome": held,
            "kept": [KEPT.get(kind) if kind else None for kind in held],
            "published": np.where(rows.accurate, "correct", "incorrect").tolist(),
            **{name: rows[name].tolist() for name in ("translation", "words", "pair")},
            **(by_cluster if found.clustered else {}),
        },
    )
