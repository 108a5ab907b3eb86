"""SEAT: WEAT on words within sentences that say next to nothing else.

May, Wang, Bordia, Bowman & Rudinger 2019, NAACL-HLT, section 2; templates by part of speech and the two
levels as in Puttick & Kurpicz-Briki 2025, sections 2.2, B.6 and C.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, Literal

import numpy as np
from pydantic import field_validator

from biascore.api.metrics import Caveat, Context, Estimate, Model, Scalar, Test, caveats_of
from biascore.api.stimuli import Catalogue, Origin
from biascore.designs.association import AssociationMetric
from biascore.designs.crossed import ATTRIBUTES, ROLES, TARGETS, Crossed, Floats, means
from biascore.designs.effect import DEVIATIONS, EFFECT
from biascore.designs.harmless import NONE, Groups, OfGroups
from biascore.designs.options import WeatOptions
from biascore.designs.words import OF_MODEL
from biascore.errors import StimuliError
from biascore.stats import Unreachable, ZeroVarianceError, association, cosine_matrix, effect_size
from biascore_metrics.seat.sentences import Frames, RoleSentences, embed_sentences

Unit = Literal["word", "sentence"]
ASSOCIATION: Final[dict[Unit, str]] = {
    "word": "mean over the word's sentences and over attribute words, each with the mean of its sentences",
    "sentence": "of one sentence: mean over all attribute sentences",
}
DEPENDENT: Final = (
    "p-value and interval take the sentences of one word for independent observations, which they are not"
)
TOLD: Final = 0.1
"""The part of d that templates may have without a caveat."""


class SeatOptions(WeatOptions):
    """Conventions of SEAT.

    ``templates``: the stimuli file, in the language of the test, whose template lists are used; a word goes
    into the list that is named as the word is tagged. ``unit``: what the statistics count as one observation.
    A word's sentences are no independent observations of a bias, so by default its associations are averaged
    over them; "sentence" takes each sentence for an element of X, Y, A and B, as the papers do.
    ``level``: the vector of the whole sentence, or of the word within it.
    """

    templates: str = "seat"
    unit: Unit = "word"

    @field_validator("templates")
    @classmethod
    def _names_a_file(cls, file: str) -> str:
        if not file.strip():
            raise ValueError("is empty; name the stimuli file that holds the templates, such as 'seat'")
        return file

    def variant(self, model: Model) -> str:
        """What tells this measurement from others of SEAT; the level tells on static models too."""
        return ", ".join([f"{self.level} level", *self.changed("level")])


class Seat(AssociationMetric[SeatOptions]):
    """SEAT on any model that can embed; the headline is the effect size d over words, or over sentences."""

    name = "seat"
    summary = "Sentence Encoder Association Test: WEAT with each word in sentence templates"
    use = "associates"
    reference = "May, Wang, Bordia, Bowman & Rudinger 2019, NAACL-HLT, 622-628"
    requires = frozenset({"embed"})
    item_value = "association s(w, A, B), mean over the word's sentences"
    of_model = OF_MODEL
    most_groups = (40, 12)

    def check(self, test: Test, catalogue: Catalogue) -> None:
        """Raise StimuliError for words that have no sentences, OptionsError as WEAT does."""
        frames = Frames.of(test, catalogue, self.options.templates, self.options.level)
        for pair in (TARGETS, ATTRIBUTES) if self.options.unit == "sentence" else ():
            words = [[(role, word) for word in test.roles[role].words] for role in pair]
            one, other = ([text.text for place in some for text in frames.texts(*place)] for some in words)
            self.options.check_exact(one, other, test, "sentences")
        super().check(test, catalogue)

    def extra_stimuli(self, test: Test, catalogue: Catalogue) -> tuple[Origin, ...]:
        templates = catalogue.file(test.language, self.options.templates)
        return (templates, *super().extra_stimuli(test, catalogue))

    def unreachable(self, test: Test) -> tuple[Unreachable, ...]:
        """What lists as short as these cannot show; over sentences, of which each word has many, nothing."""
        return () if self.options.unit == "sentence" else super().unreachable(test)

    def associate(self, model: Model, test: Test, context: Context) -> Crossed:
        """The cosines of the sentences of X and Y with those of A and B, or their means over the sentences of words."""
        options = self.options
        frames = Frames.of(test, context.catalogue, options.templates)
        roles, coverage = embed_sentences(model, test, frames, options.level, options)
        empty = not all(roles[role].words for role in ROLES)
        read = {} if empty else roles
        vectors = {role: means(one.vectors.astype(np.float64), one.counts) for role, one in read.items()}
        # The vector of a word alone does not depend on its sentence.
        alone = model.identity.composes_words and options.level == "token"
        return Crossed(
            {role: some.words for role, some in roles.items()},
            np.empty((0, 0)) if empty else np.block(_tables(roles, options.unit)),
            coverage,
            vectors or None,
            norms=False,
            counts=None if options.unit == "word" else {role: some.counts for role, some in roles.items()},
            blocks={} if alone else {role: some.tags for role, some in roles.items()},
            columns={
                "n_templates": [count for role in TARGETS for count in roles[role].counts],
                "tag": [tag for role in TARGETS for tag in roles[role].tags],
            },
            source=roles,
        )

    def associate_groups(
        self, model: Model, test: Test, found: Crossed, groups: Groups, context: Context
    ) -> OfGroups | str:
        """The cosines of the words, or sentences, that stay with the words of harmless groups, each in its sentences."""
        options, roles = self.options, found.source
        asked = replace(test, roles=dict.fromkeys(ROLES, NONE) | {"A": groups.asked})
        try:
            frames = Frames.of(asked, context.catalogue, options.templates, options.level)
        except StimuliError as error:
            return str(error)
        of_groups = embed_sentences(model, asked, frames, options.level, options)[0]["A"]
        if not all(found.words.values()):
            return "there is no effect size"
        scores = [_cosines(roles[role], of_groups, options.unit, "word") for role in groups.stay]
        return OfGroups(of_groups.words, np.concatenate(scores), queries=sum(of_groups.counts))

    def further_estimates(
        self, test: Test, found: Crossed, problem: str, rng: np.random.Generator
    ) -> Iterator[Estimate]:
        """The effect size over the other unit: the value alone, for comparison."""
        other: Unit = "sentence" if self.options.unit == "word" else "word"
        value, n = None, {"X": 0, "Y": 0}
        if not problem:
            x, y = (association(*pair) for pair in _tables(found.source, other))
            n = {"X": len(x), "Y": len(y)}
            with suppress(ZeroVarianceError):
                value = effect_size(x, y, self.options.ddof)
        yield Estimate(name=f"{EFFECT} over {other}s", value=value, unit=DEVIATIONS, n=n)

    def caveats(self, model: Model, found: Crossed, further: Sequence[Estimate]) -> tuple[Caveat, ...]:
        """What of d is that of templates, and sentences that are no independent observations."""
        part = _of_templates(found, self.options.ddof)
        text = (
            "X differs from Y, and A from B, in their templates (articles or parts of speech): with the words exchanged "
            f"within templates, d is {part:z.2f} on average. That part of the effect may be that of the templates"
        )
        short = f"{part:z.2f} of d may be that of the templates"
        return (
            *caveats_of([text] * (abs(part) >= TOLD), short=short),
            *caveats_of([DEPENDENT] * (self.options.unit == "sentence")),
        )

    def stated(self, model: Model, test: Test, context: Context) -> dict[str, Scalar]:
        """The sentences, and what an association is."""
        options = self.options
        return {
            "effect size": f"(mean s(X) - mean s(Y)) / sd of s over the {options.unit}s of X and Y together",
            "association s": ASSOCIATION[options.unit],
            "word in its sentence": "as listed: not inflected, not capitalised at the start",
            **Frames.of(test, context.catalogue, options.templates).told(test, options.templates),
        }


def _of_templates(found: Crossed, ddof: int) -> float:
    """The mean over labellings that exchange targets, and attributes, within templates only: of d, with its deviation."""
    if not found.table.size or not found.blocks:
        return 0.0
    table = np.asarray(found.table)
    contrasts = [_between(found, *pair) for pair in (TARGETS, ATTRIBUTES)]
    size = len(found.words["A"]) if found.counts is None else sum(found.counts["A"])
    spread = float((table[:, :size].mean(axis=1) - table[:, size:].mean(axis=1)).std(ddof=ddof))
    return float(contrasts[0] @ table @ contrasts[1]) / spread if spread else 0.0


def _between(found: Crossed, one: str, other: str) -> Floats:
    """Weights (n,) of the rows, or columns, of two roles: the share of its template in ``one`` less that in ``other``."""
    tags = [np.repeat(found.blocks[r], found.counts[r] if found.counts else 1) for r in (one, other)]
    _, template = np.unique(np.concatenate(tags), return_inverse=True)
    first, second = (
        np.bincount(some, minlength=template.max() + 1) for some in np.split(template, [len(tags[0])])
    )
    contrast = first / first.sum() - second / second.sum()
    return np.asarray((contrast / (first + second))[template])


def _tables(roles: Mapping[str, RoleSentences], unit: Unit) -> list[list[Floats]]:
    """The cosines of the words, or the sentences, of X and of Y, each with those of A and with those of B."""
    return [[_cosines(roles[row], roles[side], unit) for side in ATTRIBUTES] for row in TARGETS]


def _cosines(own: RoleSentences, other: RoleSentences, unit: Unit, across: Unit | None = None) -> Floats:
    """Of sentences, or of words: means over their sentences; ``across``, if not the same, is the unit of the columns."""
    cosines = cosine_matrix(own.vectors, other.vectors)
    if (across or unit) == "word":
        cosines = means(cosines.T, other.counts).T
    return means(cosines, own.counts) if unit == "word" else cosines
