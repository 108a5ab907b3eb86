"""What a reader of paired scores must be warned of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

from biascore.designs.pairs.estimates import Shares
from biascore.designs.pairs.scores import Paired
from biascore.designs.pairs.test import SentencePair
from biascore.metric import Context, Diagnosis, Diagnostic
from biascore.models.model import Model
from biascore.results.caveat import Caveat, caveats_of
from biascore.results.estimates import Estimate
from biascore.stimuli import Test

MIN_PAIRS: Final = 30
"""With fewer pairs the Wilson interval of a share near 50 % is wider than 34 percentage points."""
MAX_LOST_SHARE: Final = 0.2
MAX_NEUTRAL_SHARE: Final = 0.01
MIN_SHARED: Final = 3
"""Two words that sentences share are no template."""
GAP: Final = "\0"
TEMPLATE: Final = "template"
SKIPPED: Final = "malformed rows skipped: "


class DependentPairs(Diagnostic):
    """Whether pairs are lost, skipped, repeated, or of one template."""

    name = "dependent-pairs"
    summary = "pairs that are lost, repeated, or of one undeclared template"
    reads = (Paired,)
    few = True

    def diagnose(self, model: Model, test: Test, scores: Paired, context: Context) -> Diagnosis:
        """A caveat for each."""
        caveats = []
        if len(scores.lost) > MAX_LOST_SHARE * scores.given:
            lost = f"{len(scores.lost)} of {scores.given} pairs are lost"
            caveats.append(Caveat(f"{lost}; B is of the others only", short=lost))
        caveats += template_caveats(scores.every)
        repeated = sum(times - 1 for times in Counter(scores.every).values())
        if repeated:
            caveats.append(
                Caveat(f"{repeated} pair(s) repeat another one; interval and test take them for independent")
            )
        skipped = caveats_of(note for note in test.notes if note.startswith(SKIPPED))
        return Diagnosis((*caveats, *skipped))


PAIRED: Final[tuple[Diagnostic, ...]] = (DependentPairs(),)


def share_caveats(scores: Paired, found: Shares) -> tuple[Caveat, ...]:
    """Pairs that are neutral, and bias types of few pairs."""
    warnings = _neutral_warning(len(scores.pairs), found)
    few = [one for one in found.bias_types if one.n["pairs"] < MIN_PAIRS]
    if few:
        named = ", ".join(f"{one.name.removeprefix('B ')} ({one.n['pairs']})" for one in few)
        warnings.append(f"bias types with fewer than {MIN_PAIRS} pairs, whose B says little: {named}")
    return caveats_of(warnings, verdict=False)


def template_caveats(pairs: Sequence[SentencePair]) -> tuple[Caveat, ...]:
    """Pairs without a template that share every word but those that differ within a pair with another one."""
    frames = Counter(frame for pair in dict.fromkeys(pairs) if not pair.template and (frame := _frame(pair)))
    repeated = [times for times in frames.values() if times > 1]
    if not repeated:
        return ()
    text = (
        f"{sum(repeated)} pairs share all words but those of the group with others of them, {len(repeated)} template(s) in "
        "all: interval and test take them for independent. Name the template of each pair in a column, or field, called "
        f"{TEMPLATE}"
    )
    return (Caveat(text, short="pairs of one template are counted as independent"),)


def _frame(pair: SentencePair) -> tuple[str, ...]:
    """The words that both sentences share, with a gap where they differ; empty for fewer than three."""
    more, less = pair.sent_more.split(), pair.sent_less.split()
    frame: list[str] = []
    for tag, first, last, _, _ in SequenceMatcher(None, more, less, autojunk=False).get_opcodes():
        frame += more[first:last] if tag == "equal" else [GAP]
    return tuple(frame) if sum(word != GAP for word in frame) >= MIN_SHARED else ()


def mean_caveats(mean: Estimate) -> tuple[Caveat, ...]:
    """A caveat where B differs from 50 and the mean difference does not differ from 0."""
    if mean.interval is None or not mean.interval.low <= 0 <= mean.interval.high:
        return ()
    text = f"the share differs from 50 %, but the interval of the {mean.name} holds 0: read both"
    return (Caveat(text, short="the mean difference does not show it"),)


def _neutral_warning(pairs: int, found: Shares) -> list[str]:
    neutral = pairs - found.preferring.n["pairs"]
    if neutral <= MAX_NEUTRAL_SHARE * pairs:
        return []
    if neutral == pairs:
        return [f"all {pairs} pairs are neutral: no score differs by what the option decimals lets count"]
    even = 50 * found.preferring.n["pairs"] / pairs
    return [
        f"{neutral} of {pairs} pairs are neutral and lower B: a model without preference would have {even:z.1f} %, "
        "not 50 %. The test and the verdict leave them out"
    ]
