"""What services charge for what a plan sends, at prices that the user gives."""

from __future__ import annotations

from collections.abc import Iterable

from biascore.basics.frozen import Frozen
from biascore.basics.surface import either
from biascore.basics.wording import listed
from biascore.errors import OptionsError
from biascore.models.questions.cost import Cost

_MILLION = 1_000_000


class Prices(Frozen):
    """For a million characters, and for a million tokens in and out, in any one currency; None is not given.

    Raises OptionsError where only one of the two prices of tokens is given.
    """

    characters: float | None = None
    tokens_in: float | None = None
    tokens_out: float | None = None

    def model_post_init(self, _context: object) -> None:
        """Check that the prices of tokens come together."""
        if (self.tokens_in is None) != (self.tokens_out is None):
            raise OptionsError(
                "a service charges for tokens in and out, and one of the two prices is given. Give "
                + either("--price-in and --price-out", "tokens_in and tokens_out")
                + " (0 is a price)"
            )

    @property
    def given(self) -> bool:
        """Whether there is any price."""
        return self != Prices()


class Price(Frozen):
    """The ``amount`` that services may charge at most, how it comes about, and the models that it leaves out."""

    amount: float
    told: tuple[str, ...]
    without: tuple[str, ...] = ()


def price_of(asked: Iterable[tuple[str, Cost]], prices: Prices) -> Price:
    """What services charge for what they are asked, each by name: by tokens where these are known, else by characters."""
    by_tokens: list[tuple[str, Cost]] = []
    by_characters: list[tuple[str, Cost]] = []
    for name, cost in asked:
        known = cost.tokens is not None and cost.tokens_out is not None
        (by_tokens if known else by_characters).append((name, cost))
    amount, told, without = 0.0, [], list[str]()
    if prices.tokens_in is not None and prices.tokens_out is not None:
        read = sum(cost.tokens or 0 for _, cost in by_tokens)
        written = sum(cost.tokens_out or 0 for _, cost in by_tokens)
        own = (read * prices.tokens_in + written * prices.tokens_out) / _MILLION
        amount += own
        told.append(
            f"price: at most {own:,.2f} for {read:,} tokens in at {prices.tokens_in:g} per million and {written:,} tokens "
            f"out at {prices.tokens_out:g}; requests that are repeated after a failure are not counted"
        )
    else:
        without += [name for name, _ in by_tokens]
    if prices.characters is not None:
        sent = sum(cost.characters or 0 for _, cost in by_characters)
        amount += sent * prices.characters / _MILLION
        told.append(
            f"price: {sent * prices.characters / _MILLION:,.2f} for {sent:,} characters at {prices.characters:g} per "
            "million"
        )
    else:
        without += [name for name, _ in by_characters]
    names = tuple(dict.fromkeys(without))
    if names:
        told.append(
            f"not in this price: {listed(names)}. Give {either('--price-in and --price-out', 'tokens_in and tokens_out')} "
            f"for services that count tokens, {either('--price-per-million', 'characters')} for those that count characters"
        )
    return Price(amount=amount, told=tuple(told), without=names)
