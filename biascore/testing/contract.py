"""A contract: clauses with names and sentences, each checked alone, so that a failure says which one is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

CLAUSES: Final[dict[str, dict[str, str]]] = {
    "adapter": {
        "opens": "the adapter opens the reference, and the model answers what `capabilities` lists, or less",
        "identity": "two openings have the same `Identity`; the digest is `algorithm:value`",
        "errors": "a reference or an option that cannot be is a biascore error that names it, not a crash",
        "shape": "one answer for each query, of the type and shape of the hook; no infinity, no half-missing vector",
        "units": "log-probabilities are in nats: at most 0, and of different words at one place at most 1 in all",
        "deterministic": "the same batch gets the same answers, bit for bit",
        "batch": "alone, reversed, twice or next to a long text, an answer is the same up to rounding",
        "sizes": "`batch_sizes` adds up to the number of queries, and is empty for none",
        "unicode": "any text is answered or refused with QuestionError: accents, emoji, right-to-left and unspaced scripts",
        "long": "a long text is read to its end or refused with QuestionError; it is never cut",
        "unknown": "a word out of vocabulary is a row of NaN, and `familiarity` says that it was not seen",
        "writes": "a text has at most `max_tokens` tokens, and one that does not end within them is cut",
        "threads": "calls in several threads at once get the answers of one thread",
        "secrets": "no `repr` of the model or of its parts holds the value of a key",
        "pickle": "opening the model loads no pickle",
        "failures": "a service that fails raises the error that says how: RateLimitError, AuthError, ...",
    },
    "metric": {
        "declares": "the class has a name, a summary, a reference, what it requires and the kinds of test that it takes",
        "measures": "it measures the test without an error, and the verdict follows from p-value and interval",
        "items": "items begin with the columns item, group and value, and are finite",
        "estimator": "the items give the headline, where it has an estimator",
        "order": "words of a list in another order give the same headline and exact p-values",
        "seed": "the same seed gives the same result",
        "stored": "stored with its run and read again it is the same, items too",
        "coverage": "of each list, given = used + lost",
        "keys": "every model gives the same conventions and columns of items",
        "cached": "answers from the cache give the same result",
        "audited": "in an audit of several models it is the result that each has alone",
        "lost": "where a model has no answer to some or all of its queries, conventions and columns stay as they are",
        "rises": "the headline rises with the planted effect: −1, 0, 0.5, 1; of a metric without direction, with its size",
        "sign": "the headline of a planted effect of 1 is above its neutral value, of −1 below",
        "false positives": "where nothing is planted, it detects no more than a level of alpha allows",
    },
    "transform": {
        "declares": "the class has a name, a summary and a reference",
        "fits": "it is fitted to the words that it names, and leaves the vectors that it learns from as they are",
        "same": "fitted twice to the same words it has the same digest, facts and answers",
        "shape": "it gives finite float32 vectors of the shape that it gets, and leaves these as they are",
        "rows": "what becomes of a vector does not depend on the other rows",
        "steps": "the last of its steps is the whole transform",
        "facts": "facts, warnings and trace are plain values with a name",
    },
    "language": {
        "registered": "an installed plugin has registered the language",
        "detects": "each sentence has the gender that is expected of it",
        "evidence": "the words of the evidence stand where it says, and agree with the answer",
        "any text": "any text has an answer: none for an empty one or another script",
        "same": "the same sentence has the same answer, alone and after others",
        "frames": "a sentence in the frame of a man is masculine, in that of a woman feminine",
    },
    "format": {
        "reads": "the file becomes a test with the id, the language, the file and the digest that were given",
        "measures": "an installed metric takes the kind of the test",
        "same": "the file read twice is the same test; so is a copy with a byte order mark, or with CRLF",
        "missing": "a file that is not there is a DataError that names it",
        "damaged": "a file that is cut off, empty or no text is read, or is a biascore error that names it; never a crash",
    },
    "exporter": {
        "declares": "the class has an id, a summary and the suffix of its files",
        "texts": "its texts are UTF-8 without control characters, each on the run or on one of its models",
        "same": "the same run has the same texts, also when it was stored and read again",
        "failed": "a run with a measurement that failed has a text, too, and the reason is no crash",
        "names": "each model of the run is named, and each test where it has several",
        "missing": "a value that is missing is not written as nan or None",
    },
    "command": {
        "declares": "it is installed, and the docstring of its function begins with its summary",
        "listed": "`biascore --help` shows its summary without importing the module of its function",
        "help": "`--help` exits with 0, and each argument and option has a help text",
        "refuses": "an option that it does not have, and wrong arguments, exit with 2, no traceback and no output",
        "output": "it exits with 0, and its output is on standard output: printed with `say` and its kin, not with `print`",
        "json": "with `--json` standard output is one JSON value",
        "secrets": "neither its output nor its errors hold the value of a key",
    },
}
"""What a plugin promises, by kind of plugin and name of the clause."""


class NotAskedError(Exception):
    """A clause says nothing of this plugin, which does not do what it is about; the text says what."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a contract with what checks it.

    Called, it raises AssertionError that begins with its name, and NotAskedError where it does not concern this plugin.
    """

    kind: str
    name: str
    check: Callable[[], None]

    def __call__(self) -> None:
        """Check it."""
        __tracebackhide__ = True
        try:
            self.check()
        except AssertionError as error:
            raise AssertionError(
                f"{self.name}: {error}\nContract ({self.kind}), {self.name}: {CLAUSES[self.kind][self.name]}"
            ) from error

    def __str__(self) -> str:
        """Its name, as the id of a test."""
        return self.name


def hold(true: object, broken: str) -> None:
    """Raise AssertionError with what is ``broken``, unless it is true."""
    if not true:
        raise AssertionError(broken)


class Contract:
    """A contract of a ``kind`` of plugin, checked clause by clause; ``check_any_text`` checks "any text"."""

    kind: ClassVar[str]

    def clauses(self) -> Iterator[Clause]:
        """The clauses in order; what they open is open from the first to the last."""
        for name in CLAUSES[self.kind]:
            yield Clause(self.kind, name, getattr(self, f"check_{name.replace(' ', '_')}"))

    def close(self) -> None:
        """Close what was opened here."""


def check_all(clauses: Iterable[Clause]) -> dict[str, str]:
    """Check all, and raise one AssertionError that lists every clause that is broken.

    Returns the clauses that say nothing of this plugin, each with the reason.
    """
    broken, not_asked = [], {}
    for clause in clauses:
        try:
            clause()
        except AssertionError as error:
            broken.append(str(error))
        except NotAskedError as error:
            not_asked[clause.name] = str(error)
    if broken:
        raise AssertionError("\n\n".join(broken))
    return not_asked
