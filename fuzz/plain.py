"""Changes to text, bytes and values of which nothing else is known."""

from __future__ import annotations

import gzip
import json
import random
import re
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

Plain = Callable[[bytes], bytes]
"""How a fuzzer changes bytes of which nothing is known."""


TEXTS: Final = (
    *("", " ", "\0", "\n", "\r", "\t", "\x1b[2J", "\u202e", "\u200d", "\ud800", "\ufeff", "\x85", "\u2028", "é", "ﬁ", "İ"),
    *("../canary.txt", "../../../../etc/passwd", "/etc/passwd", "..", ".", "/", "~", "a\\b", "hub:a/b/c"),
    *("{", "}", "{x}", "[", "]", "[a]", "(", "(a+)+$", "*", "[he]", "@", "%s", "$", "'", '"', "''", ",", ";", "|", "=1+1"),
    *("nan", "-inf", "1e999", "0x10", "1_000", "٣", "-0", "9" * 400, "9" * 5000, "true", "None", "en", "xx-YY", "a" * 3000),
    *("planted:gender=1", "fasttext:../canary.txt", "answers:canary.txt", "hf:package:os/path", "*/*", "__class__"),
)  # fmt: skip


NUMBERS: Final = (
    *(0, 1, -1, 2, 7, 127, 128, 255, 256, 65535, 65536, 2**31 - 1, 2**31, -(2**31), 2**32, 2**53, 2**63 - 1, 2**63),
    *(-(2**63), 2**64, 10**18, 10**30, 0.5, -0.0, 1e-320, 1e308, -1e308, 1.5e300, float("nan"), float("inf"), -float("inf")),
)  # fmt: skip


PIECES: Final = (
    *(b"\0", b"\r", b"\r\n", b"\n\n", b'"', b'""', b"'", b'"""', b",", b";", b"\t", b"#", b"\\", b"\xff", b"\xed\xa0\x80"),
    *(b"\x1b[2J", b"\xe2\x80\xae", b"\xef\xbb\xbf", b" ", b"=", b"==", b".", b"[", b"]", b"[[", b"]]", b"{", b"}", b":"),
    *(b"[" * 2_000, b"{a=" * 500, b"9" * 5_000, b"1e999", b"nan", b"-inf", b"0x", b"true", b"null", b"," * 5_000),
    *(b"x" * 20_000, b"\n" * 500, b"_", b"|", b"(", b")", b"../canary.txt", b"\xc2\x85", b"\xe2\x80\xa8", b"\xfe\xff"),
)  # fmt: skip


_INT: Final = re.compile(rb"-?\d+")


def text(data: bytes, rng: random.Random, plain: Plain) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 4))):
        start, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        match rng.randrange(9):
            case 0:
                data = plain(data)
            case 1:
                data = data[:start] + rng.choice(PIECES) + data[start:]
            case 2:
                data = data[:start] + data[min(end, start + 20) :]
            case 3:
                data = data[:end] + data[start:end] + data[end:]
            case 4:
                lines = data.splitlines(keepends=True)
                rng.shuffle(lines)
                data = b"".join(lines)
            case 5:
                data = data[:start]
            case 6:  # a word by another of the file
                words = [*re.finditer(rb"[\w.-]+", data)] or [re.match(rb"", data)]
                one, other = rng.choice(words), rng.choice(words)
                data = data[: one.start()] + other[0] + data[one.end() :]  # type: ignore[index, union-attr]
            case 7:
                numbers = [*_INT.finditer(data)]
                if numbers:
                    one = rng.choice(numbers)
                    data = data[: one.start()] + str(rng.choice(NUMBERS)).encode() + data[one.end() :]
            case _:
                data = data[:start] + rng.choice(TEXTS).encode("utf-8", "surrogatepass") + data[end:]
    if rng.random() < 0.03:
        data = gzip.compress(data, mtime=0)
    if rng.random() < 0.02:
        data = data.decode("utf-8", "replace").encode(
            rng.choice(("utf-16", "utf-32", "utf-8-sig", "cp1252")), "replace"
        )
    return data


def binary(data: bytes, rng: random.Random, plain: Plain) -> bytes:
    """Fields of 1, 2, 4 or 8 bytes to extremes, mostly near the beginning; parts lost, moved and doubled."""
    raw = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        near = rng.choice((16, 64, 200, len(raw)))
        at = rng.randrange(max(1, min(near, len(raw))))
        match rng.randrange(8):
            case 0 | 1 | 2:
                form = rng.choice("bBhHiIqQfd")
                with suppress(struct.error, OverflowError):
                    raw[at : at + struct.calcsize(form)] = struct.pack(f"<{form}", rng.choice(NUMBERS))
            case 3:
                form, place = rng.choice("iIqQ"), at - at % 4
                with suppress(struct.error):
                    (old,) = struct.unpack_from(f"<{form}", raw, place)
                    struct.pack_into(f"<{form}", raw, place, old + rng.choice((-1, 1, 2, -2, old)))
            case 4:
                del raw[rng.randrange(len(raw) + 1) :]
            case 5:
                raw[at:at] = rng.choice((b"\0", b"\xff" * 8, bytes(rng.randrange(64)), raw[at : at + 16]))
            case 6:
                del raw[at : at + rng.choice((1, 4, 8))]
            case _:
                raw = bytearray(plain(bytes(raw)))
    return bytes(raw)


def tree(value: Any, rng: random.Random) -> Any:
    """A value of JSON with one to three nodes changed."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        places = [*_places(value)]
        if not places:
            return _odd(rng, value)
        inside, key = rng.choice(places)
        match rng.randrange(10):
            case 0:
                del inside[key]
            case 1:
                other, at = rng.choice(places)
                with suppress(LookupError, TypeError):
                    inside[key] = json.loads(json.dumps(other[at]))
            case 2 if isinstance(inside, dict):
                inside[rng.choice(TEXTS)] = inside.pop(key)
            case 3 if isinstance(inside, list):
                inside.insert(key, json.loads(json.dumps(inside[key])))
            case 4 if isinstance(inside[key], list):
                inside[key] = inside[key] * rng.choice((0, 2, 50))
            case 5 if isinstance(inside[key], str):
                text = inside[key]
                at = rng.randrange(len(text) + 1)
                inside[key] = text[:at] + rng.choice(TEXTS) + text[at + rng.randrange(3) :]
            case 6 if isinstance(inside, dict):
                inside[rng.choice(TEXTS)] = _odd(rng, inside[key])
            case _:
                inside[key] = _odd(rng, inside[key])
    return value


def _odd(rng: random.Random, value: Any) -> Any:
    return rng.choice(
        (None, True, False, [], {}, [[]], {"": ""}, [None], [value], {"a": value}, [value, value], str(value))
        + (rng.choice(NUMBERS),) * 8
        + (rng.choice(TEXTS),) * 8
    )


def _places(value: Any) -> Any:
    for key, one in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield value, key
        yield from _places(one)
