"""The six questions as hooks: with which parameters each is asked, and how its answers are checked and kept."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from biascore.basics.surface import option
from biascore.basics.wording import quoted
from biascore.errors import CapabilityError, OptionsError, QuestionError
from biascore.models.backend import Identity
from biascore.models.pipeline.answers import (
    no_translation,
    split_choices,
    split_logprobs,
    split_scores,
    split_texts,
    split_vectors,
    split_written,
)
from biascore.models.pipeline.calling import Hook
from biascore.models.questions import codecs
from biascore.models.questions.questions import (
    Choice,
    Chosen,
    Continuation,
    Level,
    Masked,
    Text,
    TokenLogprobs,
    Way,
)
from biascore.models.questions.writing import Prompt, Settings, Written


def no_capability(model: str, hook: str, capabilities: Collection[str], lacks: str) -> str:
    """Why a model is not asked through a hook, and what to do; ``lacks`` is its own word of why."""
    why = f" ({lacks})" if lacks else ""
    return (
        f"{model} cannot {hook}; it can {', '.join(sorted(capabilities))}{why}. Choose a metric that needs only those, or "
        "another model."
    )


def embedding(level: Level) -> Hook[Text, npt.NDArray[np.float32]]:
    """``embed`` at a level."""
    return Hook("embed", {"level": level}, split_vectors, codecs.encode_vector, codecs.decode_vector)


def filling() -> Hook[Masked, TokenLogprobs]:
    """``mask_logprob``."""
    return Hook("mask_logprob", {}, split_logprobs, codecs.encode_logprobs, codecs.decode_logprobs)


def translating(source: str, target: str, *, lenient: bool) -> Hook[str, str]:
    """``translate``; ``lenient``: an answer that is no translation is not kept, and no error."""
    pair = {"source": source, "target": target}
    return Hook(
        "translate", pair, split_texts, codecs.encode_text, codecs.decode_text, no_translation, lenient
    )


def scoring(quantity: str) -> Hook[str | Continuation, float]:
    """``score`` of a quantity."""
    return Hook("score", {"quantity": quantity}, split_scores, codecs.encode_score, codecs.decode_score)


def way_of(model: str, identity: Identity, way: Way | None) -> Way:
    """The way in which a model, called so, is asked to choose: the one that is named, else the only one that it has.

    Raises OptionsError where it has several, CapabilityError where it has not this one.
    """
    ways = identity.ways
    if way is None and len(ways) > 1:
        advised = "text" if "text" in ways else ways[0]
        raise OptionsError(
            f"{model} can be asked to choose by {', '.join(ways)}, and their answers are not comparable. Name one: "
            f"{option('way', advised)}"
        )
    if way is not None and way not in ways:
        raise CapabilityError(
            f"{model} cannot be asked to choose by {way}; it can by {', '.join(ways) or 'nothing'}. Name one of those, or "
            "another model"
        )
    only: Way = next(iter(ways), "likelihood")
    return way or only


def chosen_by(identity: Identity, way: str) -> dict[str, str]:
    """The conventions of choosing in a way; letters of a log are in the one form that its harness asked for."""
    forms = (
        "in the form that the log has" if identity.chosen_before else "with and without white space around"
    )
    return {**identity.prompting, "options chosen by": f"letters, {forms}" if way == "letters" else way}


def choosing(
    model: str, identity: Identity, way: Way | None, asked: Sequence[Choice]
) -> Hook[Choice, Chosen]:
    """``choose`` in a way; raises what `way_of` does, and QuestionError for a seed where the way draws nothing."""
    taken = way_of(model, identity, way)
    seeded = next((one for one in asked if one.seed is not None), None)
    if seeded is not None and taken != "text":
        raise QuestionError(
            f"{model}: {quoted(seeded.prompt)} has the seed {seeded.seed}, and is asked by {taken}, which draws no answer. "
            "Ask by text, or leave the seed out"
        )
    given: dict[str, str] = {"way": taken}
    return Hook("choose", given, split_choices, codecs.encode_chosen, codecs.decode_chosen)


def generating(settings: Settings) -> Hook[Prompt, Written]:
    """``generate`` with these settings."""
    return Hook(
        "generate", {"settings": settings}, split_written, codecs.encode_written, codecs.decode_written
    )


def written_by(
    before: Mapping[str, str], identity: Identity, settings: Settings, asked: Sequence[Prompt]
) -> dict[str, str]:
    """The conventions of texts that are written with these settings, and with those of calls ``before``."""
    earlier = [one for one in before.get("texts written", "").split("; ") if one]
    samples = max([int(before.get("texts a prompt", 0)), *(one.sample + 1 for one in asked)])
    system = {"system prompt": "of the test"} if any(one.system is not None for one in asked) else {}
    return {
        **identity.prompting,
        **system,
        "texts written": "; ".join(dict.fromkeys([*earlier, settings.told])),
        "texts a prompt": str(samples),
        **identity.writing,
    }


def prompting(model: str, identity: Identity, asked: Iterable[str | Continuation]) -> Mapping[str, str]:
    """Conventions of how prompts are put, where ``asked`` has continuations of some; CapabilityError where it takes none."""
    if not any(isinstance(one, Continuation) for one in asked):
        return {}
    if not identity.continues:
        raise CapabilityError(
            f"{model} scores whole texts only, and a text after a prompt is asked for. Name a causal language model, "
            "such as hf:gpt2"
        )
    return identity.prompting
