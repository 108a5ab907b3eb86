"""What is written replaces nothing that biascore did not write, and a kill at any line leaves the old or the new."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from biascore.errors import RunError
from biascore.files.writing import check_file, check_folder, finish, new_folder, reserved, write_file
from biascore.models.export import EXPORT_FILE, check_target

MARK = b"written by biascore"

# Killed at the n-th line of the module, for every n, in a child of a process that has no threads.
KILLED = """
import json, os, shutil, signal, sys
from pathlib import Path
from biascore.files import writing

in_one_step = writing._exchanged

def write(what, target):
    if what == "file":
        writing.write_file(target, b"new")
    else:
        with writing.new_folder(target) as new:
            (new / "content").write_bytes(b"new")

def content(what, target):
    path = target if what == "file" else target / "content"
    return path.read_text() if path.exists() else "nothing"

def killed_at(number, what, place):
    target = place / "target"
    place.mkdir()
    if what == "file":
        target.write_bytes(b"old")
    else:
        target.mkdir()
        (target / "content").write_bytes(b"old")
    child = os.fork()
    if child == 0:
        left = number
        def trace(frame, event, argument):
            nonlocal left
            if frame.f_code.co_filename != writing.__file__:
                return None
            if event == "line":
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
            return trace
        sys.settrace(trace)
        write(what, target)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    at_once = content(what, target)
    writing.finish(place)
    rest = sorted(path.name for path in place.iterdir())
    found = [at_once, content(what, target), rest]
    shutil.rmtree(place)
    return status, found

found = {}
for way in ("file", "folder", "folder by two renames"):
    writing._exchanged = in_one_step if way != "folder by two renames" else lambda one, other: False
    found[way], status = [], -1
    while status != 0:
        status, one = killed_at(len(found[way]) + 1, way.split()[0], Path(sys.argv[1], "place"))
        found[way].append(one)
print(json.dumps(found))
"""


@pytest.mark.slow
def test_a_kill_at_any_line_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, tmp_path], capture_output=True, text=True, check=True
    )
    for way, found in json.loads(done.stdout).items():
        assert len(found) > 20
        at_once, afterwards = ({entry[i] for entry in found} for i in (0, 1))
        assert afterwards == {"old", "new"}
        # Where names cannot be exchanged in one step, the next command puts the new one in its place.
        assert at_once == afterwards | ({"nothing"} if way == "folder by two renames" else set())
        # A folder whose lock was not made yet is nobody's; as it is empty, it goes too.
        assert {tuple(entry[2]) for entry in found} == {("target",)}


def test_only_what_is_ours_and_dead_is_cleaned_up(tmp_path: Path) -> None:
    foreign = {
        ".biascore-notes": "a name of another form",
        ".biascore-abcdefgh/thesis.tex": "other files",
        ".biascore-ijklmnop/new": "no lock",
        ".run-abcdefgh/old/run.json": "another prefix",
    }
    for name, text in foreign.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    dead = tmp_path / ".biascore-deaddead"
    dead.mkdir()
    (dead / "lock").touch()
    (dead / "new").mkdir()
    target = tmp_path / "target"
    with new_folder(target) as alive:
        (alive / "content").write_text("new")
        finish(tmp_path)  # as another command would
        assert (alive / "content").read_text() == "new"
    assert not dead.exists()
    assert {name: (tmp_path / name).read_text() for name in foreign} == foreign
    assert (target / "content").read_text() == "new"
    expected = {".biascore-notes", ".biascore-abcdefgh", ".biascore-ijklmnop", ".run-abcdefgh", "target"}
    assert {path.name for path in tmp_path.iterdir()} == expected


@pytest.mark.slow
def test_commands_that_write_into_one_folder_do_not_disturb_each_other(tmp_path: Path) -> None:
    """Each checks, reserves and writes its own file, while the other looks for what dead processes left."""
    code = """
import sys
from pathlib import Path
from biascore.files.writing import check_file, reserved, write_file
for number in range(150):
    path = Path(sys.argv[1], f"{sys.argv[2]}-{number}")
    target = check_file(path, overwrite=False, mark=b"x")
    with reserved(path):
        write_file(target, b"x")
"""
    working = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), name], stderr=subprocess.PIPE)
        for name in "abc"
    ]
    assert [one.communicate()[1] for one in working] == [b""] * 3
    assert len(list(tmp_path.iterdir())) == 450


def test_a_hidden_folder_that_goes_while_it_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / ".biascore-abcdefgh"
    looked = Path.iterdir

    def looked_at(path: Path) -> list[Path]:
        gone.mkdir(exist_ok=True)
        (gone / "target").write_text("mine")
        found = list(looked(path))
        if path == tmp_path:
            shutil.rmtree(gone)
        return found

    monkeypatch.setattr(Path, "iterdir", looked_at)
    finish(tmp_path)
    with reserved(tmp_path / "mine"):
        pass


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
@pytest.mark.parametrize("name", ["lock", "target", "old"])
def test_what_somebody_put_in_a_hidden_folder_is_not_opened(tmp_path: Path, name: str, kind: str) -> None:
    """A link for a lock had its file emptied; a pipe was waited for."""
    precious = tmp_path / "precious"
    precious.write_text("precious")
    place = tmp_path / "place"
    hidden = place / ".biascore-abcdefgh"
    hidden.mkdir(parents=True)
    (hidden / "lock").touch()
    (hidden / name).unlink(missing_ok=True)
    make = {"link": lambda p: p.symlink_to(precious), "pipe": os.mkfifo, "folder": Path.mkdir}[kind]
    make(hidden / name)
    with reserved(place / "report"):
        write_file(check_file(place / "report", overwrite=False, mark=MARK), b"new")
    assert (place / "report").read_bytes() == b"new"
    assert precious.read_text() == "precious"


@pytest.mark.parametrize(("mask", "mode"), [(0o077, 0o600), (0o022, 0o644), (0o002, 0o664)])
def test_who_may_read_what_is_written_is_said_by_the_umask(tmp_path: Path, mask: int, mode: int) -> None:
    before = os.umask(mask)
    try:
        write_file(tmp_path / "report", b"new")
    finally:
        os.umask(before)
    assert (tmp_path / "report").stat().st_mode & 0o777 == mode


# Found before the work.


def nothing_in_the_way(_: Path) -> str:
    return ""


def checks(path: Path) -> None:
    """What every command does before its work."""
    check_file(path, overwrite=True, mark=MARK)


def check_as_folder(path: Path) -> None:
    check_folder(path, overwrite=True, in_the_way=nothing_in_the_way)


def test_no_file_of_another_hand_is_replaced(tmp_path: Path) -> None:
    own, foreign, late = tmp_path / "own", tmp_path / "foreign", tmp_path / "late"
    own.write_bytes(b"x" * 100 + MARK)
    late.write_bytes(b"x" * 200_000 + MARK)
    foreign.write_bytes(b"precious")
    for path in (own, late):
        write_file(check_file(path, overwrite=True, mark=MARK), b"new " + MARK)
        assert path.read_bytes() == b"new " + MARK
    with pytest.raises(RunError, match="foreign was not written by biascore"):
        checks(foreign)
    with pytest.raises(RunError, match=r"own exists already.*overwrite=True"):
        check_file(own, overwrite=False, mark=MARK)


def test_no_device_and_no_pipe_is_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/null")
    for path in (tmp_path / "pipe", Path("/dev/null"), tmp_path / "link"):
        with pytest.raises(RunError, match="no regular file"):
            checks(path)
        with pytest.raises(RunError, match="exists already and is no folder"):
            check_as_folder(path)
    assert Path("/dev/null").is_char_device()


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    file, folder = tmp_path / "store" / "file", tmp_path / "store" / "folder"
    file.write_bytes(MARK)
    folder.mkdir()
    links = tmp_path / "a link to a file", tmp_path / "a link to a folder"
    for link, place in zip(links, (file, folder), strict=True):
        link.symlink_to(place)
    write_file(check_file(links[0], overwrite=True, mark=MARK), b"new")
    target = check_folder(links[1], overwrite=True, in_the_way=nothing_in_the_way)
    with new_folder(target) as new:
        (new / "content").write_bytes(b"new")
    assert all(link.is_symlink() for link in links)
    assert (file.read_bytes(), (folder / "content").read_bytes()) == (b"new", b"new")
    assert len(list((tmp_path / "store").iterdir())) == 2


@pytest.mark.parametrize("check", [checks, check_as_folder])
def test_what_cannot_be_written_is_found_before_the_work(tmp_path: Path, check: object) -> None:
    assert callable(check)
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    with pytest.raises(RunError, match=r"below cannot be written: .*file is no folder. Choose another place"):
        check(tmp_path / "file" / "deep" / "below")
    with pytest.raises(RunError, match=r"nowhere is a link to .*gone, which does not exist. Remove the link"):
        check(tmp_path / "nowhere")
    with pytest.raises(RunError, match="below cannot be written"):
        check(tmp_path / "nowhere" / "below")
    with pytest.raises(RunError, match="cannot be written: nothing can be made in /proc"):
        check(Path("/proc/run"))
    check(tmp_path / "not" / "yet" / "there")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "nowhere"]


def test_an_exported_model_is_replaced_only_where_nothing_else_lies_in_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "model.onnx").touch()
    (folder / EXPORT_FILE).write_text(json.dumps({"files": ["onnx/model.onnx"]}))
    assert check_target(folder, overwrite=True) == folder
    with pytest.raises(RunError, match="copy exists already"):
        check_target(folder, overwrite=False)
    (folder / "onnx" / "notes.txt").touch()
    with pytest.raises(RunError, match=r"next to an exported model it holds onnx/notes.txt"):
        check_target(folder, overwrite=True)
    (folder / EXPORT_FILE).write_text("{}")
    with pytest.raises(RunError, match="copy is not overwritten: it is not an exported model"):
        check_target(folder, overwrite=True)


def test_a_place_is_kept_for_one_command(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "run"
    dead = tmp_path / ".biascore-abcdefgh"
    dead.mkdir()
    (dead / "lock").touch()
    (dead / "target").write_text("deep/run", encoding="utf-8")
    with reserved(target):
        assert not dead.exists()
        with pytest.raises(RunError, match="another command is at work"), reserved(target):
            pass
        with reserved(tmp_path / "deep" / "other"):
            pass
        with new_folder(target) as new:
            (new / "content").write_bytes(b"new")
    with reserved(target):
        pass
    assert {path.name for path in tmp_path.iterdir()} == {"deep"}
    assert {path.name for path in (tmp_path / "deep").iterdir()} == {"run"}
