"""What a result says of the data it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from biascore.api.languages import language_name
from biascore.api.metrics import Caveat, Scalar, Test
from biascore.api.support import other_language
from biascore_metrics.gest.kind import Sample, SamplesTest
from biascore_metrics.gest.options import GestOptions


def data_conventions(test: Test) -> dict[str, Scalar]:
    """The edition of a data file ("other" where it is none that is known) or the title of a test, and the digest."""
    version = test.version if isinstance(test, SamplesTest) else ""
    return {"data": version or test.title, "sha256 of the data": test.sha256}


def repeats(test: Test, options: GestOptions) -> dict[str, Scalar]:
    """How many samples repeat an earlier one, and whether they count; nothing of pairs, of which repeats never count."""
    if not isinstance(test, SamplesTest):
        return {}
    every = test.samples.rows
    many = len(every) - len(set(every))
    return {
        "repeated samples": f"{many}, {'counted once' if options.duplicates == 'drop' else 'counted each time'}"
    }


def repeated_samples(test: Test, options: GestOptions) -> tuple[Caveat, ...]:
    """A caveat where samples that repeat another one are taken for independent."""
    if not isinstance(test, SamplesTest) or options.duplicates == "drop":
        return ()
    many = len(test.samples.rows) - len(set(test.samples.rows))
    text = f"{many} sample(s) repeat another one; interval and test take them for independent"
    return (Caveat(text),) if many else ()


def repeated_sentences(samples: Sequence[Sample]) -> int:
    """How many samples repeat the sentence of an earlier one, with another stereotype."""
    return len(samples) - len({sample.sentence for sample in samples})


def in_other_language(what: str, texts: Iterable[str], tag: str) -> tuple[Caveat, ...]:
    """That texts, which are called ``what``, seem to be in another language than their tag says."""
    other = other_language(texts, tag)
    said = f"the {what} seem to be {other}, and are said to be {language_name(tag)} ({tag})"
    short = f"the {what} seem to be {other}"
    return (Caveat(f"{said}. Correct the language, or the file", short=short),) if other else ()
