"""Keys stay out of what libraries log, at whatever level and to whatever place somebody has them log.

Clients of services log headers, addresses and answers at the level DEBUG, a session's token and what a server repeats among
them. A filter would have to be put on each of their loggers; a record is made in one place.
"""

from __future__ import annotations

import logging
from typing import Any

from biascore.basics.keys import declared, hide

_FORMATTER = logging.Formatter()


def keep_keys_out_of_logs() -> None:
    """Have every record of the process made without the keys that adapters declare; done once."""
    before = logging.getLogRecordFactory()
    if getattr(before, "hides_keys", False):
        return

    def made(*args: Any, **kwargs: Any) -> logging.LogRecord:
        return _hidden(before(*args, **kwargs))

    vars(made)["hides_keys"] = True
    logging.setLogRecordFactory(made)


def _hidden(record: logging.LogRecord) -> logging.LogRecord:
    try:
        said = record.getMessage()
    except Exception:  # the arguments do not fit the message: logging tells so itself, and shows both
        said = f"{record.msg} {record.args}"
    clear = hide(said, declared())
    if clear != said:
        record.msg, record.args = clear, ()
    if record.exc_info and record.exc_info[0] is not None:
        told = _FORMATTER.formatException(record.exc_info)
        clear = hide(told, declared())
        if clear != told:
            record.exc_info, record.exc_text = None, clear
    return record
