"""Characters that do something instead of being seen, made visible where texts of other people leave biascore.

A title, a note, a model's name or a server's error can hold escape sequences that rewrite a terminal, or marks that
turn the order of what is read. Letters and joiners of every script, Hebrew, Arabic and Persian among them, stay as they
are, and so do the marks that only say in which direction a neutral character runs (U+200E, U+200F, U+061C).
"""

from __future__ import annotations

from typing import Any, Final

from biascore.errors import NO_PICTURE, VISIBLE

_ESCAPED: Final = {c: f"\\u{c:04x}" for c in (0x7F, *NO_PICTURE)}


def visible(text: str) -> str:
    """The text with ␛ for ESC and its like, and ``\\u202e`` for what has no picture; tabs and line feeds stay."""
    return text if text.isprintable() else text.translate(VISIBLE)  # most are, and translating is slow


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
