"""Options of the GEST metrics."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field

from biascore.api.languages import load_grammar
from biascore.api.metrics import MetricOptions
from biascore.api.support import LanguageTag
from biascore.designs.bounds import Bound

Ids = Annotated[tuple[int, ...], Field(strict=False)]  # TOML gives lists; the numbers inside stay strict

LOG_NAMES: Final = {10: "log10", 2: "log2", "e": "ln"}


class GestOptions(MetricOptions):
    """What the GEST metrics share.

    ``exclude``: stereotypes left out, by id. ``alternative``: the p-value that decides. ``confound``: the address of a word
    list ("en/gest/family"); the samples of stereotypes about ``confound_of`` that hold one of its words are measured apart
    (section 5.3). ``confound_match``: whole words in either case, or any part of a sentence, case minded, as the paper's
    code looks for them. ``duplicates``: a sample that repeats an earlier one (sentence and stereotype) is no further
    observation and is dropped; the paper counts it again ("keep").
    """

    exclude: Ids = ()
    duplicates: Literal["drop", "keep"] = "drop"
    alternative: Literal["two-sided", "greater"] = "two-sided"
    confound: str | None = None
    confound_of: Literal["male", "female"] = "male"
    confound_match: Literal["word", "substring"] = "word"


class MtOptions(GestOptions):
    """Options of ``gest-mt``.

    ``grammar``: a grammar file of your own, which tells the speaker's gender in place of the installed detector.
    ``target``: the language to translate to. ``min_yield``, ``max_conflict``: shares of the samples below and above
    which a reader is warned. ``bound``: an f_s whose whole interval is within it counts as negligible.
    ``decides``: whether stereotypes differ, or whether the speaker becomes a man more often than a woman, whatever is said.
    """

    target: LanguageTag
    decides: Literal["stereotypes", "default"] = "stereotypes"
    grammar: str | None = None
    min_yield: float = Field(default=0.7, ge=0, le=1)
    max_conflict: float = Field(default=0.02, ge=0, le=1)
    bound: Bound = 0.03


class LmOptions(GestOptions):
    """Options of ``gest-lm``.

    ``model_kind``: whether a model is asked as a masked or as a causal language model; auto: as a masked one, if it can.
    ``templates``: the prompts to use, by number; all without it. ``prompts``: the file of the test's language that
    holds them. ``log_base``: of the scores; the paper's tables have 10. ``bound_ratio``: a g_s whose whole
    interval is within this ratio of odds, either way, counts as negligible.

    ``translator``: a second model, which makes gendered pairs in the language ``target`` out of the samples, so
    that a model of that language is measured without templates; ``grammar`` as of ``gest-mt``.
    """

    templates: Annotated[tuple[int, ...], Field(strict=False, min_length=1)] | None = None
    prompts: str = "gest"
    log_base: Literal[10, 2, "e"] = 10
    bound_ratio: Bound = Field(default=1.1, gt=1)
    model_kind: Literal["auto", "masked", "causal"] = "auto"
    translator: str | None = None
    target: LanguageTag | None = None
    grammar: str | None = None

    @property
    def nats(self) -> float:
        """The natural logarithm of the base: what a score in nats is divided by."""
        return 1.0 if self.log_base == "e" else math.log(self.log_base)

    @property
    def unit(self) -> str:
        """The unit of log odds, by the name of the logarithm."""
        return f"{LOG_NAMES[self.log_base]} odds"

    @property
    def bound(self) -> float | None:
        """The equivalence bound in the unit of the scores."""
        return math.log(self.bound_ratio) / self.nats if self.bound_ratio else None


def detected(options: MtOptions | LmOptions, language: str) -> tuple[str, ...]:
    """The language whose installed detector is asked; none where a grammar file replaces it.

    Raises GrammarError where that file cannot be used for the ``language``.
    """
    if options.grammar is None:
        return (options.target,) if options.target else ()
    load_grammar(Path(options.grammar), language)
    return ()
