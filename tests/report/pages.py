"""The page as a tree of elements, and what a specification of a chart holds."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from biascore.basics.visible import visible
from biascore.report import write_report
from biascore.results.run import Run

VOID = {"meta", "br", "img", "link", "input", "hr", "wbr"}
PACKED = re.compile(
    r'<script type="application/json" id="(details-\d+|vega)" data-packed="gzip">([^<]*)</script>'
)


@dataclasses.dataclass
class Element:
    tag: str
    attributes: dict[str, str | None]
    parent: Element | None = dataclasses.field(default=None, repr=False)
    own_text: list[str] = dataclasses.field(default_factory=list)
    children: list[Element] = dataclasses.field(default_factory=list)

    def all(self, tag: str, css_class: str | None = None) -> list[Element]:
        found = [c for c in self.walk() if c.tag == tag]
        return [c for c in found if css_class is None or css_class in c.classes]

    @property
    def classes(self) -> list[str]:
        return (self.attributes.get("class") or "").split()

    def walk(self) -> list[Element]:
        return [self, *(e for c in self.children for e in c.walk())]

    @property
    def text(self) -> str:
        """All text under this element with runs of space as one, scripts and styles left out."""
        return " ".join(self._raw().split())

    def _raw(self) -> str:
        if self.tag in {"script", "style"}:
            return ""
        return "".join(part if isinstance(part, str) else part._raw() for part in self._parts())

    def _parts(self) -> list[Any]:
        return self.own_text


class Tree(HTMLParser):
    """A tree of elements; fails where a tag is closed that is not open, so that nesting is checked too."""

    def __init__(self, document: str) -> None:
        super().__init__(convert_charrefs=True)
        self.root = self.current = Element("#root", {})
        self.feed(document)
        self.close()
        assert self.current is self.root, f"<{self.current.tag}> is never closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs), self.current)
        self.current.children.append(element)
        self.current.own_text.append(element)  # type: ignore[arg-type]  # text and elements in document order
        if tag not in VOID:
            self.current = element

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.current.tag, f"</{tag}> closes <{self.current.tag}>"
        assert self.current.parent is not None
        self.current = self.current.parent

    def handle_data(self, data: str) -> None:
        self.current.own_text.append(data)


def data_in(script: Element) -> Any:
    """The JSON of a script of data, unpacked where it is packed."""
    text = "".join(script.own_text)
    if "data-packed" in script.attributes:
        text = gzip.decompress(base64.b64decode(text)).decode("utf-8")
    return json.loads(text)


def tables_of(page: Element) -> dict[str, dict[str, Any]]:
    """The tables that the page makes when they are opened, by id: captions, columns and rows."""
    scripts = [s for s in page.all("script") if s.attributes.get("type") == "application/json"]
    later = {d.attributes["data-items"] for d in page.all("div") if "data-items" in d.attributes}
    return {s.attributes["id"] or "": data_in(s) for s in scripts if s.attributes["id"] in later}


def assert_data_is_used(page: Element) -> None:
    """Every script of data is that of a chart, of a table or what draws charts, and is JSON."""
    used = [d.attributes.get("data-spec") or d.attributes.get("data-items") for d in page.all("div")]
    scripts = [s for s in page.all("script") if s.attributes.get("type") == "application/json"]
    assert {s.attributes["id"] for s in scripts} == {"vega", *filter(None, used)}
    for script in scripts:
        data_in(script)


def page_of(run: Run, tmp_path: Path) -> Element:
    return Tree(write_report(run, tmp_path / "report.html").read_text(encoding="utf-8")).root


def squeezed(text: str) -> str:
    """The text as the page shows it: what would act is visible, white space is one space."""
    return " ".join(visible(text).split())


def leaves(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every string of a specification, with the keys on the way to it."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, entry in value.items():
            yield from leaves(entry, f"{key}.{name}".strip("."))
    elif isinstance(value, list):
        for entry in value:
            yield from leaves(entry, key)


def packed(page: str) -> dict[str, list[str]]:
    """What a page has packed, by its id: details of many measurements, and what draws charts."""
    return {name: json.loads(gzip.decompress(base64.b64decode(text))) for name, text in PACKED.findall(page)}
