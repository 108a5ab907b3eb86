"""A run without the paths of the machine that made it: relative to the audit's folder, else by name only."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any, Final

from pydantic import BaseModel

from biascore.results.run import Run

_ADAPTER: Final = re.compile(r"[a-z][a-z0-9_-]*:")
_USER_INFO: Final = re.compile(r"(?<=://)[^/@\s]+@")


def portable(run: Run, folder: str | Path = "", written: Mapping[str, str] = MappingProxyType({})) -> Run:
    """The same run, whose texts hold no absolute path of what it was given, and no password of a server's address.

    What lies in ``folder`` (default: the current one) is named relative to it, and what lies elsewhere by as much
    of the end of its path as tells it from the other inputs. ``written`` are paths as the user wrote them, by
    absolute path: relative ones stay. Item tables hold words and are left as they are.
    """
    roots = {root for here in (Path(folder), Path()) for root in (here.absolute(), here.resolve())}
    shown = {str(root): "." for root in roots if len(root.parts) > 1}
    shown |= {f"{root}/": "" for root in shown}
    learnt = [used.options for model in run.models for used in model.transforms]
    given = set(_absolute([run.provenance.audit, [model.ref for model in run.models], learnt]))
    # A test may be read from more files than the audit names; those of a folder that it names go by that folder.
    named = tuple(f"{path}/" for path in given)
    given |= {path for path in _absolute([one.file for one in run.stimuli]) if not path.startswith(named)}
    shown |= _names([path for path in given if not path.startswith(tuple(shown))])
    shown |= {path: text for path, text in written.items() if not Path(text).is_absolute()}
    longest = sorted(shown, key=len, reverse=True)
    ends = [re.escape(path) + ("" if path.endswith("/") else r"(?![\w-])") for path in longest]
    found = re.compile(rf"(?<![\w.~/-])(?:{'|'.join(ends)})") if ends else None

    def without(text: str) -> str:
        short = found.sub(lambda match: shown[match[0]], text) if found else text
        return _USER_INFO.sub("", short)

    changed: Run = _mapped(run, without)
    return changed


def _mapped(value: Any, change: Any) -> Any:
    if type(value) is str:  # not an enumeration's
        return change(value)
    if isinstance(value, BaseModel):
        stored = [name for name, field in type(value).model_fields.items() if not field.exclude]
        return value.model_copy(update={name: _mapped(getattr(value, name), change) for name in stored})
    if isinstance(value, Mapping):
        return MappingProxyType({key: _mapped(item, change) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return tuple(_mapped(item, change) for item in value)
    return value


def _absolute(value: object) -> Iterator[str]:
    """The absolute paths among these texts, also behind ``adapter:``."""
    if isinstance(value, str):
        path = _ADAPTER.sub("", value, count=1)
        if Path(path).is_absolute() and not path.startswith("//"):
            yield path
    elif isinstance(value, Mapping):
        yield from _absolute(tuple(value.values()))
    elif isinstance(value, Sequence):
        for item in value:
            yield from _absolute(item)


def _names(paths: Collection[str]) -> dict[str, str]:
    """For each path the shortest end that no other path has."""
    parts = {path: PurePath(path).parts for path in paths}
    ends = Counter(own[-n:] for own in parts.values() for n in range(1, len(own) + 1))
    return {
        path: next("/".join(own[-n:]) for n in range(1, len(own) + 1) if n == len(own) or ends[own[-n:]] == 1)
        for path, own in parts.items()
    }
