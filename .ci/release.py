"""What lies next to the wheels of a release, see docs/release.md; each command prints a file.

python .ci/release.py lowest         constraints-lowest.txt: the lowest versions that pyproject.toml allows
python .ci/release.py hashes WHAT    what `pip install WHAT` fetches here, pinned with digests
python .ci/release.py sbom PYTHON    what is installed for an interpreter, as CycloneDX 1.6
python .ci/release.py licences PYTHON    the same as a table with licences
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).resolve().parents[1]
CONSTRAINTS: Final = ROOT / "constraints.txt"
METADATA: Final = """
import json
from importlib.metadata import distributions
print(json.dumps([
    {
        **{key: one.metadata[key.replace("_", "-")] for key in ("name", "version", "license", "license_expression")},
        "classifier": one.metadata.get_all("classifier") or [],
        "requires_dist": one.requires or [],
    }
    for one in distributions()
]))
"""


def lowest() -> str:
    """A pin to the bound of each required dependency; extras are not covered."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = [
        "# Made by: python .ci/release.py lowest. What biascore needs without extras, at the lowest versions."
    ]
    for text in project["dependencies"]:
        needed = Requirement(text)
        (bound,) = (one.version for one in needed.specifier if one.operator == ">=")
        pins.append(f"{needed.name}=={bound}")
    return "\n".join(pins)


def hashes(what: str) -> str:
    """The files that pip chooses for this interpreter and platform, within constraints.txt, with their digests."""
    asked = ["--dry-run", "--ignore-installed", "--only-binary", ":all:", "--report", "-", "--quiet"]
    report = json.loads(_run(sys.executable, "-m", "pip", "install", *asked, "-c", str(CONSTRAINTS), what))
    pins = [
        f"# For Python {sys.version.partition(' ')[0]} on {sys.platform}. Install with pip's --require-hashes."
    ]
    for one in sorted(report["install"], key=lambda one: canonicalize_name(one["metadata"]["name"])):
        digest = one["download_info"]["archive_info"]["hashes"]["sha256"]
        about = one["metadata"]
        if not one["is_direct"]:  # biascore's own wheel is given as a file
            pins.append(f"{about['name']}=={about['version']} --hash=sha256:{digest}")
    return "\n".join(pins)


def sbom(python: str) -> str:
    """Components with licences, and who depends on whom."""
    found = _installed(python)
    components = [
        {
            "type": "library",
            "bom-ref": _purl(one),
            "name": one["name"],
            "version": one["version"],
            "purl": _purl(one),
            "licenses": [{"license": {"name": _licence(one)}}],
        }
        for one in found.values()
    ]
    depends = [
        {
            "ref": _purl(one),
            "dependsOn": sorted({_purl(found[name]) for name in _needs(one) if name in found}),
        }
        for one in found.values()
    ]
    head = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1}
    return json.dumps(
        {**head, "components": components, "dependencies": depends}, indent=1, ensure_ascii=False
    )


def licences(python: str) -> str:
    """Tab-separated: name, version, licence."""
    rows = [(one["name"], one["version"], _licence(one)) for one in _installed(python).values()]
    return "\n".join("\t".join(row) for row in [("name", "version", "licence"), *rows])


def _installed(python: str) -> dict[str, dict[str, Any]]:
    """The metadata of each distribution, by its canonical name and in this order; a second copy is shadowed.

    The interpreter reads them itself: an older pip does not know the field License-Expression.
    """
    found: dict[str, dict[str, Any]] = {}
    for one in json.loads(_run(python, "-c", METADATA)):
        found.setdefault(canonicalize_name(one["name"]), one)
    return dict(sorted(found.items()))


def _needs(about: dict[str, Any]) -> Iterator[str]:
    for text in about["requires_dist"]:
        needed = Requirement(text)
        if needed.marker is None or needed.marker.evaluate({"extra": ""}):
            yield canonicalize_name(needed.name)


def _purl(about: dict[str, Any]) -> str:
    return f"pkg:pypi/{canonicalize_name(about['name'])}@{about['version']}"


def _licence(about: dict[str, Any]) -> str:
    """As the distribution states it: the expression, else the classifiers, else the first line of the text."""
    classified = [one.rpartition(" :: ")[2] for one in about["classifier"] if one.startswith("License ::")]
    text = (about["license"] or "").strip().partition("\n")[0]
    return about["license_expression"] or " AND ".join(classified) or text or "not stated"


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout


COMMANDS: Final[dict[str, Callable[..., str]]] = {
    one.__name__: one for one in (lowest, hashes, sbom, licences)
}

if __name__ == "__main__":
    name, *given = sys.argv[1:] or ["?"]
    if name not in COMMANDS or len(given) != COMMANDS[name].__code__.co_argcount:
        raise SystemExit(__doc__)
    print(COMMANDS[name](*given))
