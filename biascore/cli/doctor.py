"""``biascore doctor``: whether this installation can do its work, and the command that fixes what it cannot."""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Final, Literal, NamedTuple

import typer

from biascore.basics.guard import DISABLE_VARIABLE
from biascore.cli import codes
from biascore.installation import install_extra
from biascore.models.pipeline.cache import default_cache
from biascore.plugins.loading import Plugins
from biascore.plugins.points import ALLOW_VARIABLE, IMPORT_VARIABLE
from biascore.terminal.console import print_json, say
from biascore.terminal.options import Json

State = Literal["ok", "missing", "problem"]
_VARIABLES: Final = (
    *("BIASCORE_CACHE_DIR", "BIASCORE_DEBUG", DISABLE_VARIABLE, ALLOW_VARIABLE, IMPORT_VARIABLE),
    *("HF_HOME", "HF_HUB_OFFLINE", "OMP_NUM_THREADS"),
)
_NOT_SHOWN: Final = ("all", "dev")
_STYLES: Final = {"ok": "green", "missing": "yellow", "problem": "bold red"}


class Check(NamedTuple):
    """What was looked at, its state, what was found, and the command to type next where there is one."""

    what: str
    state: State
    found: str
    next: str = ""


def doctor(as_json: Json = False) -> None:
    """Check environment, optional extras, plugins, cache and devices, and say how to fix each problem."""
    checks = tuple(diagnosed())
    if as_json:
        print_json([check._asdict() for check in checks])
    else:
        for check in checks:
            label = {"ok": "ok     ", "missing": "missing", "problem": "problem"}[check.state]
            say(f"{check.what}: {check.found}", label=label, style=_STYLES[check.state])
            if check.next:
                say(f"        next: {check.next}")
        say(_advice(checks))
    if any(check.state == "problem" for check in checks):
        raise typer.Exit(codes.WRONG_INPUT)


def diagnosed() -> Iterator[Check]:
    """The checks, in the order in which a problem in one explains a problem in the next."""
    versions = (
        f"biascore {metadata.version('biascore')}, Python {platform.python_version()}, {platform.platform()}"
    )
    yield Check("environment", "ok", versions)
    for name in _VARIABLES:
        if os.environ.get(name):
            yield Check("variable", "ok", f"{name}={os.environ[name]}")
    yield from _extras()
    plugins = Plugins()
    yield from _plugins(plugins)
    yield _cache()
    yield from _devices(plugins)


def _extras() -> Iterator[Check]:
    """What each extra lacks, as the metadata of the installation states it."""
    from packaging.requirements import Requirement

    requirements = [Requirement(text) for text in metadata.requires("biascore") or ()]
    for extra in sorted(set(metadata.metadata("biascore").get_all("Provides-Extra") or ())):
        if extra in _NOT_SHOWN:
            continue
        mine = [
            one
            for one in requirements
            if one.marker and one.marker.evaluate({"extra": extra}) and not one.marker.evaluate({"extra": ""})
        ]
        versions = {one.name: _version(one.name) for one in mine if one.name != "biascore"}
        lacking = [name for name, version in versions.items() if not version]
        have = ", ".join(f"{name} {version}" for name, version in versions.items())
        if lacking:
            found = f"not installed: {', '.join(lacking)}"
            yield Check(f"extra {extra}", "missing", found, install_extra(extra))
        else:
            yield Check(f"extra {extra}", "ok", have or "nothing of its own")


def _version(dist: str) -> str:
    """The version that is installed, or an empty text."""
    try:
        return metadata.version(dist)
    except metadata.PackageNotFoundError:
        return ""


def _plugins(plugins: Plugins) -> Iterator[Check]:
    records = plugins.records
    loaded = sum(record.status == "loaded" for record in records)
    yield Check("plugins", "ok", f"{loaded} of {len(records)} loaded")
    for record in records:
        if record.status == "blocked":
            yield Check(record.shown, "missing", f"blocked: {record.reason}")
        elif record.status != "loaded":
            # Uninstalling it may be wrong: what it needs may be missing. Without it, all else works.
            remedy = f"{DISABLE_VARIABLE}={shlex.quote(record.name)} biascore plugins"
            yield Check(record.shown, "problem", f"{record.status}: {record.reason}", remedy)


def _cache() -> Check:
    cache = default_cache()
    try:
        info = cache.info()
        problem = cache.problem
    finally:
        cache.close()
    path = Path(info.path)
    if not problem and path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        problem = f"{path} can only be read, so that answers are not kept"
    if problem:
        return Check(
            "cache", "problem", problem, "BIASCORE_CACHE_DIR=/a/folder/that/you/may/write biascore doctor"
        )
    return Check(
        "cache",
        "ok",
        f"{info.path}, {info.answers} answers, {info.bytes / 1e6:z.1f} MB",
        "biascore cache info",
    )


def _devices(plugins: Plugins) -> Iterator[Check]:
    """What models can run on; a library that cannot be imported is a problem, one that is not there none."""
    yield Check("device cpu", "ok", f"{os.cpu_count()} cores")
    runtimes = {one.runtime: one for one in plugins.adapters.items() if one.runtime}
    for module, adapter in sorted(runtimes.items(), reverse=True):
        if importlib.util.find_spec(module) is None:
            continue
        try:
            yield Check(f"devices of {module}", "ok", ", ".join(adapter.devices()))
        except (ImportError, OSError, RuntimeError) as error:
            yield Check(
                f"devices of {module}", "problem", f"it cannot be used: {error}", f"pip install -U {module}"
            )


def _advice(checks: tuple[Check, ...]) -> str:
    problems = sum(check.state == "problem" for check in checks)
    missing = sum(check.state == "missing" for check in checks)
    if problems:
        return f"{problems} problem(s): the command that fixes each is below it"
    optional = (
        f"{missing} optional part(s) are not installed or blocked; install what you need. " if missing else ""
    )
    return (
        f"no problem. {optional}Begin with: biascore measure weat --model planted:gender=1.5 --tests en/weat6"
    )
