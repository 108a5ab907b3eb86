"""Whether the words of a file have upper and lower case, seen while the file is read."""

from __future__ import annotations

from collections.abc import Iterable


class Letters:
    """``upper`` and ``lower``: whether any word so far has a letter of that case, in any script."""

    __slots__ = ("lower", "upper")

    def __init__(self) -> None:
        self.upper = self.lower = False

    def see(self, words: Iterable[bytes]) -> None:
        """Look at words in UTF-8; bytes that are not are passed over, and after a word in upper case all are."""
        if self.upper:
            return
        text = b" ".join(words).decode(errors="ignore")
        self.upper = text != text.lower()
        self.lower = self.lower or text != text.upper()

    @property
    def uncased(self) -> bool:
        """Whether the words are in lower case throughout; not where their script has no case."""
        return self.lower and not self.upper
