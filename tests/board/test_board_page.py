"""The page of a board, the command that writes it, and how pages are opened."""

from __future__ import annotations

import json
import re
import webbrowser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biascore import Run
from biascore.board import make_board
from biascore.cli.app import app
from biascore.cli.pages import page_beside
from biascore.errors import OptionsError
from biascore.report import write_report
from biascore.report.board import answer_of, gaps_of, render_board
from biascore.results.failure import Failure

from ..builders import runs
from ..builders.releases import paired, release, used
from ..report.browser import CHROMIUM, visit


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that a browser was asked to open, on a machine with a screen."""
    asked: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: asked.append(url) or True)
    monkeypatch.setenv("DISPLAY", ":0")
    for name in ("SSH_CONNECTION", "SSH_TTY"):
        monkeypatch.delenv(name, raising=False)
    return asked


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two releases of a line, of which the second increased, and a model that failed in whole."""
    for month, effect in enumerate((0.2, 1.9)):
        run = release(paired("gender", effect, noise=month + 1), month=month, line="chat", release=str(month))
        run.save(tmp_path / "runs" / f"chat-{month}")
    lost = Failure(
        model="gone",
        metric="weat",
        test="en/gender",
        kind="opening",
        error="OSError",
        message="<b>away",
        may_pass=True,
    )
    gone = release(paired("gender", 0.2, model="gone"), month=1, failed=(lost,))
    gone.model_copy(update={"measurements": ()}).save(tmp_path / "runs" / "gone")
    return tmp_path / "runs"


def test_the_first_sentence_counts_models_and_changes_since_the_release_before(folder: Path) -> None:
    found = make_board([folder])
    assert answer_of(found) == (
        "At least one test detected bias in 1 of 2 models; 1 could not be measured; since the release before, "
        "1 effect increased."
    )
    assert len(answer_of(found).split()) <= 25
    assert gaps_of(found) == ()


def test_a_table_with_scopes_a_skip_link_words_for_pictures_and_announced_counts(folder: Path) -> None:
    page = render_board(make_board([folder]))
    assert '<a class="skip" href="#models">' in page
    assert page.count('scope="row"') >= 2
    assert page.count('scope="col"') >= 2
    assert re.search(r'<output id="count" role="status">', page)
    assert page.count("<svg") == page.count('aria-hidden="true"><rect') + page.count(
        'aria-hidden="true"><path'
    )
    told = "chat, gender: detected in 1 of 1 measurement. Lead test Words about gender, detected"
    assert told in page
    assert re.search(r"By release: 0 [−\d.]+; 1 [\d.]+ \(increased\)", page)
    assert "src=" not in page
    assert "http:" not in page
    assert "https:" not in page


def test_what_a_user_or_a_model_wrote_is_text(tmp_path: Path) -> None:
    for number, text in enumerate(runs.HOSTILE[:4]):
        run = release(
            paired("gender", 0.4, model=text),
            month=number,
            line=text[:100],
            release=text,
            models=[used(text)],
        )
        run.save(tmp_path / str(number))
    page = render_board(make_board([tmp_path]))
    assert "<script>window.pwned" not in page
    assert "<img" not in page
    assert page.count("<script>") == 1


@pytest.mark.slow
def test_the_page_links_to_the_report_of_the_same_results_and_to_no_other(folder: Path) -> None:
    run = Run.load(folder / "chat-1")
    write_report(run, folder / "chat-1" / "report.html")
    write_report(run, folder / "chat-0" / "report.html")
    line = next(one for one in make_board([folder], out=folder.parent).lines if one.name == "chat")
    assert line.report == "runs/chat-1/report.html"
    assert line.cells[0].link == "runs/chat-1/report.html#m1"
    write_report(Run.load(folder / "chat-0"), folder / "chat-1" / "report.html", overwrite=True)
    line = next(one for one in make_board([folder], out=folder.parent).lines if one.name == "chat")
    assert line.report == ""


def test_a_run_names_its_page_where_both_move_together(tmp_path: Path) -> None:
    run = tmp_path / "runs" / "one"
    assert page_beside(run, tmp_path / "runs" / "one.html") == "../one.html"
    assert page_beside(run, run / "report.html") == "report.html"
    assert page_beside(run, tmp_path / "elsewhere.html") == ""
    assert page_beside(run, tmp_path / "runs" / "one.pdf") == ""
    assert page_beside(run, None) == ""


def test_the_command_writes_page_and_json(
    folder: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    told = CliRunner().invoke(app, ["board", "runs", "--out", "board.html", "--open", "--no-cache"])
    assert told.exit_code == 0, told.output
    assert "chat" in Path("board.html").read_text(encoding="utf-8")
    assert opened == [Path("board.html").resolve().as_uri()]
    told = CliRunner().invoke(app, ["board", "runs/chat-0", "runs/chat-1", "--json", "--no-cache"])
    assert [one["name"] for one in json.loads(told.stdout)["lines"]] == ["chat"]
    with pytest.raises(OptionsError, match=r"Add --out board\.html"):
        CliRunner().invoke(app, ["board", "runs"], catch_exceptions=False)


def test_without_a_screen_a_sentence_says_where_the_page_is(
    folder: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSH_CONNECTION", "10.0.0.1 22")
    told = CliRunner().invoke(app, ["report", str(folder / "chat-0"), "--open"])
    assert (told.exit_code, opened) == (0, [])
    assert f"the page is {(folder / 'chat-0' / 'report.html').resolve()}" in " ".join(told.stderr.split())


def test_a_browser_that_does_not_open_is_no_error(
    folder: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    told = CliRunner().invoke(
        app, ["report", str(folder / "chat-0"), "--open", "--out", str(folder / "a.html")]
    )
    assert told.exit_code == 0
    assert "no browser to open it with" in told.stderr
    assert (folder / "a.html").exists()


AUDIT = """
[[models]]
ref = "planted:gender=0.5"
[[measurements]]
metric = "weat"
tests = ["en/weat7"]
options = { resamples = 200, draws = 500, reference = "none" }
"""


def test_a_run_states_its_page_and_release_and_opens_it(
    tmp_path: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("audit.toml").write_text(AUDIT, encoding="utf-8")
    command = ["run", "audit.toml", "--out", "run", "--no-cache", "--open"]
    with pytest.raises(OptionsError, match=r"--open opens a page, and none is written\. Add --report"):
        CliRunner().invoke(app, command, catch_exceptions=False)
    told = CliRunner().invoke(app, [*command, "--report", "page.html", "--release", "7", "--line", "ours"])
    assert told.exit_code == 0, told.output
    run = Run.load("run")
    assert (run.line, run.release, run.report_path) == ("ours", "7", "../page.html")
    assert opened == [Path("page.html").resolve().as_uri()]
    with pytest.raises(OptionsError, match="release has 101 characters"):
        CliRunner().invoke(app, [*command[:-1], "--force", "--release", "x" * 101], catch_exceptions=False)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_filters_and_sort_are_read_from_the_address_and_the_count_is_announced(
    folder: Path, tmp_path: Path
) -> None:
    page = render_board(make_board([folder]))
    for address, shown in {
        "": ["chat", "hf:gone"],
        "#show=moved": ["chat"],
        "#q=GONE&sort=name": ["hf:gone"],
    }.items():
        found = visit(page, tmp_path, address=address)
        rows = [attrs for tag, attrs in found.page.elements if tag == "tr" and "data-name" in attrs]
        assert sorted(str(row["data-name"]) for row in rows if "hidden" not in row) == shown
        assert f"{len(shown)} of 2 models" in found.page.text
        assert found.requested == frozenset()
        assert "Refused" not in found.console
        assert "Uncaught" not in found.console
