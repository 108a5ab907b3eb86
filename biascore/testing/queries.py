"""The queries that a contract sends to a model: of each hook some, of several lengths and scripts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pluggy

from biascore.models.backend import Backend, Identity
from biascore.models.pipeline import hooks
from biascore.models.pipeline.calling import Hook
from biascore.models.questions.capabilities import CAPABILITIES, PROJECT, QUESTIONS, CapabilitySpecs
from biascore.models.questions.questions import Choice, Chosen, Continuation, Masked, Text, TokenLogprobs
from biascore.models.questions.writing import OUTCOMES, Prompt, Settings, Written

TEXTS: Final = (
    "The nurse is tired.",
    "He is a cautious person who reads twice.",
    "My neighbour has opened a shop.",
    "Yes.",
)
"""Plain sentences of several lengths."""
SCRIPTS: Final = (
    "Naïve café owners in Zürich — déjà vu!",
    "The doctor 👩🏽‍⚕️ smiles 🙂.",
    "הרופאה עייפה היום.",
    "الطبيبة متعبة اليوم.",
    "医生今天很累。",
    "e\u0301 and \u00e9 look alike",
    "a\u00a0b\u200bc",
)
"""Accents, emoji of several code points, right-to-left, unspaced and combining characters, spaces that are none."""
LENGTH: Final = 3000
"""Words of a long text: more than most models read at once."""
TOKENS: Final = 12
"""Of a text that a contract has written."""
WORDS: Final = ("he", "she", "it", "we", "they", "you", "this", "that", "who", "what")


@dataclass(frozen=True, slots=True)
class Asked:
    """Queries of one hook with its parameters; ``call`` gives what the backend answers, checked, one for one."""

    name: str
    hook: Hook[Any, Any]
    queries: tuple[Any, ...]


@dataclass(slots=True)
class Direct:
    """A backend that is asked without cache, retries or transforms."""

    backend: Backend
    name: str
    manager: pluggy.PluginManager = field(init=False)

    def __post_init__(self) -> None:
        self.manager = pluggy.PluginManager(PROJECT)
        self.manager.add_hookspecs(CapabilitySpecs)
        self.manager.register(self.backend)
        self.manager.check_pending()

    @property
    def capabilities(self) -> frozenset[str]:
        """The hooks that it answers."""
        return frozenset(one.name for one in self.manager.get_hookcallers(self.backend) or []) & set(
            CAPABILITIES
        )

    def ask(self, hook: Hook[Any, Any], queries: Sequence[Any]) -> list[Any]:
        """The answers to the queries, in the batches that the backend wants, each checked as the engine does."""
        answers: list[Any] = []
        argument = QUESTIONS.get(hook.name, "texts")
        start = 0
        for size in self.backend.batch_sizes(hook.name, tuple(queries)):
            some = tuple(queries[start : start + size])
            start += size
            raw = getattr(self.manager.hook, hook.name)(**{argument: some}, **hook.params)
            answers += hook.split(self.name, raw, some)
        return answers


def asked_of(
    identity: Identity,
    capabilities: frozenset[str],
    texts: Sequence[str],
    languages: tuple[str, str],
    choices: Sequence[Choice] = (),
    prompts: Sequence[Prompt] = (),
    known: Sequence[str] = (),
) -> list[Asked]:
    """What to ask a model that answers these hooks, of the texts: queries of each hook, level, quantity and way.

    ``choices``, ``prompts``: the questions with options and the prompts, by default one about each text. ``known``: single
    words, for models of vectors of words, which answer no sentence.
    """
    found = []
    words = [_first_word(text) for text in texts]
    if "embed" in capabilities:
        for level in ("sentence", "token") if known else ():
            found.append(
                Asked(f"embed: words ({level})", hooks.embedding(level), tuple(map(Text.word, known)))
            )
        found.append(Asked("embed: sentence", hooks.embedding("sentence"), tuple(map(Text, texts))))
        tokens = tuple(Text(text, span) for text, span in zip(texts, words, strict=True))
        found.append(Asked("embed: token", hooks.embedding("token"), tokens))
    if "mask_logprob" in capabilities:
        spans = [Masked(text, (span,)) for text, span in zip(texts, words, strict=True)]
        each = [Masked(text, None, one_at_a_time=True) for text in texts]
        found.append(Asked("mask_logprob", hooks.filling(), (*spans, *each)))
    if "translate" in capabilities:
        found.append(Asked("translate", hooks.translating(*languages, lenient=True), tuple(texts)))
    if "score" in capabilities:
        found += [Asked(f"score: {q}", hooks.scoring(q), tuple(texts)) for q in identity.quantities]
        if identity.continues:
            pairs = tuple(Continuation("The doctor said:", f" {text}") for text in texts)
            found.append(Asked("score: continuations", hooks.scoring("log_likelihood"), pairs))
    for way in identity.ways if "choose" in capabilities else ():
        asked = tuple(choices) or tuple(
            Choice(f"{text} Is that so?", ("Yes, it is", "No, it is not", "Unknown")) for text in texts
        )
        found.append(Asked(f"choose: {way}", hooks.choosing("model", identity, way, asked), asked))
    if "generate" in capabilities:
        put = tuple(prompts) or tuple(Prompt(f"{text} What happens next?") for text in texts)
        drawn = put if prompts else tuple(replace(one, sample=sample) for one in put for sample in (0, 1))
        found.append(Asked("generate: most probable", hooks.generating(Settings(TOKENS)), put))
        found.append(Asked("generate: drawn", hooks.generating(Settings(TOKENS, 1.0)), drawn))
    return found


def numbers(answer: object) -> npt.NDArray[np.float64]:
    """The numbers of an answer, in order; of a text its code points."""
    if isinstance(answer, TokenLogprobs):
        return np.array(answer.logprobs, dtype=np.float64)
    if isinstance(answer, Chosen):
        return np.array(
            [*answer.logprobs, -1.0 if answer.chosen is None else answer.chosen], dtype=np.float64
        )
    if isinstance(answer, Written):
        answer = f"{OUTCOMES.index(answer.outcome)}{answer.said}"
    if isinstance(answer, str):
        return np.array([ord(character) for character in answer], dtype=np.float64)
    return np.atleast_1d(np.asarray(answer, dtype=np.float64))


def apart(one: Sequence[Any], other: Sequence[Any]) -> float:
    """The largest difference, relative to the largest number of the answer; infinity for another form."""
    largest = 0.0
    for a, b in zip(map(numbers, one), map(numbers, other), strict=True):
        if a.shape != b.shape or not np.array_equal(np.isnan(a), np.isnan(b)):
            return float("inf")
        if a.size and not np.isnan(a).all():
            largest = max(largest, float(np.nanmax(np.abs(a - b)) / max(1.0, float(np.nanmax(np.abs(a))))))
    return largest


def longer(query: Any) -> Any:
    """The query with its text twice, where that still is one."""
    return replace(query, text=f"{query.text} {query.text}") if hasattr(query, "text") else query


def answered(answer: object) -> bool:
    """Whether an answer says anything: not a row of NaN, no tokens, a refusal or an empty text."""
    if isinstance(answer, Chosen):
        return answer.chosen is not None
    if isinstance(answer, Written):
        return bool(answer.text) and answer.outcome != "refused"
    found = numbers(answer)
    return bool(found.size) and not np.isnan(found).all()


def _first_word(text: str) -> tuple[int, int]:
    """The first run of letters of a text."""
    start = next((i for i, c in enumerate(text) if c.isalpha()), 0)
    end = next((i for i in range(start, len(text)) if not text[i].isalpha()), len(text))
    return start, max(end, start + 1)
