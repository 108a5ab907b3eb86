"""Texts longer than a causal language model takes, scored in overlapping windows."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Self

from biascore.errors import OptionsError
from biascore_adapters.transformer.causal import ScoredText
from biascore_adapters.transformer.options import LongTextOptions
from biascore_adapters.transformer.tokens import Input


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows of ``size`` tokens over a text, each ``stride`` behind the one before.

    The first scores all its tokens, every other those that are new in it, each given at least ``size - stride`` before
    it. So a token is scored once, and what it is given depends on its place alone: the log-likelihood of a text is that
    of its beginning and that of the rest after it. Only the first window begins with a beginning-of-text token. From
    "Perplexity of fixed-length models", documentation of Hugging Face transformers.
    """

    size: int
    stride: int

    @classmethod
    def chosen(cls, options: LongTextOptions, limit: int | None, of: object) -> Self | None:
        """Those that the options ask for, None where they ask for none; ``limit``: the tokens that the model takes.

        Raises OptionsError for a stride without windows, windows without a limit, and a stride that leaves no overlap.
        """
        if options.long_texts != "windows":
            if options.stride is not None:
                raise OptionsError(
                    f"{of}: stride is that of windows, and long texts are not scored in any. Set long_texts=windows, or "
                    "leave stride out"
                )
            return None
        if limit is None or limit < 2:
            raise OptionsError(
                f"{of} states no longest text, so that long_texts='windows' would mean nothing. Leave it out"
            )
        stride = options.stride or limit // 2
        if stride >= limit:
            raise OptionsError(
                f"{of} takes {limit} tokens, and windows that are {stride} apart do not overlap: their first tokens would "
                f"be scored given nothing. Set stride to {limit - 1} or less; {limit // 2} is usual"
            )
        return cls(limit, stride)

    @property
    def described(self) -> str:
        """For the record."""
        return f"scored in windows of {self.size} tokens, stride {self.stride}"

    def of(self, text: ScoredText) -> list[ScoredText]:
        """The windows that score a text; itself where the model takes it whole."""
        if len(text.input.ids) <= self.size:
            return [text]
        found = []
        begin, done, end = 0, 0, text.scored[-1] + 1
        while done < end:
            stop = min(begin + self.size, end)
            own = text.scored[bisect_left(text.scored, done) : bisect_left(text.scored, stop)]
            if own:
                part = Input(text.input.ids[begin:stop], None, text.input.text)
                found.append(ScoredText(part, [i - begin for i in own]))
            begin, done = begin + self.stride, stop
        return found


def check_no_windows(of: object, options: LongTextOptions) -> None:
    """Raise OptionsError where windows are asked for, of a model that gives no log-likelihood of a text."""
    if options.long_texts == "windows" or options.stride is not None:
        raise OptionsError(
            f"{of} gives no log-likelihood of a text, so that long_texts='windows' and stride would mean nothing. Leave "
            "them out"
        )
