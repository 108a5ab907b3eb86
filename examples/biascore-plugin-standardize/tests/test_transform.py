"""The contract of a transform, a test for each clause."""

import pytest
from biascore.testing import TransformContract

OPTIONS = {"words": "en/caliskan2017/flowers"}


@pytest.mark.contract(TransformContract("standardize", "planted:gender=0.5", options=OPTIONS))
def test_contract(clause):
    clause()
