"""``pytest --biascore audit.toml``: the gates of an audit as tests, by ``biascore.testing.pytest_gates``.

pytest imports this in every run, so it imports nothing itself. It is a distribution of its own because pytest marks all
modules of one with such an entry point for rewriting, also where the option is not given.
"""

import pytest

_GATES = "biascore.testing.pytest_gates"


def pytest_addoption(parser):
    """The option that loads the rest."""
    parser.getgroup("biascore").addoption(
        "--biascore",
        action="store_true",
        help="Run the audit files that are named, with a test for each gate and measurement.",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    """Before the options are read for good, as the gates bring one."""
    if early_config.known_args_namespace.biascore:
        early_config.pluginmanager.import_plugin(_GATES)


def pytest_configure(config):
    """Refuse the option without an audit file: nothing would be tested, and nothing fail."""
    named = [one.partition("::")[0] for one in config.args]
    if config.option.biascore and not any(one.endswith(".toml") for one in named):
        raise pytest.UsageError("--biascore needs an audit file: pytest --biascore audit.toml")
