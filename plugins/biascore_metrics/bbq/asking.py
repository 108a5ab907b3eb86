"""How the questions of a test are put to a model: in which way, by which prompts, in which orders, with which seeds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations
from typing import Final

from biascore.api.metrics import Model
from biascore.api.queries import Choice, Chosen, Way, way_of
from biascore.errors import OptionsError
from biascore_metrics.bbq.options import BbqOptions, Orders
from biascore_metrics.bbq.test import ChoicesTest, Question

LISTED: Final = "text"
"""The one way in which the order of the options is that of the metric, and an answer can be drawn: by likelihood there is no
order, by letters every one."""


@dataclass(frozen=True, slots=True)
class Put:
    """A question as it was put: its place in the test, the number of the prompt (from 1), the order of its options.

    ``seed``: the one that its answer was drawn with; None where the most probable answer was asked for.
    """

    place: int
    prompt: int
    order: tuple[int, ...]
    seed: int | None


@dataclass(frozen=True, slots=True)
class Answers:
    """What a model chose, one answer for each time that a question was put to it."""

    questions: tuple[Question, ...]
    put: tuple[Put, ...]
    chosen: tuple[Chosen, ...]
    way: Way
    orders: Orders


def options_of(question: Question, test: ChoicesTest, prompt: int) -> tuple[str, ...]:
    """The options as this prompt, a place in ``test.prompts``, phrases them."""
    unknown = test.unknowns[prompt] if test.unknowns else ""
    return tuple(unknown if unknown and one.role == "unknown" else one.text for one in question.options)


def prompts_of(test: ChoicesTest, options: BbqOptions) -> tuple[str, ...]:
    """Those that are asked; raises OptionsError for more than the test has."""
    if options.prompts == "all":
        return test.prompts
    if not 1 <= options.prompts <= len(test.prompts):
        raise OptionsError(
            f"prompts is {options.prompts}, and {test.id} has {len(test.prompts)}. Name a number from 1 to "
            f"{len(test.prompts)}, or all"
        )
    return test.prompts[: options.prompts]


def orders_of(count: int, orders: Orders) -> tuple[tuple[int, ...], ...]:
    """The orders in which ``count`` options are listed."""
    plain = tuple(range(count))
    if orders == "all":
        return tuple(permutations(plain))
    shifts = count if orders == "cyclic" else 1
    return tuple(plain[shift:] + plain[:shift] for shift in range(shifts))


def seeds_of(options: BbqOptions) -> tuple[int | None, ...]:
    """The seeds with which each question is drawn, from 1; None alone where the most probable answer is asked for."""
    return tuple(range(1, options.seeds + 1)) or (None,)


def _way(model: Model, options: BbqOptions) -> tuple[Way, Orders]:
    """How a model is asked, in which orders; raises OptionsError where orders or seeds would change nothing."""
    way = way_of(model.name, model.identity, options.way)
    listed = way == LISTED and not model.identity.chosen_before
    orders = options.orders or ("cyclic" if listed else "as is")
    if orders != "as is" and way != LISTED:
        why = "asks in every cyclic order anyway" if way == "letters" else "lists no options"
        raise OptionsError(
            f"orders is {orders}, and {model.name} is asked by {way}, which {why}. Leave orders out, or ask with "
            f"way={LISTED} a model that answers so ({', '.join(model.identity.ways)})"
        )
    if options.seeds and way != LISTED:
        raise OptionsError(
            f"seeds is {options.seeds}, and {model.name} is asked by {way}, which draws no answer. Leave seeds out, or ask "
            f"with way={LISTED} a model that answers so ({', '.join(model.identity.ways)})"
        )
    if orders != "as is" and not listed:
        raise OptionsError(
            f"orders is {orders}, and {model.name} has one answer to each item, whatever the order. Leave orders out"
        )
    return way, orders


def ask(model: Model, test: ChoicesTest, options: BbqOptions) -> Answers:
    """Put every question by each prompt, in each order and with each seed."""
    way, orders = _way(model, options)
    questions = test.questions.rows
    put: list[Put] = []
    asked: list[Choice] = []
    for prompt in range(len(prompts_of(test, options))):
        for place, question in enumerate(questions):
            texts = options_of(question, test, prompt)
            for order in orders_of(len(texts), orders):
                # An order that says nothing is the same question as none.
                listed = order if order != tuple(range(len(texts))) else ()
                one = Choice(test.written(question, prompt), texts, listed, test.instruction, question.item)
                for seed in seeds_of(options):
                    put.append(Put(place, prompt + 1, order, seed))
                    asked.append(replace(one, seed=seed))
    return Answers(questions, tuple(put), model.choose(asked, way), way, orders)
