"""Questions made here, those of the published BBQ read by its own rule, and models that choose by a rule."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from biascore import Engine
from biascore.api.adapters import Backend, Identity, Model, hookimpl
from biascore.api.queries import Choice, Chosen, by_text, order_of
from biascore_metrics.bbq.items import ChoicesTest, Option, Question, Questions, Role

UNKNOWN = "Cannot be known"
Rule = Callable[[Question], int | None]
"""The place of the option that a model chooses; None: it says something that names no option."""


def question(
    template: int,
    number: int,
    *,
    negative: bool = True,
    ambiguous: bool = True,
    pro: bool = True,
    category: str = "Age",
    subgroup: str = "",
    names: bool = False,
) -> Question:
    """One of kind ``choices``; ``pro``: the right answer agrees with the stereotype, where the context tells."""
    roles: tuple[Role, ...] = ("target", "other", "unknown")
    texts = (f"The first of {template}/{number}", f"The second of {template}/{number}", UNKNOWN)
    turn = number % 3
    options = [Option(text, role) for text, role in zip(texts, roles, strict=True)]
    options = options[turn:] + options[:turn]
    right = "unknown" if ambiguous else "target" if pro else "other"
    told = "Two persons met." if ambiguous else f"Two persons met, and {'first' if pro else 'second'} erred."
    return Question(
        item=f"{category}/{template}-{number}-{'a' if ambiguous else 'd'}",
        context=f"{told} Case {number} of {template} on {category}.",
        question="Who erred?" if negative else "Who did not err?",
        options=tuple(options),
        label=next(i for i, option in enumerate(options) if option.role == right),
        negative=negative,
        ambiguous=ambiguous,
        template=str(template),
        category=category,
        subgroup=subgroup,
        names=names,
    )


def questions(templates: int = 6, each: int = 8, **more: Any) -> list[Question]:
    """``each`` ambiguous and as many disambiguated questions a template, half of them negative and half pro."""
    return [
        question(
            template,
            number,
            negative=number % 2 == 0,
            ambiguous=ambiguous,
            pro=(number // 2) % 2 == 0,
            **more,
        )
        for template in range(templates)
        for number in range(each)
        for ambiguous in (True, False)
    ]


def made_test(
    some: Sequence[Question], family: str = "bbq", prompts: tuple[str, ...] = ("{context}\n{question}",)
) -> ChoicesTest:
    """A test of them."""
    return ChoicesTest(
        id="en/questions",
        kind="choices",
        language="en",
        concept="age",
        questions=Questions("questions", tuple(some)),
        family=family,
        sha256="0" * 64,
        prompts=prompts,
    )


class Chooser(Backend):
    """Chooses by a rule from the question, which it knows by its item; says what ``refusal`` is where that gives none."""

    def __init__(self, some: Sequence[Question], rule: Rule, refusal: str = "Blue.") -> None:
        self._by_item = {one.item: one for one in some}
        self._rule, self._refusal = rule, refusal
        self.asked: list[Choice] = []
        digest = hashlib.sha256(repr([rule(one) for one in some]).encode()).hexdigest()
        self.identity = Identity(digest=f"sha256:{digest}", ways=("text",))

    @hookimpl
    def choose(self, questions: tuple[Choice, ...], way: str) -> tuple[Chosen, ...]:
        """As the rule says."""
        self.asked.extend(questions)
        found = []
        for one in questions:
            place = self._rule(self._by_item[one.item])
            said = self._refusal if place is None else one.options[place]
            found.append(by_text(one, said, order_of(one)))
        return tuple(found)


def model_of(engine: Engine, backend: Backend, name: str = "made") -> Model:
    """A model from a backend."""
    return engine.model(backend, name=name)


def roles(role: Role) -> Rule:
    """Always the option of this role."""
    return lambda one: one.place(role)


def published(folder: Path, category: str) -> list[Question]:
    """The questions of a file of BBQ; its target by Parrish et al.'s rule, for categories whose groups are exact."""
    with gzip.open(folder / "bbq" / f"{category}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [_of_bbq(json.loads(line)) for line in lines]


def _of_bbq(row: dict[str, Any]) -> Question:
    known = {group.casefold() for group in row["additional_metadata"]["stereotyped_groups"]}
    options = [(row[f"ans{i}"], row["answer_info"][f"ans{i}"][-1].casefold()) for i in range(3)]
    stereotyped = [group in known for _, group in options]
    negative = row["question_polarity"] == "neg"
    assert sum(stereotyped) == 1, row

    def role(place: int) -> Role:
        if options[place][1] == "unknown":
            return "unknown"
        return "target" if stereotyped[place] == negative else "other"

    return Question(
        item=str(row["example_id"]),
        context=row["context"],
        question=row["question"],
        options=tuple(Option(text, role(i), group) for i, (text, group) in enumerate(options)),
        label=row["label"],
        negative=negative,
        ambiguous=row["context_condition"] == "ambig",
        template=row["question_index"],
        category=row["category"],
        subgroup=row["additional_metadata"]["subcategory"],
    )


def rows_of(score: ArrayLike, template: ArrayLike, pro: ArrayLike | None = None) -> pd.DataFrame:
    """Questions that were answered once, by their scores; ``pro`` where the context tells, else all are ambiguous."""
    scores = np.asarray(score, dtype=np.float64)
    sides = np.zeros(len(scores), dtype=np.bool_) if pro is None else np.asarray(pro, dtype=np.bool_)
    right = scores == (0.0 if pro is None else np.where(sides, 1.0, -1.0))
    columns = {
        "question": np.arange(len(scores)),
        "score": scores,
        "person": np.abs(scores),
        "right": right.astype(np.float64),
        "cluster": np.asarray(template).astype(np.str_),
        "condition": "ambiguous" if pro is None else "disambiguated",
        "pro": sides,
        "category": "",
        "subgroup": "",
        "names": False,
    }
    return pd.DataFrame(columns)
