"""The module of all names, which was the only one before: each name still comes from it, with a warning."""

from __future__ import annotations

import pytest

import biascore.plugins_api
from biascore.api import metrics


def test_a_name_comes_with_a_warning_that_says_where_it_is_now() -> None:
    with pytest.warns(DeprecationWarning, match=r"Write: from biascore\.api\.metrics import Finding"):
        assert biascore.plugins_api.Finding is metrics.Finding


def test_what_never_was_there_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Metrik'"):
        _ = biascore.plugins_api.Metrik  # type: ignore[attr-defined]
