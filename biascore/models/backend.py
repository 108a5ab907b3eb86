"""What answers for one model: the ``Backend`` that an adapter opens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from biascore.basics.progress import Progress
from biascore.errors import CapabilityError
from biascore.models.questions.cost import Cost, characters
from biascore.models.questions.questions import Familiarity, Way
from biascore.models.training import Checkpoints, Trained, Training
from biascore.models.vocabulary import Vocabulary

LOOKED_AT: Final = 1000
"""So many first words of a vocabulary are looked at for an example."""
SHORT: Final = 20
"""An example of a word has at most so many characters."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What exactly was opened: enough to distinguish two models and to key their answers.

    ``digest`` is ``"<algorithm>:<hex>"`` over the weights, and says so in the algorithm where it
    is over a sample of them. ``composes_words`` is true for models that know words only and take
    the mean of the word vectors for anything longer. ``quantities`` are the names that ``score`` answers,
    as far as they can be listed. ``facts`` is shown in reports. ``conventions`` are those of every measurement on it: how
    its file of answers was read, how its weights are quantised. ``in_nats`` is false where the base of its logarithms is
    not known. ``control`` is given by a model whose bias is known because it was made: the effect by test id, 0 for none.
    Such a model checks the tests: what is measured on it is never counted among the findings of a run.
    ``asking`` are conventions of every measurement on it that two have to share to be compared: the case of its words.
    ``continues``: ``score`` takes a ``Continuation``. ``ways``: those in which ``choose`` can ask; ``chosen_before``: it has
    one answer to each item, whatever the order of the options. ``prompting`` are conventions of the measurements that ask
    with prompts: how these are put; ``writing`` of those that have texts written, in the place of what their settings say.
    """

    digest: str
    revision: str | None = None
    composes_words: bool = False
    sentence_vector: str = ""
    quantities: tuple[str, ...] = ()
    facts: Mapping[str, str | int | float] = field(default_factory=dict)
    conventions: Mapping[str, str] = field(default_factory=dict)
    in_nats: bool = True
    control: Mapping[str, float] | None = None
    continues: bool = False
    ways: tuple[Way, ...] = ()
    chosen_before: bool = False
    prompting: Mapping[str, str] = field(default_factory=dict)
    writing: Mapping[str, str] = field(default_factory=dict)
    asking: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Told:
    """What only the answers of a model tell of it: facts for its record, and warnings for the run."""

    facts: Mapping[str, str | int | float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class Backend:
    """An opened model: subclass it and implement (``@hookimpl``) the capability hooks it can answer.

    ``batch`` is the largest number of questions it wants in one call; ``batch_sizes`` where it depends on them.
    ``in_flight`` is how many calls of its hooks may run at once, each of one batch and in a thread of its own. With more
    than 1, the hooks and ``cost`` are called in several threads, and share their state safely; answers, counts and errors
    are those of calls one by one.
    ``lacks`` says in words why this model answers less than its kind does, if so; errors that tell of it quote it.
    Raise TransientModelError or RateLimitError for transient failures, QuestionError for a
    question it cannot take; the engine deduplicates, caches and retries.
    """

    identity: Identity
    batch: int = 512
    in_flight: int = 1
    lacks: str = ""

    def batch_sizes(self, hook: str, questions: Sequence[Any]) -> Iterable[int]:  # noqa: ARG002
        """How many of the questions go into each call of ``hook``, in their order; adds up to all of them.

        The answers of one call are kept together or not at all, so a service that charges makes one request
        a call. Raises QuestionError for what the model cannot take, before anything is asked.
        """
        full, rest = divmod(len(questions), max(1, self.batch))
        return [max(1, self.batch)] * full + [rest] * bool(rest)

    def familiarity(self, words: Sequence[str]) -> Sequence[Familiarity]:
        """Whether the model has seen each word, and how frequent it is as far as that is known, one for one.

        What ``embed`` alone does not tell, and a vocabulary or tokenizer does without the model: it is asked in a plan,
        too, costs nothing and is not kept. The default says that every word is seen, which is right for models that
        read any text in pieces that all were trained, and nothing of frequency.
        """
        return [Familiarity()] * len(words)

    def vocabulary(self) -> Vocabulary | None:
        """All words that it has vectors for, or None: what reads any text in pieces has no such list."""
        return None

    def first_words(self, most: int) -> Sequence[str]:
        """A few words of its vocabulary, as an example for a reader; none where it has no list of words."""
        found = self.vocabulary()
        if found is None:
            return ()
        short = [word for word in found.words(LOOKED_AT) if len(word) <= SHORT]
        return list(dict.fromkeys([*filter(str.isalpha, short), *short]))[:most]

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, Any]) -> Cost:  # noqa: ARG002
        """What these questions, in one call of ``hook`` with ``params``, would take, without the model.

        Raises QuestionError where the hook would. The default knows no more than the length of the texts.
        """
        return Cost(characters=sum(map(characters, questions)))

    def export(self, folder: Path, *, int8: bool = False) -> str:  # noqa: ARG002
        """Write the model into an empty folder, in a form that another adapter opens; returns that adapter's id.

        ``int8``: with weights rounded to 8 bits. The default raises CapabilityError: models of this kind
        cannot be exported.
        """
        raise CapabilityError("models of this kind cannot be exported. See docs/adapters for those that can")

    def fine_tune(
        self,
        folder: Path,  # noqa: ARG002
        texts: Sequence[str],  # noqa: ARG002
        training: Training,  # noqa: ARG002
        checkpoints: Checkpoints,  # noqa: ARG002
        progress: Progress,  # noqa: ARG002
    ) -> Trained:
        """Train a copy of this masked language model further on the texts, and write it into an empty folder.

        The model itself stays as it is. The state is kept with ``checkpoints`` when that is due, and a training goes on
        from the state that is there: on a CPU to the same weights, bit for bit, as without interruption. The default
        raises CapabilityError: models of this kind cannot be trained.
        """
        raise CapabilityError(
            "models of this kind cannot be trained. Name a masked language model of hf: (biascore list adapters)"
        )

    def told(self) -> Told:
        """What its answers showed of it so far, such as the name that a server answers with; the default knows nothing."""
        return Told()

    def close(self) -> None:
        """Let go of files and memory; called once."""
