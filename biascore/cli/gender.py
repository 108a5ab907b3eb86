"""``biascore gender``: the speaker's gender in sentences, how a detector came to it, and a table to check it on."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from biascore.basics.tags import LANGUAGE_PATTERN, canonical_tag
from biascore.basics.wording import quoted
from biascore.cli import codes
from biascore.errors import OptionsError
from biascore.files.paths import user_path
from biascore.files.reading import UTF8
from biascore.languages.gender import Gender, SpeakerGender, SpeakerGenderDetector
from biascore.languages.gender_rules import RuleDetector, load_grammar
from biascore.languages.gender_table import GenderCheck, LabelledSentence, check_sentences, read_sentences
from biascore.languages.gender_trace import Trace, trace_gender
from biascore.languages.names import NAMES
from biascore.plugins.loading import Plugins
from biascore.terminal.console import print_json, print_rows, say
from biascore.terminal.options import Json


def gender(
    language: Annotated[str, typer.Argument(help="A language tag, such as sk.", metavar="LANGUAGE")],
    sentences: Annotated[
        list[str] | None, typer.Argument(help="Sentences to read.", metavar="SENTENCE")
    ] = None,
    trace: Annotated[
        bool,
        typer.Option(
            "--trace", help="Also print what each word is, which rules applied, and why none decided."
        ),
    ] = False,
    check: Annotated[
        Path | None,
        typer.Option(
            help="A table with the columns sentence and expected; exits 3 where the detector disagrees."
        ),
    ] = None,
    grammar: Annotated[
        Path | None, typer.Option(help="A grammar file of your own, instead of an installed detector.")
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(
            help="Encoding of the table of --check, such as cp1252. Default: UTF-8.", metavar="NAME"
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Detect the gender in which sentences refer to their speaker: masculine, feminine, none or conflict."""
    if bool(sentences) == (check is not None):
        raise OptionsError(
            "give sentences or a table, one of the two: "
            f"biascore gender {shlex.quote(language)} 'A sentence.' --trace, or --check sentences.tsv"
        )
    if encoding is not None and check is None:
        raise OptionsError("--encoding is of a table, and --check names none. Leave it out")
    language = _tag(language)
    detector = (
        Plugins().detector(language)
        if grammar is None
        else RuleDetector(load_grammar(user_path(grammar), language))
    )
    if check is not None:
        table = read_sentences(user_path(check), UTF8 if encoding is None else encoding)
        _check(detector, language, user_path(check), table, trace, as_json)
    elif as_json:
        print_json([_shown(detector, sentence, trace) for sentence in sentences or ()])
    else:
        for sentence in sentences or ():
            _print(detector, sentence, trace)


def _tag(language: str) -> str:
    """The tag; raises OptionsError for a name, with its tag where that is known."""
    tag = canonical_tag(language)
    if re.match(LANGUAGE_PATTERN, tag):
        return tag
    known = {name.casefold(): code for code, name in NAMES.items()}
    found = known.get(language.strip().casefold(), "sk")
    raise OptionsError(f"{quoted(language)} is no language tag. Write, for example: biascore gender {found}")


def _print(detector: SpeakerGenderDetector, sentence: str, trace: bool) -> None:
    if trace:
        _print_trace(trace_gender(detector, sentence))
        return
    found = detector.detect(sentence)
    say(f"{found.gender.value}: {sentence}")
    for evidence in found.evidence:
        say(f"  {evidence.word}  {evidence.gender.value}  {evidence.rule}")


def _print_trace(traced: Trace) -> None:
    say(f"{traced.answer.gender.value}: {traced.text}")
    if traced.words:
        print_rows(("word", "is"), [(one.word, "; ".join(one.known_as) or "-") for one in traced.words])
    if traced.steps:
        print_rows(
            ("rule", "from", "to", "result"),
            [
                (step.rule, step.anchor or "-", step.word or "-", step.reason or step.gender.value)
                for step in traced.steps
            ],
        )
    if traced.note:
        say(traced.note)


def _check(
    detector: SpeakerGenderDetector,
    language: str,
    path: Path,
    table: Sequence[LabelledSentence],
    trace: bool,
    as_json: bool,
) -> None:
    result = check_sentences(detector, table)
    if as_json:
        print_json(
            {
                "file": str(path),
                "language": language,
                "detector": result.detector,
                "sentences": result.total,
                "agreeing": result.agreeing,
                "counts": [
                    {"expected": expected.value, "found": found.value, "sentences": count}
                    for (expected, found), count in sorted(result.counts.items())
                ],
                "disagreements": [
                    {
                        "line": one.labelled.line,
                        "expected": one.labelled.expected.value,
                        **_shown(detector, one.labelled.sentence, trace),
                    }
                    for one in result.disagreements
                ],
            }
        )
    else:
        _print_check(detector, path, result, trace)
    if result.disagreements:
        raise typer.Exit(codes.DIFFERENT)


def _print_check(detector: SpeakerGenderDetector, path: Path, result: GenderCheck, trace: bool) -> None:
    if result.disagreements:
        print_rows(
            ("line", "sentence", "expected", "found", "by"),
            [
                (
                    str(one.labelled.line),
                    one.labelled.sentence,
                    one.labelled.expected.value,
                    one.found.gender.value,
                    _evidence(one.found),
                )
                for one in result.disagreements
            ],
        )
    if trace:
        for one in result.disagreements:
            _print_trace(trace_gender(detector, one.labelled.sentence))
    found = [gender for gender in Gender if any(gender is there for _, there in result.counts)]
    expected = [gender for gender in Gender if any(gender is wanted for wanted, _ in result.counts)]
    print_rows(
        ("expected", *(f"found {gender.value}" for gender in found)),
        [
            (gender.value, *(str(result.counts.get((gender, there), 0)) for there in found))
            for gender in expected
        ],
    )
    say(
        f"{result.agreeing} of {result.total} sentences of {path} agree with the detector {result.detector!r}"
    )
    if result.disagreements and not trace:
        say("Add --trace to see which rules were tried")


def _evidence(found: SpeakerGender) -> str:
    return "; ".join(f"{one.word} ({one.rule})" for one in found.evidence) or "-"


def _shown(detector: SpeakerGenderDetector, sentence: str, trace: bool) -> Mapping[str, object]:
    traced = trace_gender(detector, sentence)
    shown: dict[str, object] = {
        "sentence": sentence,
        "detector": traced.detector,
        "gender": traced.answer.gender.value,
        "evidence": [
            {"word": one.word, "span": list(one.span), "gender": one.gender.value, "rule": one.rule}
            for one in traced.answer.evidence
        ],
    }
    if trace:
        shown["trace"] = _trace_json(traced)
    return shown


def _trace_json(traced: Trace) -> Mapping[str, Sequence[object] | str]:
    return {
        "read": traced.text,
        "words": [
            {"word": one.word, "span": list(one.span), "is": list(one.known_as)} for one in traced.words
        ],
        "steps": [
            {
                "rule": step.rule,
                "from": step.anchor,
                "to": step.word,
                "gender": step.gender.value,
                "reason": step.reason,
            }
            for step in traced.steps
        ],
        "note": traced.note,
    }
