"""What stands more than once among names that somebody else wrote, however many there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


def twice(names: Iterable[str]) -> list[str]:
    """Those that stand more than once, each once, in their order; a count of each would take hours for a large file."""
    return [name for name, count in Counter(names).items() if count > 1]
