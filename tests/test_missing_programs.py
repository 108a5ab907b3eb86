"""Where a program that tests need is missing: a skip with its reason, under CI=true a failure."""

from __future__ import annotations

import pytest

from .conftest import missing


@pytest.mark.parametrize(
    ("ci", "outcome"), [("true", pytest.fail.Exception), ("false", pytest.skip.Exception)]
)
def test_a_missing_program_fails_in_ci_and_is_skipped_elsewhere(
    monkeypatch: pytest.MonkeyPatch, ci: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="chromium is not installed: apt-get install chromium"):
        missing("chromium", "chromium")
