"""The software that a run was made with, as a bill of materials of CycloneDX 1.6.

Source: ``bom-1.6.schema.json`` of github.com/CycloneDX/specification; package URLs as purl-spec writes those of PyPI.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, Final
from urllib.parse import quote

from biascore.basics.visible import visible_json
from biascore.exporter import Exported, Exporter
from biascore.results.provenance import software

if TYPE_CHECKING:
    from biascore.results.run import Run

SOFTWARE_FILE: Final = "software.cdx.json"
MEDIA_TYPE: Final = "application/vnd.cyclonedx+json"


class CycloneDx(Exporter):
    """Python and each distribution with version and package URL; the same bytes for the same run."""

    id: ClassVar[str] = "cyclonedx"
    summary: ClassVar[str] = "the packages that a run was made with (CycloneDX 1.6)"
    suffix: ClassVar[str] = ".json"

    def export(self, run: Run) -> tuple[Exported, ...]:
        """One JSON object on the whole run."""
        return (Exported(bill_of_materials(run)),)


def bill_of_materials(run: Run) -> str:
    """The text of it; what else was installed is not recorded, so it says that it is incomplete."""
    provenance = run.provenance
    found = [
        _component("platform", "python", provenance.python_version, "generic"),
        *(_component("library", name, version, "pypi") for name, version in software(provenance).items()),
    ]
    main = next(one for one in found if one["name"] == "biascore")
    others = [one for one in found if one is not main]
    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(provenance.finished, UTC).isoformat(timespec="seconds"),
            "component": {**main, "type": "application"},
            "properties": [
                {"name": "biascore:results_digest", "value": run.results_digest()},
                {"name": "biascore:platform", "value": provenance.platform},
            ],
        },
        "components": others,
        "compositions": [{"aggregate": "incomplete", "assemblies": [one["bom-ref"] for one in found]}],
    }
    return visible_json(json.dumps(bill, ensure_ascii=False, indent=1)) + "\n"


def _component(kind: str, name: str, version: str, where: str) -> dict[str, Any]:
    url = f"pkg:{where}/{quote(name, safe='')}@{quote(version, safe='')}"
    return {"type": kind, "bom-ref": url, "name": name, "version": version, "purl": url}
