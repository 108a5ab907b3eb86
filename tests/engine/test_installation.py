"""The command that an error proposes is the one that works for the way biascore was installed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from biascore import installation
from biascore.errors import MissingExtraError
from biascore.installation import Installation, install_extra, install_plugin

Installed = Callable[..., str]


@pytest.fixture(autouse=True)
def _pip_is_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation.shutil, "which", lambda _: str(Path(sys.executable).parent / "pip"))


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    """``installed(dist, direct_url)``: a distribution with that PEP 610 record, found before any other."""

    def make(dist: str, direct: Any) -> str:
        info = tmp_path / "site" / f"{dist.replace('-', '_')}-9.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {dist}\nVersion: 9\n")
        if direct is not None:
            text = direct if isinstance(direct, str) else json.dumps(direct)
            (info / "direct_url.json").write_text(text)
        monkeypatch.syspath_prepend(str(info.parent))
        return dist

    return make


@pytest.mark.parametrize(
    ("direct", "command"),
    [
        ({"url": "file:///a/b", "dir_info": {"editable": True}}, "pip install -e '/a/b[hf]'"),
        ({"url": "file:///a/b%20c", "dir_info": {}}, "pip install '/a/b c[hf]'"),
        (
            {"url": "file:///d/x-9-py3-none-any.whl", "archive_info": {}},
            "pip install '/d/x-9-py3-none-any.whl[hf]'",
        ),
        (
            {"url": "https://git.example/x", "vcs_info": {"vcs": "git", "commit_id": "c0ffee"}},
            "pip install 'some-dist[hf] @ git+https://git.example/x@c0ffee'",
        ),
        (
            {"url": "https://example/x.whl", "archive_info": {}},
            "pip install 'some-dist[hf] @ https://example/x.whl'",
        ),
        (None, "pip install 'some-dist[hf]'"),
        ("{damaged", "pip install 'some-dist[hf]'"),
    ],
)
def test_an_extra_comes_from_where_the_distribution_came_from(
    direct: Any, command: str, installed: Installed
) -> None:
    assert install_extra("hf", installed("some-dist", direct)) == command


def test_the_error_for_a_missing_extra_says_it(installed: Installed) -> None:
    installed("some-dist", {"url": "file:///d/it's.whl", "archive_info": {}})
    message = str(MissingExtraError("parsing", "stanza", "some-dist"))
    assert message == (
        "parsing needs an optional dependency. Install it with: pip install '/d/it'\"'\"'s.whl[stanza]'"
    )


def test_without_any_record_the_checkout_that_runs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Installation, "of", classmethod(lambda *_: None))
    checkout = Path(installation.__file__).resolve().parents[1]
    assert install_extra("hf") == f"pip install -e '{checkout}[hf]'"
    slavic = "biascore-plugin-slavic"
    assert install_plugin(slavic, slavic) == f"pip install -e '{checkout / 'plugins' / slavic}'"
    assert install_extra("stanza", slavic) == f"pip install -e '{checkout / 'plugins' / slavic}[stanza]'"
    assert install_plugin("someone-elses>=1", "someone-elses") == "pip install 'someone-elses>=1'"


def test_a_plugin_whose_wheel_lies_beside_biascores_is_named_by_it(
    installed: Installed, tmp_path: Path
) -> None:
    (tmp_path / "biascore_plugin_x-1-py3-none-any.whl").touch()
    wheel = tmp_path / "biascore-9-py3-none-any.whl"
    installed("biascore", {"url": wheel.as_uri(), "archive_info": {}})
    assert (
        install_plugin("biascore-plugin-x>=1", "biascore-plugin-x")
        == f"pip install '{tmp_path}/biascore_plugin_x-1-py3-none-any.whl'"
    )


@pytest.mark.parametrize(
    ("pip", "uv", "starts"), [(True, True, "{} -m pip install"), (False, True, "uv pip install --python {}")]
)
def test_a_pip_of_another_python_is_not_proposed(
    pip: bool, uv: bool, starts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        installation.shutil, "which", lambda name: f"/elsewhere/{name}" if uv or name == "pip" else None
    )
    monkeypatch.setattr(installation.importlib.util, "find_spec", lambda _: object() if pip else None)
    assert install_extra("hf").startswith(starts.format(sys.executable) + " ")
