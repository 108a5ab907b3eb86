"""A stream that a command can go on writing to when nobody reads it any more, or when the disk is full."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from typing import Any, TextIO


class Lasting:
    """Another stream, of which ``lost`` is the first error of writing: what is written after it is dropped.

    So a closed pipe and a full disk change neither what a command keeps nor its exit code. What the encoding of the stream
    lacks is written as an escape.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.lost: OSError | None = None

    def __getattr__(self, name: str) -> Any:
        """All else is the stream's own."""
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write, unless that failed before."""
        encoding = self._stream.encoding or "utf-8"
        self._do(lambda: self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding)))
        return len(text)

    def flush(self) -> None:
        """Flush, unless that failed before."""
        self._do(self._stream.flush)

    @property
    def problem(self) -> str:
        """Why not all was written, where anybody waits for it: not where the reader has closed its end."""
        if self.lost is None or self.lost.errno in (errno.EPIPE, errno.EINVAL):  # Windows says EINVAL
            return ""
        return self.lost.strerror or str(self.lost)

    def _do(self, what: Any) -> None:
        if self.lost is not None:
            return
        try:
            what()
        except OSError as error:
            self.lost = error
            # What is left in the buffer is flushed when Python ends, and would fail again.
            with suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, self._stream.fileno())
                os.close(nowhere)
