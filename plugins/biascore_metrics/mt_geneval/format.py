"""The files of MT-GenEval, a sentence a line: one of them is named, and those that belong to it lie next to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Final

from biascore.api.formats import DataFile, DataFormat, TableOptions, Test, file_digest, read_text
from biascore.api.support import listed
from biascore.errors import DataError
from biascore_metrics.mt_geneval.kind import FEMININE, MASCULINE, GenevalLines, GenevalTest, Line
from biascore_metrics.mt_geneval.words import SEPARATOR, last_part, told_gender

TARGETS: Final = ("ar", "de", "es", "fr", "hi", "it", "pt", "ru")
_NAME: Final = re.compile(
    r"(?P<style>(?:geneval-)?(?P<part>sentences|context)-(?:wikiprofessions-)?)"
    r"(?P<what>feminine|masculine|2to1|original|flipped)-(?P<split>\w+)\.en_(?P<target>\w+)\.\w+(?:\.gz)?"
)
_WANTED: Final = {
    "sentences": (("feminine", "en"), ("feminine", ""), ("masculine", "en"), ("masculine", "")),
    "context": (("2to1", "en"), ("original", ""), ("flipped", "")),
}
"""By part, the files that are read and their language, empty for the target."""
CLUSTERS: Final = "clusters"


class MtGenevalFormat(DataFormat[TableOptions]):
    """Four files of sentences, or three of sentences with a context, found by the name of one of them; also as ``.gz``.

    A further file, ``…-clusters-….en_it.txt``, may name the document, or another cluster, of each line.
    """

    id: ClassVar[str] = "mt-geneval"
    summary: ClassVar[str] = "English sentences with references in two genders: the files of MT-GenEval"
    example: ClassVar[str] = "mt-geneval:data/sentences/test/geneval-sentences-feminine-test.en_it.it"

    def read(self, file: DataFile) -> Test:
        """Read the file and those that belong to it; raises DataError where one is missing or lines do not match."""
        named = self._named(file)
        part, target = named["part"], named["target"]
        places = [
            _place(file, f"{named['style']}{what}-{named['split']}.en_{target}.{language or target}")
            for what, language in _WANTED[part]
        ]
        named_clusters = f"{named['style']}{CLUSTERS}-{named['split']}.en_{target}.txt"
        if clusters := _beside(file, named_clusters):
            places.append(clusters)
        texts = [self._lines(path, display) for path, display in places]
        counts = [len(lines) for lines in texts]
        if len(set(counts)) > 1:
            shown = ", ".join(f"{Path(d).name} {n}" for (_, d), n in zip(places, counts, strict=True))
            raise DataError(
                f"{file.display}: line i of each file is the same sentence, and they have unequal numbers of lines: {shown}"
                ". Fetch all of them again, from one version of MT-GenEval"
            )
        labels = [label.strip() for label in texts.pop()] if clusters else []
        lines = _sentences(texts) if part == "sentences" else _contexts(texts, places[0][1])
        if labels:
            lines = tuple(replace(line, cluster=labels[line.pair]) for line in lines)
        return GenevalTest(
            **file.stated,
            kind="geneval",
            title=f"MT-GenEval, {part} ({named['split']}), {target}",
            concept="gender",
            positive_means="feminine sentences keep their gender in translation more often than masculine ones",
            lines=GenevalLines("lines", lines, source=file.display),
            part="sentences" if part == "sentences" else "context",
            target=target,
            files=tuple((display, file_digest(path, display)) for path, display in places),
        )

    def _named(self, file: DataFile) -> dict[str, str]:
        """What the name of the file says; raises DataError for another name or language."""
        found = _NAME.fullmatch(Path(file.display.partition("@")[0]).name)
        if found is None or found["what"] not in dict(_WANTED[found["part"]]):
            raise DataError(
                f"{file.display} is not named as a file of MT-GenEval, by which the others are found. Give one such as "
                "geneval-sentences-feminine-test.en_it.it or geneval-context-wikiprofessions-2to1-test.en_it.en"
            )
        if found["target"] not in TARGETS:
            raise DataError(
                f"{file.display}: MT-GenEval counts words in translations to {listed(TARGETS)}, and this file is to "
                f"{found['target']}. Give a file of one of these languages"
            )
        if file.language.partition("-")[0] != "en":
            raise DataError(
                f"{file.display}: the sentences are English, and the language is given as {file.language}. Give en; the "
                "target language is in the file name"
            )
        return found.groupdict()

    def _lines(self, path: Path, display: str) -> list[str]:
        text = read_text(path, display, encoding=self.options.encoding, flag="-o data.encoding")
        lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
        blank = [number for number, line in enumerate(lines, start=1) if not line.strip()]
        if blank:
            raise DataError(
                f"{display} is blank on line{'s' * (len(blank) > 1)} {listed(blank)}. Fetch it again"
            )
        tagged = next(
            (number for number, line in enumerate(lines, start=1) if "<F>" in line or "<M>" in line), 0
        )
        if tagged:
            raise DataError(
                f"{display}, line {tagged}: marks words with tags. Give the files of the folder above annotated"
            )
        return lines


def _place(file: DataFile, name: str) -> tuple[Path, str]:
    """Path and display of a file next to the named one; raises DataError where there is none."""
    if found := _beside(file, name):
        return found
    raise DataError(
        f"{file.display}: {name} belongs to it, and does not lie next to it. Download the whole folder"
    )


def _beside(file: DataFile, name: str) -> tuple[Path, str] | None:
    """Path and display of a file of this name next to the named one, packed or not, if there is one."""
    own = Path(file.display)
    for one in (own.name, name, f"{name}.gz"):
        if one.removesuffix(".gz") == name and (path := file.path.with_name(one)).is_file():
            return path, str(own.with_name(one))
    return None


def _sentences(texts: Sequence[Sequence[str]]) -> tuple[Line, ...]:
    return tuple(
        line
        for pair, (she, feminine, he, masculine) in enumerate(zip(*texts, strict=True))
        for line in (
            Line(she, feminine, masculine, FEMININE, pair),
            Line(he, masculine, feminine, MASCULINE, pair),
        )
    )


def _contexts(texts: Sequence[Sequence[str]], display: str) -> tuple[Line, ...]:
    apart = [number for number, source in enumerate(texts[0], start=1) if last_part(source) == source.strip()]
    if apart:
        raise DataError(
            f"{display}: a line is context {SEPARATOR} sentence, and there is no {SEPARATOR} on line"
            f"{'s' * (len(apart) > 1)} {listed(apart)}. Fetch it again"
        )
    return tuple(
        Line(source, original, flipped, told_gender(source), pair)
        for pair, (source, original, flipped) in enumerate(zip(*texts, strict=True))
    )
