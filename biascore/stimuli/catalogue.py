"""All tests and lists that are available, by address: ``en/weat6`` and ``en/caliskan2017/flowers``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import translate
from functools import cached_property, lru_cache
from pathlib import Path
from shlex import quote
from types import MappingProxyType
from typing import Self, TypeAlias

from biascore.basics.suggest import did_you_mean
from biascore.basics.surface import either
from biascore.basics.tags import LANGUAGE_PATTERN
from biascore.errors import StimuliError, UnknownNameError
from biascore.stimuli.lists import Stimuli, TemplateList, WordList
from biascore.stimuli.loader import check_command, index_file, load_file
from biascore.stimuli.model import Listed, StimuliFile, Test
from biascore.stimuli.schema import Kinds

Origin: TypeAlias = Test | StimuliFile
"""Where stimuli come from: a test, or a file of lists."""

_SEE_LISTS = "See what there is with: biascore list wordlists"


class _Lists(Mapping[str, Stimuli]):
    """Lists by address, each built with its file when it is first asked for."""

    def __init__(self, files: Mapping[str, StimuliFile]) -> None:
        self._files = files

    def __getitem__(self, address: str) -> Stimuli:
        return self._files[address].contents().lists[address.rpartition("/")[2]]

    def __contains__(self, address: object) -> bool:
        return address in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


class Catalogue:
    """Tests addressed as ``language/test`` and lists addressed as ``language/file/list``, case ignored.

    Tests and lists are built when they are first asked for, which raises StimuliError where their file cannot be used;
    ``index`` and the addresses of ``lists`` are there at once.

    Raises StimuliError where two files claim one test or one file name within a language.
    """

    files: tuple[StimuliFile, ...]

    def __init__(self, files: Iterable[StimuliFile]) -> None:
        self.files = tuple(files)
        _refuse_duplicates(self.files)

    @cached_property
    def _tests(self) -> dict[str, Listed]:
        tests = sorted((test for file in self.files for test in file.index), key=_test_order)
        return {test.id.casefold(): test for test in tests}

    @cached_property
    def _lists(self) -> dict[str, tuple[str, StimuliFile]]:
        return {
            f"{file.language}/{file.stem}/{name}": (section, file)
            for file in sorted(self.files, key=lambda file: (file.language, natural_order(file.stem)))
            for name, section in file.sections.items()
        }

    @classmethod
    def from_folders(
        cls,
        roots: Iterable[tuple[Path, str]] = (),
        *,
        language_folders: Iterable[tuple[Path, str]] = (),
        kinds: Kinds | None = None,
    ) -> Self:
        """Read every TOML file; the string next to each folder is the prefix of its files' display names.

        A root holds ``<language>/*.toml``, and is built at once; a language folder is one such ``<language>``, which is
        what a plugin registers.
        Raises StimuliError at the first file that cannot be used, and for a folder without any.
        """
        files: list[StimuliFile] = []
        for folder, prefix in language_folders:
            files.extend(_load_language_folder(folder, prefix, kinds, index_file))
        for root, prefix in roots:
            for folder in _language_folders(root, prefix):
                files.extend(_load_language_folder(folder, f"{prefix}/{folder.name}", kinds, load_file))
        return cls(files)

    def with_tests(self, tests: Sequence[Test]) -> Catalogue:
        """The same catalogue with further tests, such as those read from data files.

        Raises StimuliError where a test of that address is there already.
        """
        if not tests:
            return self
        more = Catalogue(self.files)
        more._tests = dict(self._tests)
        for test in tests:
            taken = more._tests.get(test.id.casefold())
            if taken is not None:
                raise StimuliError(
                    f"{test.file}: the test {test.id} is taken by {taken.file}. Give the data another name"
                )
            more._tests[test.id.casefold()] = Listed.of(test)
        return more

    @property
    def index(self) -> tuple[Listed, ...]:
        """Every test before it is built, by language and then in natural order (``weat2`` before ``weat10``)."""
        return tuple(self._tests.values())

    @property
    def tests(self) -> tuple[Test, ...]:
        """Every test, in the order of the index."""
        return tuple(one.build() for one in self.index)

    @property
    def languages(self) -> tuple[str, ...]:
        """The codes of all languages that have a file, sorted."""
        return tuple(sorted({file.language for file in self.files}))

    def test(self, id: str) -> Test:
        """The test of this address; raises UnknownNameError with a did-you-mean."""
        try:
            listed = self._tests[id.casefold()]
        except KeyError:
            raise self._unknown_test(id) from None
        return listed.build()

    def select(self, patterns: str | Sequence[str]) -> tuple[Test, ...]:
        """The tests that match the globs (``en/weat*``, ``*/GenS``), in the order of the globs, each once.

        Raises UnknownNameError for a glob that matches nothing, even where others match.
        """
        return tuple(one.build() for one in self.find(patterns))

    def find(self, patterns: str | Sequence[str]) -> tuple[Listed, ...]:
        """The same before they are built."""
        selected: dict[str, Listed] = {}
        for pattern in (patterns,) if isinstance(patterns, str) else patterns:
            matches = re.compile(translate(pattern.casefold())).match
            found = {key: test for key, test in self._tests.items() if matches(key)}
            if not found:
                raise self._unknown_test(pattern)
            selected.update(found)  # a test that is there already keeps its place
        return tuple(selected.values())

    def lists(self, language: str | None = None, section: str | None = None) -> Mapping[str, Stimuli]:
        """Address to list, pairs or templates, of one language or of all; of one ``section`` ("pairs") or of all.

        Raises UnknownNameError for a language that has no file.
        """
        if language is not None and language.casefold() not in {code.casefold() for code in self.languages}:
            hint = did_you_mean(language, self.languages)
            raise UnknownNameError(f"There are no lists for the language {language!r}. {hint}{_SEE_LISTS}")
        return _Lists(
            {
                id: file
                for id, (of, file) in self._lists.items()
                if section in (None, of)
                and (language is None or file.language.casefold() == language.casefold())
            }
        )

    def list_(self, id: str) -> Stimuli:
        """The list, pairs or templates of this address (``en/caliskan2017/flowers``).

        Raises UnknownNameError with a did-you-mean.
        """
        lists = self.lists()
        for address in lists:
            if address.casefold() == id.casefold():
                return lists[address]
        hint = did_you_mean(id, self._lists)
        raise UnknownNameError(f"There is no list {id!r}. {hint}{_SEE_LISTS}")

    def file(self, language: str, stem: str) -> StimuliFile:
        """The file of a language by its name without ``.toml`` (``"it"``, ``"seat"``); raises UnknownNameError."""
        own = {one.stem: one for one in self.files if one.language.casefold() == language.casefold()}
        for name, found in own.items():
            if name.casefold() == stem.casefold():
                return found
        raise UnknownNameError(
            f"There is no file {language}/{stem}.toml. {did_you_mean(stem, own)}{_SEE_LISTS}"
        )

    def origin(self, id: str) -> Origin:
        """The test of this address, or the file that holds the list of this address; raises UnknownNameError."""
        if id.casefold() in self._tests:
            return self._tests[id.casefold()].build()
        for address, (_, file) in self._lists.items():
            if address.casefold() == id.casefold():
                return file
        hint = did_you_mean(id, [*(test.id for test in self.index), *self._lists])
        raise UnknownNameError(
            f"There is no test and no list {id!r}. {hint}See what there is with: biascore list tests, and biascore list "
            "wordlists"
        )

    def word_list(self, id: str) -> WordList:
        """The word list of this address; raises UnknownNameError where it is none."""
        stimuli = self.list_(id)
        if isinstance(stimuli, WordList):
            return stimuli
        kind = type(stimuli).__name__
        raise UnknownNameError(f"{id!r} is a {kind}, no WordList. {_SEE_LISTS}")

    def templates(self, language: str, file: str) -> Mapping[str, TemplateList]:
        """The sentence templates of one file (``"it"``, ``"seat"``) by name, in the order of the file.

        Raises UnknownNameError with a did-you-mean where the language has no such file with templates.
        """
        own = {one.stem: one for one in self.files if one.language.casefold() == language.casefold()}
        files = [stem for stem, one in own.items() if "templates" in one.sections.values()]
        for stem in files:
            if stem.casefold() == file.casefold():
                found = {x.name: x for x in own[stem].lists if isinstance(x, TemplateList)}
                return MappingProxyType(found)
        have = f"It has templates in: {', '.join(files)}. " if files else "It has no templates. "
        raise UnknownNameError(
            f"There are no templates {language}/{file}. {did_you_mean(file, files)}{have}{_SEE_LISTS}"
        )

    def _unknown_test(self, id: str) -> UnknownNameError:
        hint = did_you_mean(id, (test.id for test in self.index))
        language = id.partition("/")[0]
        known = {code.casefold() for code in self.languages}
        elsewhere = (
            ""
            if language.casefold() in known or set("*?[") & set(language)
            else f"There are tests in: {', '.join(self.languages)}. "
        )
        return UnknownNameError(
            f"There is no test {id!r}. {hint}{elsewhere}Tests of your own are found with "
            f"{either('--stimuli DIR', 'Engine(stimuli=[...])')} (stimuli = [...] in an audit). See what there is with: "
            "biascore list tests"
        )


@lru_cache(maxsize=4096)  # every engine of a process sorts the same names
def natural_order(text: str) -> tuple[tuple[int, str] | str, ...]:
    """A sort key that reads digits as numbers and ignores case: ``weat2`` before ``weat10``."""
    parts = re.split(r"([0-9]+)", text.casefold())
    # Splitting on a group alternates text and digits, so equal positions always hold equal types.
    # By how many digits there are, not as int, which refuses more than 4,300 of them.
    return tuple(_as_number(part) if position % 2 else part for position, part in enumerate(parts))


def _as_number(digits: str) -> tuple[int, str]:
    told = digits.lstrip("0")
    return len(told), told


def _test_order(test: Listed) -> tuple[str, tuple[tuple[int, str] | str, ...], str]:
    return test.language, natural_order(test.id), test.id


def _refuse_duplicates(files: Sequence[StimuliFile]) -> None:
    owners: dict[str, StimuliFile] = {}
    for file in files:
        claims = [(f"test {test.id}", "Rename one of the two tests") for test in file.index]
        claims.append((f"file name {file.language}/{file.stem}.toml", "Rename one of the two files"))
        for claim, remedy in claims:
            owner = owners.setdefault(claim.casefold(), file)
            if owner is not file:
                raise StimuliError(
                    f"{file.display}: the {claim} is taken by {owner.display}. {remedy}, "
                    f"then check with: {check_command(file.display)}"
                )


def _stimuli(folder: Path | str) -> str:
    return either(f"--stimuli {quote(str(folder))}", f"stimuli=[{str(folder)!r}]")


def _is_toml(path: Path) -> bool:
    return path.suffix.lower() == ".toml" and path.is_file()


def _entries(folder: Path, display: str) -> list[Path]:
    if folder.is_file():
        inside = folder.absolute().parent
        if not _is_toml(folder):
            data = either(f"--data {quote(f'words:{folder}')}", f"Engine().data('words', {str(folder)!r})")
            raise StimuliError(
                f"{display}: is no TOML file, and stimuli are folders of those. Word lists in a table are data: {data}"
            )
        remedy = (
            f"Give the folder that holds {inside.name}: {_stimuli(inside.parent)}"
            if re.match(LANGUAGE_PATTERN, inside.name)
            else f"Move it to <language>/{folder.name}, and give the folder that holds <language>"
        )
        raise StimuliError(f"{display}: is a file, and stimuli are read by folder. {remedy}")
    if not folder.is_dir():
        raise StimuliError(
            f"{display}: there is no such folder. Give a folder that holds <language>/*.toml, "
            + either("see: biascore list tests --help", "as in stimuli=['DIR']")
        )
    return sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))


def _language_folders(root: Path, prefix: str) -> list[Path]:
    entries = _entries(root, prefix)
    for entry in entries:
        if _is_toml(entry) and re.match(LANGUAGE_PATTERN, root.name):
            raise StimuliError(
                f"{prefix}/{entry.name}: {prefix} is the folder of one language. Give the folder that holds it: "
                f"{_stimuli(root.parent)}"
            )
        if _is_toml(entry):
            raise StimuliError(
                f"{prefix}/{entry.name}: lies outside a language folder, so it would be ignored. "
                f"Move it to {prefix}/<language>/{entry.name}, where <language> is its meta.language"
            )
    folders = [entry for entry in entries if entry.is_dir() and any(map(_is_toml, entry.iterdir()))]
    if not folders:
        raise StimuliError(f"{prefix}: holds no <language>/*.toml. Write one as docs/stimuli.md shows")
    return folders


def _load_language_folder(
    folder: Path, prefix: str, kinds: Kinds | None, load: Callable[[Path, str, Kinds | None], StimuliFile]
) -> Iterator[StimuliFile]:
    entries = _entries(folder, prefix)
    for nested in (
        path for entry in entries if entry.is_dir() for path in entry.rglob("*") if _is_toml(path)
    ):
        raise StimuliError(
            f"{prefix}/{nested.relative_to(folder)}: lies deeper than its language folder, so it would be ignored. "
            f"Move it to {prefix}/{nested.name}"
        )
    paths = [entry for entry in entries if _is_toml(entry)]
    if not paths:
        raise StimuliError(f"{prefix}: holds no *.toml. Write one as docs/stimuli.md shows")
    if not re.match(LANGUAGE_PATTERN, folder.name):
        raise StimuliError(
            f"{prefix}: {folder.name!r} is no language code such as it, sr-Latn or pt-BR. Rename the folder"
        )
    for path in paths:
        file = load(path, f"{prefix}/{path.name}", kinds)
        if file.language != folder.name:
            raise StimuliError(
                f"{file.display}, meta.language: is {file.language!r}, but the folder is {folder.name!r}. "
                f"Move the file to a folder {file.language}, or correct meta.language"
            )
        yield file
