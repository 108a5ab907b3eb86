"""What a run records of the packages that its own require."""

from __future__ import annotations

from importlib import metadata

import pytest

from biascore.results import provenance

OF_NAMES = {
    "a_b": ["C.d>=1 ; python_version >= '3'", "e[f]>2; sys_platform == 'none'", 'g; extra == "x"'],
    "c-d": ["h"],
}


class Installed:
    """A distribution: its METADATA, or none as of an old form of installation."""

    def __init__(self, name: str, old: bool) -> None:
        self.version, self.requires, self._old = f"{len(name)}.0", OF_NAMES[name], old

    def read_text(self, name: str) -> str | None:
        """Its METADATA."""
        assert name == "METADATA"
        needs = "\n".join(f"Requires-Dist: {one}" for one in self.requires)
        fields = (
            f"Metadata-Version: 2.1\nVersion:  {self.version} \nLicense: one\n        Version: two\n{needs}"
        )
        return None if self._old else f"{fields}\n\nVersion: 9\nRequires-Dist: described\n"


@pytest.mark.parametrize("old", [False, True])
def test_what_is_required_here_is_found_by_any_form_of_its_name(
    monkeypatch: pytest.MonkeyPatch, old: bool
) -> None:
    def distribution(name: str) -> Installed:
        if name.replace("-", "_") not in OF_NAMES and name not in OF_NAMES:
            raise metadata.PackageNotFoundError(name)
        return Installed(name if name in OF_NAMES else name.replace("-", "_"), old)

    monkeypatch.setattr(metadata, "distribution", distribution)
    provenance._installed.cache_clear()
    try:
        assert provenance.required(["A_b"]) == {"a-b": "3.0", "c-d": "3.0"}
    finally:
        provenance._installed.cache_clear()
