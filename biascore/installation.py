"""How a distribution was installed (PEP 610), and so the pip command that adds to it what is missing."""

from __future__ import annotations

import importlib.util
import json
import shlex
import shutil
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

Origin = Literal["editable", "folder", "file", "url", "index"]


@dataclass(frozen=True, slots=True)
class Installation:
    """Where a distribution came from: ``place`` is a path, or for ``url`` what pip takes; "" for an index."""

    origin: Origin
    place: str = ""

    @classmethod
    def of(cls, dist: str) -> Installation | None:
        """How ``dist`` was installed, by its ``direct_url.json``; None where it is not installed."""
        try:
            stated = metadata.distribution(dist).read_text("direct_url.json")
        except metadata.PackageNotFoundError:
            return None
        if stated is None:
            return cls("index")  # pip notes everything but what it found by name
        try:
            direct: Any = json.loads(stated)
            url = str(direct["url"])
        except (ValueError, KeyError, TypeError):
            return cls("index")
        parts = urlsplit(url)
        if parts.scheme != "file":
            vcs = direct.get("vcs_info")
            return cls("url", f"{vcs['vcs']}+{url}@{vcs['commit_id']}" if vcs else url)
        from urllib.request import url2pathname

        place = url2pathname(parts.path)
        if "dir_info" not in direct:
            return cls("file", place)
        return cls("editable" if direct["dir_info"].get("editable") else "folder", place)


_INDEX: Final = Installation("index")


def install_extra(extra: str, dist: str = "biascore") -> str:
    """The command that installs an extra of ``dist``, from where ``dist`` itself was installed."""
    found = Installation.of(dist) or _next_to_biascore(dist)
    match found.origin:
        case "editable":
            return _pip("-e", f"{found.place}[{extra}]")
        case "folder" | "file":
            return _pip(f"{found.place}[{extra}]")
        case "url":
            return _pip(f"{dist}[{extra}] @ {found.place}")
        case "index":
            return _pip(f"{dist}[{extra}]")


def install_plugin(requirement: str, dist: str) -> str:
    """The command that installs a plugin: from next to biascore itself where it lies there, else by its name."""
    found = _next_to_biascore(dist)
    match found.origin:
        case "editable":
            return _pip("-e", found.place)
        case "folder" | "file":
            return _pip(found.place)
        case _:
            return _pip(requirement)


def _next_to_biascore(dist: str) -> Installation:
    """What is not installed by itself: the checkout that biascore runs from, or the folder that its wheel lay in."""
    if dist == "biascore":
        checkout = Path(__file__).resolve().parents[1]
        return Installation("editable", str(checkout)) if (checkout / "pyproject.toml").is_file() else _INDEX
    biascore = Installation.of("biascore") or _next_to_biascore("biascore")
    if biascore.origin in ("editable", "folder"):
        folder = Path(biascore.place, "plugins", dist)
        if (folder / "pyproject.toml").is_file():
            return Installation(biascore.origin, str(folder))
    if biascore.origin == "file":
        wheels = sorted(Path(biascore.place).parent.glob(f"{dist.replace('-', '_')}-*.whl"))
        if wheels:
            return Installation("file", str(wheels[-1]))
    return _INDEX


def _pip(*arguments: str) -> str:
    return " ".join((_installer(), *(_quoted(argument) for argument in arguments)))


def _installer() -> str:
    """``pip install`` where that is the pip of the running Python, else that Python's by its full path."""
    python = Path(sys.executable)
    found = shutil.which("pip")
    if found and Path(found).parent == python.parent:
        return "pip install"
    if importlib.util.find_spec("pip") is None and shutil.which("uv"):
        return f"uv pip install --python {shlex.quote(str(python))}"
    return f"{shlex.quote(str(python))} -m pip install"


def _quoted(argument: str) -> str:
    """In quotes, because some shells read the brackets of an extra; an option as it is."""
    return argument if argument.startswith("-") else "'" + argument.replace("'", "'\"'\"'") + "'"
