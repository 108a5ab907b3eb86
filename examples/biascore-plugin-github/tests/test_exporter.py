"""The contract of an exporter, a test for each clause."""

import pytest
from biascore.testing import ExporterContract


@pytest.mark.contract(ExporterContract("github"))
def test_contract(clause):
    clause()
