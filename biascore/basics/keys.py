"""Keys of services stay out of every message, also where a server repeats them.

The keys are the values of the environment variables that an adapter declares. What leaves an adapter as an exception
is searched for them, its causes included, as they stand and in the encodings that servers answer with.
"""

from __future__ import annotations

import base64
import functools
import html
import ipaddress
import os
import re
import traceback
import warnings
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

HUB_TOKENS: Final = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
"""What the client of the Hugging Face hub sends for a model or a dataset that is gated."""

PIECE: Final = 8
"""So many characters of a key in a row are hidden: servers cut what they repeat, and so do messages."""
_SHORTEST: Final = 4
"""Anything shorter is no key, and to hide it would make messages unreadable."""
_LONGEST: Final = 20_000
"""Characters of a message that are searched and shown: a server may repeat a whole request, many times over."""
_PASSES: Final = 3
_ENCODED: Final = re.compile(
    r"%(?P<percent>[0-9a-f]{2})|\\u(?P<four>[0-9a-f]{4})|\\x(?P<two>[0-9a-f]{2})|&(?P<named>#?\w{1,8});|\\(?P<plain>[/\"'\\])",
    re.IGNORECASE,
)
_DROPPED: Final = re.compile(r"[\s\"'`\\+\u00ad\u200b-\u200d\u2060\ufeff]|\\[nrt]")


_declared: Final = {*HUB_TOKENS}


class KeyWarning(UserWarning):
    """A key travels where others can read it."""


class Hidden(RuntimeError):
    """Replaces an exception of somebody's package whose own text holds a key."""


def hide(text: str, variables: Collection[str]) -> str:
    """The text with ``[NAME]`` for every piece of the key in the environment variable NAME."""
    found: list[tuple[int, int, str]] = []
    pieces = _pieces(_keys(variables))
    units = _units(text) if pieces else []
    plain = "".join(char for char, _, _ in units)
    for size, some in pieces.items():
        found += [
            (units[start][1], units[start + size - 1][2], some[piece])
            for start in range(len(plain) - size + 1)
            if (piece := plain[start : start + size]) in some
        ]
    return _without(text, sorted(found))


def repeats(text: str, variables: Collection[str]) -> str:
    """The variable whose whole key the text holds, in whatever encoding, or an empty string."""
    if not variables:
        return ""
    plain = _plain(text)
    return next(
        (name for name, forms in _forms_of(_keys(variables)).items() if any(f in plain for f in forms)), ""
    )


def keys_in(value: object, place: str = "") -> Iterator[tuple[str, str]]:
    """Where the texts of a value, at whatever depth, hold the key of a declared variable: the place and the variable.

    A short key has to be the whole text: a server of one's own may take "test" for one.
    """
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from keys_in(name, place)
            yield from keys_in(one, f"{place}.{name}" if place else str(name))
    elif isinstance(value, list | tuple | set | frozenset):
        for number, one in enumerate(value, start=1):
            yield from keys_in(one, f"{place} number {number}" if place else "")
    elif isinstance(value, str) and value:
        keys = _keys(_declared)
        named = next((name for name, key in keys if key == value.strip()), "")
        named = named or repeats(value, [name for name, key in keys if len(key) >= PIECE])
        if named:
            yield place, named


def declare(variables: Collection[str]) -> None:
    """Variables that hold keys, of whatever adapter: no error of a plugin and no log shows them from now on."""
    _declared.update(variables)


def declared() -> frozenset[str]:
    """All variables that were declared to hold keys in this process."""
    return frozenset(_declared)


def cleared(error: BaseException, variables: Collection[str], own: Collection[str]) -> BaseException:
    """An exception without the keys in ``variables``, its causes included, or its replacement where it cannot be changed.

    Where a variable of ``own`` is set, the frames lose their local variables: tools that show them would show its key.
    """
    found = _redacted(error, variables, set())
    if _keys(own):
        _clear_frames(found, set())
    return found


def warn_if_readable(url: str, variable: str) -> None:
    """Warn where the key in ``variable`` would travel to ``url`` unencrypted: to another machine, or by a proxy.

    Over https a proxy passes on what it cannot read.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme != "http" or not os.environ.get(variable, "").strip():
        return
    import urllib.request  # imports a client of HTTP

    proxies = {} if urllib.request.proxy_bypass(host) else urllib.request.getproxies()
    proxy = proxies.get("http") or proxies.get("all")
    if proxy:
        way = f"by the proxy {urlsplit(proxy).hostname or ''!r} (HTTP_PROXY or ALL_PROXY)"
    elif not _is_this_machine(host):
        way = "over plain http"
    else:
        return
    warnings.warn(
        f"the key in {variable} goes to {parts.netloc} {way}, where others can read it. Use https, or "
        f"unset {variable} if this server needs no key",
        KeyWarning,
        stacklevel=3,
    )


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _keys(variables: Collection[str]) -> tuple[tuple[str, str], ...]:
    """The variables that hold keys now, each with its key."""
    found = ((name, os.environ.get(name, "").strip()) for name in sorted(variables))
    return tuple((name, key) for name, key in found if len(key) >= _SHORTEST)


@functools.lru_cache(maxsize=16)
def _forms_of(keys: tuple[tuple[str, str], ...]) -> Mapping[str, frozenset[str]]:
    """The keys as they are looked for: as they stand, in base64 at each alignment, and in hexadecimal digits."""
    return {
        name: frozenset(
            form for form in map(_reduced, _spellings(key)) if len(form) >= min(_SHORTEST, len(key))
        )
        for name, key in keys
    }


@functools.lru_cache(maxsize=16)
def _pieces(keys: tuple[tuple[str, str], ...]) -> Mapping[int, Mapping[str, str]]:
    """What is hidden: by its length, each piece of a form with the variable of its key."""
    found: dict[int, dict[str, str]] = {}
    for name, forms in _forms_of(keys).items():
        for form in forms:
            size = min(PIECE, len(form))
            for start in range(len(form) - size + 1):
                found.setdefault(size, {}).setdefault(form[start : start + size], name)
    return found


def _spellings(key: str) -> Iterator[str]:
    raw = key.encode("utf-8", "surrogateescape")
    yield key
    if len(raw) >= PIECE:
        yield raw.hex()
        for before in range(3):
            bits = base64.b64encode(bytes(before) + raw).decode()
            whole = bits[-(-before * 8 // 6) : (before + len(raw)) * 8 // 6]
            yield whole
            yield whole.replace("+", "-").replace("/", "_")


@contextmanager
def stand_ins(variables: Collection[str]) -> Iterator[None]:
    """Environment variables of keys that are not set have a value while the block lasts: it sends nothing."""
    absent = [name for name in variables if not os.environ.get(name, "").strip()]
    before = {name: os.environ[name] for name in absent if name in os.environ}
    os.environ.update(dict.fromkeys(absent, "no-key-in-a-dry-run"))
    try:
        yield
    finally:
        for name in absent:
            del os.environ[name]
        os.environ.update(before)


def _reduced(text: str) -> str:
    return _lower(_DROPPED.sub("", text))


def _lower(text: str) -> str:
    if text.isascii():
        return text.lower()
    return "".join(char.lower() if char.isascii() else char for char in text)


def _plain(text: str) -> str:
    """The characters that a text represents, without what may split a key."""
    if not _ENCODED.search(text):
        return _reduced(text)
    return "".join(char for char, _, _ in _units(text))


def _units(text: str) -> list[tuple[str, int, int]]:
    """The characters that a text represents, each with where it begins and ends; what may split a key is left out."""
    units = [(char, place, place + 1) for place, char in enumerate(text)]
    for _ in range(_PASSES):
        plain = "".join(char for char, _, _ in units)
        matches = list(_ENCODED.finditer(plain))
        if not matches:
            break
        decoded: list[tuple[str, int, int]] = []
        last = 0
        for match in matches:
            decoded += units[last : match.start()]
            char = _decoded(match)
            if len(char) == 1:
                decoded.append((char, units[match.start()][1], units[match.end() - 1][2]))
            else:
                decoded += units[match.start() : match.end()]
            last = match.end()
        units = decoded + units[last:]
    plain = "".join(char for char, _, _ in units)
    kept: list[tuple[str, int, int]] = []
    last = 0
    for match in _DROPPED.finditer(plain):
        kept += units[last : match.start()]
        last = match.end()
    return [(_lower(char), start, end) for char, start, end in kept + units[last:]]


def _decoded(match: re.Match[str]) -> str:
    digits = match["percent"] or match["two"] or match["four"]
    if digits:
        return chr(int(digits, 16))
    return match["plain"] or html.unescape(f"&{match['named']};")


def _without(text: str, found: list[tuple[int, int, str]]) -> str:
    parts: list[str] = []
    last = 0
    for start, end, name in found:
        if start > last or not parts:
            parts += [text[last:start], f"[{name}]"]
        last = max(last, end)
    return "".join([*parts, text[last:]])


def _clear_frames(error: BaseException | None, seen: set[int]) -> None:
    if error is None or id(error) in seen:
        return
    seen.add(id(error))
    traceback.clear_frames(error.__traceback__)
    inside = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    for one in (error.__cause__, error.__context__, *inside):
        _clear_frames(one, seen)


def _redacted(error: BaseException, variables: Collection[str], seen: set[int]) -> BaseException:
    """The same exception, its causes, notes and texts without keys; or what represents it."""
    if id(error) in seen or not _keys(variables):
        return error
    seen.add(id(error))
    error.args = tuple(_redacted_value(value, variables) for value in error.args)
    own = getattr(error, "__dict__", {})
    own.update({name: _redacted_value(value, variables) for name, value in own.items()})
    if isinstance(error, SystemExit) and isinstance(error.code, str):
        error.code = hide(error.code, variables)
    # None where there is none; set only where it changes, for to set a cause hides the context.
    if error.__cause__ is not None:
        suppressed = error.__suppress_context__
        error.__cause__ = _redacted(error.__cause__, variables, seen)
        error.__suppress_context__ = suppressed
    if error.__context__ is not None:
        error.__context__ = _redacted(error.__context__, variables, seen)
    inside = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    whole = [_redacted(one, variables, seen) is one for one in inside]
    text = str(error)
    if hide(text, variables) == text and all(whole):
        return error
    stand_in = Hidden(f"{type(error).__name__}: {hide(text, variables)}").with_traceback(error.__traceback__)
    stand_in.__cause__, stand_in.__context__ = error.__cause__, error.__context__
    stand_in.__suppress_context__ = error.__suppress_context__
    return stand_in


def _redacted_value(value: Any, variables: Collection[str]) -> Any:
    if isinstance(value, str):
        cut = len(value) > _LONGEST
        return hide(f"{value[:_LONGEST]}... ({len(value):,} characters)" if cut else value, variables)
    if isinstance(value, bytes):
        text = value.decode("latin-1")
        clear = hide(text, variables)
        return clear.encode("latin-1", "replace") if clear != text else value
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return type(value)(_redacted_value(one, variables) for one in value)
    return value
