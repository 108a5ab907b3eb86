"""What is no path is told before anything is measured; a path where nothing is yet is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from biascore.errors import OptionsError
from biascore.files.paths import is_path, user_path


@pytest.mark.parametrize("text", ["x" * 300, "a\0b", "~nosuchuser/x"], ids=["long", "NUL", "no user"])
def test_what_is_no_path(text: str) -> None:
    with pytest.raises(OptionsError, match=r"is no path here: .*Give another one"):
        user_path(text)
    assert not is_path(text)


def test_nothing_has_to_be_there(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x", encoding="utf-8")
    for path in (tmp_path / "new", tmp_path / "new" / "deep", file / "below", file):
        assert user_path(str(path)) == path
        assert is_path(str(path)) == (path == file)
