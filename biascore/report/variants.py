"""The variants of a metric: what each is called next to the others, in words, and which of them say the same."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from biascore.results.measurement import Measurement

AS_BY_DEFAULT: Final = "default options"
_LEVELS: Final = {"token level": "words as tokens", "sentence level": "whole sentences"}
_OPTION: Final = re.compile(r"(?P<name>\w+)=(?P<values>[^'\"()\[\]{}=]+)")


def variant_names(measurements: Iterable[Measurement], *, folded: bool = True) -> dict[str, str]:
    """What tells each method from others of its metric: options that all of them share are left out.

    ``folded``: a variant that is `repeated` has the name of the one that it repeats, which names both.
    """
    listed = list(measurements)
    variants: dict[str, dict[str, list[str]]] = {}
    for measurement in listed:
        parts = measurement.variant.split(", ") if measurement.variant else []
        variants.setdefault(measurement.metric, {})[measurement.method] = parts
    names = {}
    for methods in variants.values():
        shared = set.intersection(*(set(parts) for parts in methods.values()))
        for method, parts in methods.items():
            own = ", ".join(in_words(part) for part in parts if part not in shared)
            names[method] = own or (AS_BY_DEFAULT if len(methods) > 1 else "")
    same = repeated(listed) if folded else {}
    for first in dict.fromkeys(same.values()):
        also = [names[method] for method, of in same.items() if of == first]
        names[first] += f"; the same: {'; '.join(also)}"
    return names | {method: names[first] for method, first in same.items()}


def method_names(measurements: Iterable[Measurement], *, folded: bool = True) -> dict[str, str]:
    """The metric of each method, and in brackets what tells it from others of the metric."""
    listed = list(measurements)
    variants = variant_names(listed, folded=folded)
    return {
        m.method: f"{m.metric} ({variants[m.method]})" if variants[m.method] else m.metric for m in listed
    }


def repeated(measurements: Iterable[Measurement]) -> dict[str, str]:
    """The methods that say what an earlier one of their metric says wherever they were used, each with that one."""
    said: dict[str, dict[str, dict[tuple[str, ...], Any]]] = {}
    for m in measurements:
        one = m.headline.value, m.headline.interval, m.headline.name
        said.setdefault(m.metric, {}).setdefault(m.method, {})[m.model, m.test, m.subject] = one
    found: dict[str, str] = {}
    for methods in said.values():
        for method, own in methods.items():
            for earlier, others in methods.items():
                if earlier == method:
                    break
                if earlier not in found and all(others.get(place) == one for place, one in own.items()):
                    found[method] = earlier
                    break
    return found


def in_words(part: str) -> str:
    """A part of a variant in words: ``templates=direct`` is "direct templates"; what is no simple option stays."""
    if part in _LEVELS:
        return _LEVELS[part]
    found = _OPTION.fullmatch(part)
    if found is None:
        return part
    name, values = found["name"].replace("_", " "), found["values"].split("+")
    if name == "ppl bins":
        return f"{len(values) - 1} ranges of perplexity"
    if name == "model kind":
        return f"as a {values[0]} model"
    if name in {"groups", "kinds"}:
        return " and ".join(values)
    if name == "templates" and len(values) == 1 and values[0].isalpha():
        return f"{values[0]} templates"
    return f"{name} {', '.join(values)}"
