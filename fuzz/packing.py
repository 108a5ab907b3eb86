"""An input of several files as one run of bytes, so that a fuzzer can change it and a folder can keep it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

_HEAD = re.compile(rb"=== ([\w./-]{1,120}) (\d{1,9})\n")


def packed(files: Mapping[str, bytes]) -> bytes:
    """The files one after the other, each under its name and length."""
    return b"".join(b"=== %s %d\n" % (name.encode(), len(raw)) + raw for name, raw in files.items())


def unpacked(data: bytes, name: str = "") -> dict[str, bytes]:
    """The files; with a ``name``, or where there are no heads, one file of all bytes."""
    if name:
        return {name: data}
    found, at = {}, 0
    while head := _HEAD.match(data, at):
        place = PurePosixPath(head[1].decode())
        at = head.end() + int(head[2])
        if not place.is_absolute() and ".." not in place.parts and place.parts:
            found[str(place)] = data[head.end() : at]
    return found
