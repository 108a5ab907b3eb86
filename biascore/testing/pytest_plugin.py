"""One test for each clause of a contract: mark a test that takes ``clause`` with the contracts to check.

@pytest.mark.contract(AdapterContract("csv:vectors.csv"))
def test_contract(clause):
    clause()
"""

from __future__ import annotations

import pytest

from biascore.testing.contract import NotAskedError


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known."""
    config.addinivalue_line(
        "markers", "contract(*contracts): check each clause of these contracts of biascore.testing"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test for each clause."""
    mark = metafunc.definition.get_closest_marker("contract")
    if mark is not None and "clause" in metafunc.fixturenames:
        for contract in mark.args:
            metafunc.config.add_cleanup(contract.close)
        clauses = [clause for contract in mark.args for clause in contract.clauses()]
        metafunc.parametrize("clause", clauses, ids=[f"{clause.kind}: {clause.name}" for clause in clauses])


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call() -> object:
    """A clause that does not concern the plugin is skipped, with the reason."""
    try:
        return (yield)
    except NotAskedError as error:
        pytest.skip(str(error))
