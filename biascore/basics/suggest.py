"""Did-you-mean for names that nothing provides."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A sentence such as ``Did you mean en/weat6? `` with a trailing space, or nothing where no name is near.

    Case is ignored, and a name without its folders is near the full one (``weat6`` and ``en/weat6``).
    """
    by_key: dict[str, list[str]] = {}
    for candidate in known:
        folded = candidate.casefold()
        by_key.setdefault(folded, []).append(candidate)
        by_key.setdefault(folded.rpartition("/")[2], []).append(candidate)
    keys = get_close_matches(name.casefold(), by_key, n=3, cutoff=0.6)
    near = list(dict.fromkeys(candidate for key in keys for candidate in by_key[key]))[:3]
    return f"Did you mean {' or '.join(near)}? " if near else ""
