"""Characters that do something instead of being seen, made visible where texts of other people leave biascore.

A title, a note, a model's name or a server's error can hold escape sequences that rewrite a terminal, or marks that
turn the order of what is read. Letters and joiners of every script, Hebrew, Arabic and Persian among them, stay as they
are, and so do the marks that only say in which direction a neutral character runs (U+200E, U+200F, U+061C).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_PICTURES: Final = {c: 0x2400 + c for c in range(0x20) if chr(c) not in "\t\n"} | {0x7F: 0x2421}
"""The control characters of ASCII as Unicode's pictures of them: ESC is ␛."""

_NO_PICTURE: Final = (
    *range(0x80, 0xA0),  # the other control characters, of which U+009B begins an escape sequence too
    *(0x2028, 0x2029),  # line ends to some programs only
    *range(0x202A, 0x202F),  # embeddings and overrides of direction
    *range(0x2066, 0x206A),  # isolates
    *range(0xD800, 0xE000),  # halves of pairs: no file in UTF-8 can hold them
    *(0xFFFE, 0xFFFF),  # no characters, and XML cannot hold them
)
_VISIBLE: Final[Mapping[int, int | str]] = _PICTURES | {c: f"\\u{c:04x}" for c in _NO_PICTURE}
_ESCAPED: Final = {c: f"\\u{c:04x}" for c in (0x7F, *_NO_PICTURE)}


def visible(text: str) -> str:
    """The text with ␛ for ESC and its like, and ``\\u202e`` for what has no picture; tabs and line feeds stay."""
    return text if text.isprintable() else text.translate(_VISIBLE)  # most are, and translating is slow


def visible_in(value: Any) -> Any:
    """A value of JSON with every text in it made visible; keys stay."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {key: visible_in(entry) for key, entry in value.items()}
    return [visible_in(entry) for entry in value] if isinstance(value, list) else value


def visible_json(text: str) -> str:
    """JSON with the same meaning that shows such characters as its own escapes."""
    return text.translate(_ESCAPED)
