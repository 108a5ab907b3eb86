"""MT-GenEval: are feminine sentences translated in their gender as often as masculine ones?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pyarrow as pa
from pydantic import Field

from biascore.api.figures import Bars, Examples, Figure
from biascore.api.languages import language_name
from biascore.api.metrics import (
    Caveat,
    Context,
    Coverage,
    Equivalence,
    Finding,
    LostWord,
    Metric,
    MetricOptions,
    Model,
    Scalar,
    item_table,
)
from biascore.api.stimuli import Catalogue, Test
from biascore.api.support import LanguageTag
from biascore.designs.bounds import Bound
from biascore.designs.mean import least_p
from biascore.errors import OptionsError
from biascore.stats import Decision, Unreachable, Verdict, decide
from biascore_metrics.mt_geneval.kind import FEMININE, MASCULINE, NOT_TOLD, GenevalTest, in_clusters
from biascore_metrics.mt_geneval.outcomes import GAP, Judged, Outcomes
from biascore_metrics.mt_geneval.words import SEPARATOR

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


class MtGeneval(Metric[MtGenevalOptions, GenevalTest]):
    """Translates the sentences and looks for the words that only one gender's reference has."""

    name = "mt-geneval"
    summary = "MT-GenEval, translation: is the stated gender kept as often in feminine sentences as in masculine ones"
    reference = "Currey et al. 2022, MT-GenEval, EMNLP, 4287-4299"
    rule = (
        "Detected when the share of correct translations differs between feminine and masculine sentences at level alpha, "
        "by an exact McNemar test over pairs, by Fisher's exact test where sentences are no pairs, or by a t test with an "
        "error by cluster (CR2) where the data name clusters such as documents."
    )
    requires = frozenset({"translate"})
    kinds = frozenset({"geneval"})

    def check(self, test: GenevalTest, catalogue: Catalogue) -> None:
        """Raise OptionsError for a target that is another language than that of the references."""
        target = self.options.target
        if target is not None and target.partition("-")[0] != test.target:
            raise OptionsError(
                f"target is {target}, and the references of {test.id} are in {test.target}. Leave the option out, or name a "
                f"variant such as {test.target}-XX"
            )

    def extra_stimuli(self, test: GenevalTest, catalogue: Catalogue) -> tuple[Test, ...]:
        """The other files of the test."""
        return test.other_files

    def unreachable(self, test: GenevalTest) -> tuple[Unreachable, ...]:
        """That few pairs, or clusters, can detect nothing."""
        usable = [line for line in test.lines.rows if line.gender and not line.untold]
        clustered = in_clusters(usable)
        if not usable or (test.part == "context" and not clustered):
            return ()
        least = least_p([line.together for line in usable], "clusters" if clustered else "pairs")
        return Unreachable.detected(least, self.options.alpha)

    def measure(self, model: Model, test: GenevalTest, context: Context) -> Finding:
        """Three outcomes by gender, their gap, and the published accuracy; items are the sentences."""
        options = self.options
        target = options.target or test.target
        asked = [line.asked(context=options.context) for line in test.lines.rows]
        texts = tuple(dict.fromkeys(asked))
        answers = model.translate(texts, test.language, target, unusable="empty")
        translations = dict(zip(texts, answers, strict=True))
        judged = tuple(
            Judged.of(line, translations[text]) for line, text in zip(test.lines.rows, asked, strict=True)
        )
        found = Outcomes(judged, paired=test.part == "sentences", level=options.confidence)
        estimates, bound = found.estimates, options.bound
        decision = decide(found.gap.p_value, found.gap.interval, alpha=options.alpha, bound=bound)
        if found.gap.problem:
            decision = Decision(Verdict.INCONCLUSIVE, f"It could not be tested: {found.gap.problem}.")
        if found.told and found.total("neither") >= HALF * len(found.told):
            held = f"{found.total('neither')} of {len(found.told)} translations hold neither gender's word"
            decision = Decision(Verdict.INCONCLUSIVE, f"It could not be tested: {held}.")
            nothing = {"value": None, "interval": None, "p_values": (), "estimator": None}
            estimates, bound = (estimates[0].model_copy(update=nothing), *estimates[1:]), None
        return Finding(
            variant="" if options.context or test.part == "sentences" else "without context",
            subject=f"{language_name(test.language)} to {language_name(target)}",
            positive_means="feminine sentences keep their gender in translation more often than masculine ones",
            negative_means="masculine sentences keep their gender in translation more often than feminine ones",
            estimates=estimates,
            decision=decision,
            equivalence=Equivalence.within(bound, GAP),
            needed=(),
            coverage=_coverage(judged),
            caveats=self._caveats(test, found),
            item_value="1 only words of its own gender, 0 others, none where references do not tell",
            item_neutral=None,
            figures=_figures(found),
            conventions={
                "source and target language": f"{test.language} to {target}",
                "words": "lower case, ASCII punctuation read as spaces, sets of words (published code)",
                "own words": "of a gender: those that its reference has and the other gender's has not",
                "correct": "words of its own gender alone; incorrect: of the other alone; both; neither",
                "dropped": "lines in which one of the references has no word of its own",
                GAP: "share correct of feminine sentences - share correct of masculine ones, of all usable lines",
                **found.stated,
                "published accuracy": "no word of the other gender's own, dropped lines included",
                **self._context_stated(test),
                "equivalence bound": options.bound,
                "alpha": options.alpha,
            },
            items=_items(found),
        )

    def _context_stated(self, test: GenevalTest) -> dict[str, str]:
        if test.part == "sentences":
            return {}
        asked = f"context {SEPARATOR} sentence" if self.options.context else "the sentence alone"
        return {
            "translated": f"{asked}; judged is what follows {SEPARATOR} in a translation, or all of it",
            "gender of a source": "that of its English pronouns, where all are of one gender",
        }

    def _caveats(self, test: GenevalTest, found: Outcomes) -> tuple[Caveat, ...]:
        told, neither, correct = found.told, found.total("neither"), found.total("correct")
        caveats = []
        if told and neither > self.options.max_neither * len(told):
            share = f"{100 * neither / len(told):.0f} %"
            caveats.append(
                Caveat(
                    f"{neither} of {len(told)} translations ({share}) hold neither gender's word; correct is a share of all",
                    short=f"{share} of translations hold neither gender's word",
                )
            )
        if neither < HALF * len(told) and correct < HALF * len(told):
            share = f"only {100 * correct / len(told):.0f} % of the translations keep the gender"
            caveats.append(Caveat(f"{share}, so equal shares say little", short=share))
        p = found.difference("neither").p_value
        if p is not None and p <= self.options.alpha:
            shares = " and ".join(
                f"{100 * found.share('neither', g):.1f} % of {g}" for g in (FEMININE, MASCULINE)
            )
            text = f"neither gender's word was found in {shares} sentences (p = {p:.2g}), which is part of the gap"
            caveats.append(Caveat(text))
        empty = sum(not one.translation for one in found.judged)
        if empty:
            caveats.append(
                Caveat(f"{empty} of {len(found.judged)} translations are empty, and count as neither")
            )
        unknown = sum(not one.line.gender for one in told)
        if unknown:
            text = f"the pronouns of {unknown} of {len(told)} sources tell no gender: they count in no gap"
            caveats.append(Caveat(text, verdict=False))
        whole = sum(one.whole for one in told)
        if whole and test.part == "context" and self.options.context:
            text = (
                f"{whole} of {len(told)} translations hold no {SEPARATOR}, and were judged whole, as of a system that "
                "translates the sentence alone; one that translates the context too shows words of both"
            )
            caveats.append(Caveat(text, verdict=False))
        return tuple(caveats)


def _coverage(judged: Sequence[Judged]) -> Coverage:
    roles = [one.line.gender or NOT_TOLD for one in judged]
    untold = [(one, role) for one, role in zip(judged, roles, strict=True) if one.line.untold]
    lost = tuple(LostWord(word=one.line.source, role=role, reason=one.line.untold) for one, role in untold)
    given = {role: roles.count(role) for role in dict.fromkeys(roles)}
    gone = [role for _, role in untold]
    return Coverage(given=given, used={role: n - gone.count(role) for role, n in given.items()}, lost=lost)


def _figures(found: Outcomes) -> tuple[Figure, ...]:
    shown = [one for one in found.by_gender if one.value is not None]
    bars = Bars(
        title="Share of translations by outcome",
        estimates=tuple(one.name for one in shown),
        labels=tuple(one.name for one in shown),
    )
    examples = Examples(
        title="Sentences translated in their gender, and in the other",
        follows="kept",
        beside=("translation", "translation"),
        marked="words",
    )
    return (bars, examples) if shown else ()


def _items(found: Outcomes) -> pa.Table:
    judged = found.judged
    by_cluster: Mapping[str, Sequence[Scalar]] = {
        "cluster": [one.line.together for one in judged],
        "contribution": found.contributions(),
    }
    return item_table(
        item=[one.line.source for one in judged],
        group=[one.line.gender or NOT_TOLD for one in judged],
        value=[None if one.line.untold else float(one.outcome == "correct") for one in judged],
        more={
            "outcome": [None if one.line.untold else one.outcome for one in judged],
            "kept": [None if one.line.untold else KEPT.get(one.outcome) for one in judged],
            "published": ["correct" if one.accurate else "incorrect" for one in judged],
            "translation": [one.translation for one in judged],
            "words": [", ".join(sorted(one.held)) for one in judged],
            "pair": [str(one.line.pair) for one in judged],
            **(by_cluster if found.clustered else {}),
        },
    )
