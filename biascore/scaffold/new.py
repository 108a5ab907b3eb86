"""``biascore plugin new``: a package that can be installed and passes its own tests, as a start."""

from __future__ import annotations

import re
from contextlib import suppress
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from biascore.api import CONTRACT
from biascore.errors import OptionsError, RunError
from biascore.files.writing import check_folder, new_folder
from biascore.plugins.loading import Plugins
from biascore.plugins.registry import Registry

PREFIX: Final = "biascore-plugin-"
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_SUFFIX: Final = ".txt"
_BRINGS: Final[dict[str, dict[str, str]]] = {
    "adapter": {"adapters": '@NAME@ = "@MODULE@.adapter:@CLASS@Adapter"'},
    "metric": {
        "metrics": '@NAME@ = "@MODULE@.metric:@CLASS@"',
        "kinds": '@NAME@ = "@MODULE@.kind:@CLASS@Entry"',
        "wordlists": 'en = "@MODULE@.en"',
    },
    "transform": {"transforms": '@NAME@ = "@MODULE@.transform:@CLASS@"'},
    "language": {"languages": 'la = "@MODULE@:latin"', "wordlists": 'la = "@MODULE@.la"'},
    "format": {"formats": '@NAME@ = "@MODULE@.table:@CLASS@Table"'},
    "exporter": {"exporters": '@NAME@ = "@MODULE@.exporter:@CLASS@Exporter"'},
    "command": {"commands": '@NAME@ = "@MODULE@:COMMAND"'},
}
"""The entry points of a new plugin of each kind, by their group."""
KINDS: Final = tuple(_BRINGS)


def new_plugin(name: str, kind: str, folder: Path | None = None) -> Path:
    """Write the package of a plugin into a new folder, by default ``biascore-plugin-NAME`` here; returns the folder.

    ``kind`` is one of ``KINDS``. Raises OptionsError for another kind or a name that no package can have, RunError where the
    folder exists or cannot be written.
    """
    short = name.removeprefix(PREFIX)
    if kind not in KINDS:
        raise OptionsError(f"{kind!r} is no kind of plugin. Choose one: {', '.join(KINDS)}")
    if not _NAME.fullmatch(short):
        raise OptionsError(
            f"{name!r} cannot name a package: it must be small letters, digits and single hyphens, from a letter. "
            "For example: biascore plugin new my-model --kind adapter"
        )
    check_free(short, kind)
    words = {
        "NAME": short,
        "DIST": PREFIX + short,
        "MODULE": (PREFIX + short).replace("-", "_"),
        "CLASS": "".join(part.capitalize() for part in short.split("-")),
        "CONTRACT": str(CONTRACT),
        "BIASCORE": ".".join(metadata.version("biascore").split(".")[:2]),
        "KIND": kind,
    }
    entries = [f'[project.entry-points."biascore.{group}"]\n{line}' for group, line in _BRINGS[kind].items()]
    words["ENTRIES"] = _filled("\n\n".join(entries), words)
    wanted = folder or Path(words["DIST"])
    if wanted.exists():
        raise RunError(f"{wanted} exists already, and is left as it is. Name another folder: --out DIR")
    target = check_folder(wanted, overwrite=False, in_the_way=lambda _path: "")
    with new_folder(target) as new:
        for part in ("common", kind):
            _write(files("biascore.scaffold") / "templates" / part, new, words)
    return target


def check_free(name: str, kind: str) -> None:
    """Raise OptionsError where something installed has the name already: what ships keeps it, and two others lose it."""
    dist = PREFIX + name
    with suppress(metadata.PackageNotFoundError):
        raise OptionsError(f"{dist} {metadata.version(dist)} is installed already. Choose another name")
    plugins = Plugins()
    taken: dict[str, tuple[Registry[Any], ...]] = {
        "adapter": (plugins.adapters,),
        "metric": (plugins.metrics, plugins.kinds),
        "transform": (plugins.transforms,),
        "format": (plugins.formats,),
        "exporter": (plugins.exporters,),
        "command": (plugins.commands,),
    }
    for registry in taken.get(kind, ()):
        if registry.has(name):
            raise OptionsError(
                f"the {registry.kind} {name!r} is there already, from {registry.keeper(name)}. Choose another name, such as "
                f"my-{name}"
            )
    if kind == "metric" and f"en/{name}" in plugins.tests.known:
        raise OptionsError(f"the test en/{name} is there already. Choose another name, such as my-{name}")


def _write(source: Traversable, target: Path, words: dict[str, str]) -> None:
    """A folder of templates, with the words in the names of its files and in them."""
    for one in source.iterdir():
        made = target / _filled(one.name, words).removesuffix(_SUFFIX)
        if one.is_dir():
            made.mkdir(exist_ok=True)
            _write(one, made, words)
        else:
            made.write_text(_filled(one.read_text(encoding="utf-8"), words), encoding="utf-8")


def _filled(text: str, words: dict[str, str]) -> str:
    """The text with each ``@WORD@`` replaced; raises KeyError for a word that there is not."""
    return re.sub(r"@([A-Z]+)@", lambda found: words[found[1]], text)
