"""LPBS: how much more probable does an attribute make the words of X than those of Y?

Kurita, Vyas, Pareek, Black & Tsvetkov 2019, GeBNLP, section 2; equations 4-6 of Puttick & Kurpicz-Briki 2025.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import Field, field_validator

from biascore.api.metrics import Caveat, Context, Coverage, Estimate, LostWord, Model, Scalar, Test
from biascore.api.queries import Masked, Span
from biascore.api.stimuli import ATTRIBUTE, TARGET, slots_missing
from biascore.designs.association import AUDIT_TESTS, AssociationMetric, predicts
from biascore.designs.crossed import ATTRIBUTES, ROLES, TARGETS, Crossed, Floats
from biascore.designs.effect import EFFECT
from biascore.designs.harmless import Groups, OfGroups
from biascore.designs.kept import made_once
from biascore.designs.options import ReferenceOptions
from biascore.designs.words import distinct_words, unknown_words

SIMPLEST: Final = f"{TARGET} {ATTRIBUTE}"
"""The template of Puttick & Kurpicz-Briki 2025: two words alone need not agree in gender."""
Subtokens: TypeAlias = Literal["sum", "mean"]


class LpbsOptions(ReferenceOptions):
    """Conventions of LPBS.

    ``templates``: sentences with TARGET and ATTRIBUTE once each; the associations are averaged over them, and
    several are also reported apart. Without any, those of the test, and where it has none, "TARGET ATTRIBUTE".
    ``most_templates``: so many of them, from the first; none: all. ``most_words``: so many of each list, spread over it.
    ``model_kind``: whether a model is asked as a masked or as a causal language model; auto: as a masked one, if it can.
    ``subtokens``: the log-probability of a target of several sub-tokens, hidden
    together, is their sum or their mean. ``over``: whether targets are the observations, as in WEAT, or
    attributes, as in the code of Kurita et al. and of the Italian study.
    """

    templates: Annotated[tuple[str, ...] | None, Field(strict=False, min_length=1)] = None
    most_templates: int | None = Field(default=None, ge=1)
    most_words: int | None = Field(default=None, ge=2)
    model_kind: Literal["auto", "masked", "causal"] = "auto"
    subtokens: Subtokens = "sum"
    over: Literal["targets", "attributes"] = "targets"

    @field_validator("templates")
    @classmethod
    def _hold_each_slot_once(cls, templates: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for problem in slots_missing(templates or ()):
            raise ValueError(problem)
        for template in templates or ():
            if (templates or ()).count(template) > 1:
                raise ValueError(f"the template {template!r} is given twice; give it once")
        return templates

    def of(self, test: Test) -> tuple[str, ...]:
        """The sentences in which the words of a test are asked."""
        return (self.templates or test.asked_in or (SIMPLEST,))[: self.most_templates]

    def words_of(self, test: Test) -> dict[str, tuple[str, ...]]:
        """The words of each list that are asked."""
        words = {role: test.roles[role].words for role in ROLES}
        most = self.most_words
        return {
            role: own
            if most is None or len(own) <= most
            else tuple(own[i * len(own) // most] for i in range(most))
            for role, own in words.items()
        }

    def variant(self, model: Model) -> str:
        """What tells this measurement from others of LPBS: options that are not the defaults."""
        templates = () if self.templates is None else (" + ".join(map(repr, self.templates)),)
        return ", ".join([*templates, *self.changed("templates", "model_kind")])


UNLIKE_LENGTHS: Final = 0.3
"""Lists whose words differ by so many sub-tokens on average get a caveat."""
READINGS: Final = {"sum": "the mean over sub-tokens", "mean": "the sum over sub-tokens"}
"""By the option ``subtokens``, the reading that it is not."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A template with a target and an attribute in place, and where they stand."""

    text: str
    target: Span
    attribute: Span

    @classmethod
    def of(cls, template: str, target: str, attribute: str) -> Filled:
        """The template with both words as they are listed."""
        words = {TARGET: target, ATTRIBUTE: attribute}
        text, spans, rest = "", {}, template
        for slot in sorted(words, key=template.index):
            before, _, rest = rest.partition(slot)
            start = len(text) + len(before)
            spans[slot] = (start, start + len(words[slot]))
            text += before + words[slot]
        return cls(text + rest, spans[TARGET], spans[ATTRIBUTE])

    def questions(self) -> tuple[Masked, Masked]:
        """p_tgt: the target hidden, the attribute in sight; p_prior: both hidden, the target asked for."""
        return Masked(self.text, (self.target,)), Masked(self.text, (self.target,), also=(self.attribute,))


class Answers(NamedTuple):
    """Nats (templates, n, m) of n targets with m attributes, by how sub-tokens are read.

    ``lost``: which of the targets (n,), then of the attributes (m,), are not read. ``tokens`` (n,): how many sub-tokens a
    target has, where it is known.
    """

    nats: Mapping[str, Floats]
    lost: npt.NDArray[np.bool_]
    tokens: npt.NDArray[np.int64] | None = None


class InTemplates(AssociationMetric[LpbsOptions]):
    """Associations in nats of words in templates; the headline is the effect size d.

    ``Crossed.source`` has tables by name: of each of several templates, and with the other reading of sub-tokens.
    ``unread``: why a word is lost that is not read. ``association``: what one is.
    """

    name = "lpbs"
    reference = "Kurita, Vyas, Pareek, Black & Tsvetkov 2019, GeBNLP, 166-172"
    unit = "nats"
    most_groups = (30, 6)
    asked_per_cell: ClassVar[int] = 1
    unread: ClassVar[str]
    association: ClassVar[str]

    def __init__(self, options: LpbsOptions) -> None:
        super().__init__(options)
        if options.over == "attributes":
            self.own, self.against = ATTRIBUTES, TARGETS

    @abstractmethod
    def ask(self, model: Model, filled: Sequence[Filled], shape: tuple[int, int, int]) -> Answers:
        """What the model answers of templates with their words, which are of this shape, in one call."""

    def centred(self, nats: Floats) -> Floats:
        """The associations (templates, n, m) of the words that are left."""
        return nats

    def associate(self, model: Model, test: Test, context: Context) -> Crossed:
        """The mean association over all templates.

        A word is lost that is not read, and, where the model can also embed, one that it knows nothing of, because the
        probability of an unknown token says nothing of the word.
        """
        options, templates = self.options, self.options.of(test)
        given = options.words_of(test)
        kept, lost = distinct_words(given, options)
        targets, attributes = ([(r, w) for r in roles for w in kept[r]] for roles in (TARGETS, ATTRIBUTES))
        both = [*targets, *attributes]
        filled = [Filled.of(one, x, a) for one in templates for _, x in targets for _, a in attributes]
        answers = self.ask(model, filled, (len(templates), len(targets), len(attributes)))
        reasons = {word: self.unread for word, gone in zip(both, answers.lost, strict=True) if gone}
        if "embed" in model.capabilities:
            left = [one for one in both if one not in reasons]
            unknown = unknown_words(model, {"read": [word for _, word in left]}, options)
            reasons |= {(role, word): unknown[word] for role, word in left if word in unknown}
        rows, columns = (
            [i for i, word in enumerate(some) if word not in reasons] for some in (targets, attributes)
        )
        asc = {name: self.centred(of[:, rows][:, :, columns]) for name, of in answers.nats.items()}
        own = asc.pop(options.subtokens)
        parts = dict(zip(map(repr, templates), own, strict=True)) if len(own) > 1 else {}
        tokens = None if answers.tokens is None else answers.tokens[rows]
        if tokens is not None and tokens.max(initial=0) >= 2:
            parts[READINGS[options.subtokens]] = next(iter(asc.values())).mean(axis=0)
        words = {role: tuple(word for word in kept[role] if (role, word) not in reasons) for role in ROLES}
        lost += [
            LostWord(word=w, role=role, reason=reasons[role, w]) for role, w in both if (role, w) in reasons
        ]
        coverage = Coverage(
            given={role: len(given[role]) for role in ROLES},
            used={role: len(words[role]) for role in ROLES},
            lost=tuple(lost),
        )
        columns_of = {} if tokens is None else {"n_tokens": tokens.tolist()}
        return Crossed(words, own.mean(axis=0), coverage, columns=columns_of, source=parts)

    def associate_groups(
        self, model: Model, test: Test, found: Crossed, groups: Groups, context: Context
    ) -> OfGroups | str:
        """Associations with the words of harmless groups, each asked with each word that stays.

        Asked once of an opened model, for tests of other people often have the same words that stay.
        """
        # The words that stay are fewer already; those of the groups are all asked.
        every = type(self)(self.options.model_copy(update={"most_words": None}))
        inherited = super(InTemplates, every).associate_groups
        key = self._key(test, groups, {role: found.words[role] for role in groups.stay})
        of_groups = made_once(model, key, lambda: inherited(model, test, found, groups, context))
        if isinstance(of_groups, str):
            return of_groups
        cells = len(groups.asked) * sum(len(found.words[role]) for role in groups.stay)
        return of_groups._replace(queries=cells * len(self.options.of(test)) * self.asked_per_cell)

    def _key(self, test: Test, groups: Groups, stay: Mapping[str, Sequence[str]]) -> Hashable:
        """What the answers with harmless groups depend on."""
        words = tuple((role, tuple(stay[role])) for role in groups.stay)
        return type(self), repr(self.options), self.options.of(test), groups.place, groups.asked.words, words

    def ask_some(self, model: Model, test: Test, context: Context) -> Mapping[str, int]:
        """All targets with the middle attribute, and whether each word is known."""
        options, templates = self.options, self.options.of(test)
        kept, _ = distinct_words(options.words_of(test), options)
        groups = Groups.of(test, context.catalogue, options, self.most_groups)
        targets, attributes = ([w for role in roles for w in kept[role]] for roles in (TARGETS, ATTRIBUTES))
        one = attributes[len(attributes) // 2]
        some = [Filled.of(text, x, one) for text in templates for x in targets]
        self.ask(model, some, (len(templates), len(targets), 1))
        if "embed" in model.capabilities:
            unknown_words(model, {"read": [*targets, *attributes]}, options)
            unknown_words(
                model,
                {"read": [*(w for role in groups.stay for w in kept[role]), *groups.asked.words]},
                options,
            )
        own = {role: kept[role] for role in groups.stay}
        more: list[int] = []  # where another test has asked the same, this one does not
        made_once(
            model, ("counted", self._key(test, groups, own)), lambda: more.append(sum(map(len, own.values())))
        )
        cells = len(targets) * len(attributes) + len(groups.asked) * sum(more)
        (hook,) = self.requires
        return {hook: cells * len(templates) * self.asked_per_cell}

    @classmethod
    def audited(cls, model: Model) -> tuple[str, ...]:
        """The long tests, of a model that predicts words."""
        return (AUDIT_TESTS,) if predicts(model) else ()

    @classmethod
    def audit_options(cls, model: Model, design: str) -> Mapping[str, Any]:
        """One sentence, but for the full design, and 30 words of each list in the small one."""
        fewer = {"small": {"most_templates": 1, "most_words": 30}, "standard": {"most_templates": 1}}
        return {**super().audit_options(model, design), **fewer.get(design, {})}

    def further_estimates(
        self, test: Test, found: Crossed, problem: str, rng: np.random.Generator
    ) -> Iterator[Estimate]:
        """d of each of several templates, and with the other reading."""
        later, readings = rng.spawn(1)[0], READINGS.values()
        for part, table in (found.source or {}).items():
            of_reading = part in readings
            if not (of_reading and problem):
                stream, name = later if of_reading else rng, f"{EFFECT} with {part}"
                yield self.effect(test, found, problem, stream, table=table, name=name).estimates[0]

    def item_columns(self, test: Test, found: Crossed) -> dict[str, Sequence[Scalar]]:
        """Columns of the method, and the score of each word with each of several templates."""
        samples = {
            f"s with {part}": found.sample(test, self.own, self.against, table)
            for part, table in found.source.items()
            if part not in READINGS.values()
        }
        scores = {name: np.concatenate(sample.scores).tolist() for name, sample in samples.items()}
        return {**(found.columns if self.own == TARGETS else {}), **scores}

    def stated(self, model: Model, test: Test, context: Context) -> Mapping[str, Scalar]:
        """What an association and a score are, and over what they are averaged."""
        over, against = self.options.over, self.against
        return {
            "association": self.association,
            "item value": f"s = mean asc with {against[0]} - mean asc with {against[1]}",
            "templates": " | ".join(self.options.of(test)),
            "several templates": "asc averaged over them; each alone as a further estimate, not adjusted",
            "observations": over,
            "resampled": self.options.resampled(over, "attributes" if self.own == TARGETS else "targets"),
        }


class CausalLpbs(InTemplates):
    """The association is the log-likelihood of the whole sentence; what a word adds by itself cancels out in d."""

    summary = "LPBS on a causal model: the log-likelihood of sentences with a target and an attribute"
    requires = frozenset({"score"})
    item_value = "mean difference of the log-likelihood, nats"
    unread = "the model gives no log-likelihood with it"
    idle_options = MappingProxyType({"subtokens": "nothing is hidden from a causal model"})
    association = (
        "asc(x, a) = ln p(sentence with x and a), less its mean over x; what one word adds cancels out"
    )

    def ask(self, model: Model, filled: Sequence[Filled], shape: tuple[int, int, int]) -> Answers:
        """The log-likelihood of each sentence."""
        likely = np.array(model.score([one.text for one in filled], "log_likelihood", in_nats=True)).reshape(
            shape
        )
        known = np.asarray(np.isfinite(likely).all(axis=0))
        columns = np.asarray(known.any(axis=0))
        rows = np.asarray(known[:, columns].all(axis=1))
        return Answers({"sum": likely}, ~np.concatenate([rows, columns]))

    def centred(self, nats: Floats) -> Floats:
        """Less their mean over all targets with an attribute."""
        return nats - nats.mean(axis=1, keepdims=True) if nats.size else nats


class Lpbs(InTemplates):
    """LPBS on masked language models; the headline is the effect size d of associations in nats."""

    summary = "Log Probability Bias Score: WEAT on log-probabilities of words, on a masked or causal model"
    use = "associates"
    requires = frozenset({"mask_logprob"})
    causal = CausalLpbs
    item_value = "mean difference of the increased log-probability, nats"
    asked_per_cell = 2
    unread = "the tokenizer drops all of its characters"
    association = "asc(x, a) = ln p(x | a in sight) - ln p(x | a hidden too), x hidden in both"

    def ask(self, model: Model, filled: Sequence[Filled], shape: tuple[int, int, int]) -> Answers:
        """log p_tgt - log p_prior."""
        queries = [query for one in filled for query in one.questions()]
        answers = model.mask_logprob(queries, unread="empty")
        total = np.array([one.total if one.tokens else math.nan for one in answers]).reshape(*shape, 2)
        count = np.array([len(one.tokens) for one in answers]).reshape(*shape, 2)
        readings = {"sum": total, "mean": total / np.maximum(count, 1)}
        dropped = np.isnan(total[..., 0]).any(axis=(0, 2))
        # With its target read, a prior that is not there lacks its attribute.
        priors = np.isnan(total[..., 1][:, ~dropped]).any(axis=(0, 1))
        nats = {name: of[..., 0] - of[..., 1] for name, of in readings.items()}
        return Answers(nats, np.concatenate([dropped, priors]), count[..., 0].max(axis=(0, 2)))

    def caveats(self, model: Model, found: Crossed, further: Sequence[Estimate]) -> tuple[Caveat, ...]:
        """That longer targets add up more of whatever raises every sub-token, where X and Y are not alike long."""
        n_tokens, cut = np.array(found.columns["n_tokens"]), len(found.words["X"])
        x, y = (float(own.mean()) if len(own) else 0.0 for own in (n_tokens[:cut], n_tokens[cut:]))
        beside = [one for one in further if one.name == f"{EFFECT} with {READINGS[self.options.subtokens]}"]
        if self.options.subtokens == "mean" or not beside or abs(x - y) < UNLIKE_LENGTHS:
            return ()
        value = "not estimable" if beside[0].value is None else f"{beside[0].value:z.3g}"
        text = (
            f"words of X have {x:z.3g} sub-tokens, those of Y {y:z.3g}; what A raises more than B in every sub-token adds "
            f"up over them, so that longer words seem associated without a bias: read the {beside[0].name} ({value}), "
            "or measure with subtokens=mean"
        )
        return (Caveat(text, short="the target words also differ in length"),)

    def stated(self, model: Model, test: Test, context: Context) -> Mapping[str, Scalar]:
        """What an association and a score are, and over what they are averaged."""
        return {
            **super().stated(model, test, context),
            "log-probability of a word": f"{self.options.subtokens} over its sub-tokens, all hidden at once",
            "hidden attribute": "as many masks as it has sub-tokens",
        }
