"""What a run ends with on the terminal: its result, a row for each ground, what was not decided, the checks, a rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from biascore.audits.next_steps import RULE, Step
from biascore.basics.visible import visible
from biascore.basics.wording import but, counted, shown, some_of
from biascore.cli.rows import COLOURS, Entry, harmless, legend, print_entries, state_told, write
from biascore.results.failure import Failure
from biascore.results.left_out import not_asked, not_asked_line
from biascore.results.rows import FAILED, Row, ground_rows
from biascore.results.run import Run
from biascore.results.verdicts import DEVIATIONS, Role, State
from biascore.results.words.answers import NO_CONCEPT, Answer, findings
from biascore.results.words.result import (
    by_model,
    change_lines,
    check_sums,
    checks_of,
    lost_lines,
    missed_line,
    quote_lines,
    total,
)
from biascore.results.words.sentence import results_of
from biascore.terminal.console import wide
from biascore.terminal.pictures import Glyphs, glyphs_of, widest, written

MOST_BLOCKS: Final = 4
"""More models than these have a table of states in place of a block of rows each."""
_RULE: Final = f"Set a rule for releases: with {RULE}"
_ABSENT: Final = " "


def print_ending(console: Console, run: Run, steps: Sequence[Step]) -> None:
    """A failed check first, then the result, its rows, and what has to be known with it; ``steps``: what to do next."""
    write("", to=console)
    if missed := missed_line(run.answers, run.sensitivities):
        write(missed, to=console, style="bold red")
    found = findings(run.answers)
    if run.controls and not found:
        write("Only control models were measured.", to=console, style="bold")
    blocks = _blocks(run, found)
    results = {one.model: one for one in results_of(run.answers, run.failed, run.harmless)} if blocks else {}
    if several := results.pop("", None):
        write(several.line, to=console, style="bold")
    if len(blocks) > MOST_BLOCKS:
        _print_states(console, blocks)
    else:
        entries = {model: _entries(console, run, *own) for model, own in blocks.items()}
        every = [one for some in entries.values() for one in some]
        for number, (model, some) in enumerate(entries.items()):
            if several or number:
                write("", to=console)
            write(results[model].line if model in results else model, to=console, style="bold")
            write("", to=console)
            print_entries(console, some, "ground", "harmless", among=every)
        _print_legend(console, run, found, every)
    for text in (*change_lines(run), *quote_lines(run, run.answers)):
        write(text, to=console, style="bold")
    if blocks:
        write("", to=console)
    for label, text in _notes(run, found, steps):
        write(text, to=console, label=label)


def _blocks(run: Run, found: Sequence[Answer]) -> Mapping[str, tuple[list[Answer], list[Failure]]]:
    """The answers on each model in use, and what failed on it, in the order of the run."""
    controls = run.controls
    blocks: dict[str, tuple[list[Answer], list[Failure]]] = {
        model: (some, []) for model, some in by_model(found).items()
    }
    for one in run.failed:
        if one.model not in controls:
            blocks.setdefault(one.model, ([], []))[1].append(one)
    return blocks


def _entries(console: Console, run: Run, some: Sequence[Answer], failed: Sequence[Failure]) -> list[Entry]:
    """A row for each ground, what is decided first, and one for each reason of failures."""
    order = list(State)
    some = sorted(some, key=lambda one: order.index(one.state))
    rows = ground_rows(some, run.measurements, run.verdicts)
    glyphs = glyphs_of(console.encoding)
    return [*(_entry(run, *both, glyphs) for both in zip(rows, some, strict=True)), *_failures(failed)]


def _entry(run: Run, row: Row, answer: Answer, glyphs: Glyphs) -> Entry:
    measurement, said = run[answer.strongest], run.verdicts[answer.strongest]
    own = state_told(measurement, said)
    state = own if own.startswith(row.state) else row.state
    more = [answer.first] if answer.first else []
    if answer.state is State.DETECTED:
        more += ["; ".join(filter(None, [row.says, but(answer.doubts)]))]
    more += [f"but {row.besides}" if row.besides else "", row.sets]
    return Entry(
        name=row.name,
        state=row.state,
        told=" ".join(filter(None, [state, row.counts.replace(" of ", "/")])),
        value=row.value,
        last=harmless(measurement, said, glyphs),
        axis=row.axis,
        mark=row.lead,
        more=tuple(filter(None, more)),
    )


def _failures(failed: Sequence[Failure]) -> list[Entry]:
    """A row for each reason; what each of several tests is called stands above, with the reason."""
    reasons: dict[str, list[str]] = {}
    for one in failed:
        reasons.setdefault(one.message, []).append(one.test)
    return [
        Entry(
            name=tests[0] if len(tests) == 1 else counted(len(tests), "measurement"),
            state=FAILED,
            told=FAILED,
        )
        for tests in reasons.values()
    ]


def _print_legend(console: Console, run: Run, found: Sequence[Answer], entries: Sequence[Entry]) -> None:
    ends = [run[one.strongest].headline.interval for one in found]
    levels = {one.level for one in ends if one is not None}
    first = legend(console, entries, level=levels.pop() if len(levels) == 1 else None)
    lines = [text for text in (first, *_legend(entries, glyphs_of(console.encoding))) if text]
    for text in ["", *lines] if lines else ():
        write(text, to=console, style="dim")


def _legend(entries: Sequence[Entry], glyphs: Glyphs) -> Iterator[str]:
    if counts := next((one.told.split()[-1] for one in entries if "/" in one.told), ""):
        many, of = counts.split("/")
        yield f"{counts}: {many} of {of} tests of the ground have this state; the row shows one of them"
    if any(one.state == State.HINT for one in entries):
        luck = "; (p): not after adjustment" if any("(p)" in one.told for one in entries) else ""
        yield f"hint: may be luck among many tests, or harmless groups show it too{luck}"
    if any(one.last for one in entries):
        yield f"harmless: how many pairs of harmless groups reach the effect; {glyphs.yes} at most 5 of 100"


def _print_states(console: Console, blocks: Mapping[str, tuple[list[Answer], list[Failure]]]) -> None:
    """A row for each ground and a column for each model, with the sign of the state; the models by number beneath."""
    glyphs = glyphs_of(console.encoding)
    cells = {
        (answer.concept, model): answer.state.value for model, (some, _) in blocks.items() for answer in some
    }
    concepts = list(dict.fromkeys(concept for concept, _ in cells))
    failed = {model: FAILED for model, (_, lost) in blocks.items() if lost}
    if failed:
        concepts.append(FAILED)
    cells |= {(FAILED, model): FAILED for model in failed}
    heads = {concept: visible(concept) or NO_CONCEPT for concept in concepts}
    names = widest(["ground", *heads.values()])
    each = len(str(len(blocks))) + 2
    models = list(blocks)
    numbers = {model: str(number) for number, model in enumerate(models, start=1)}
    in_a_row = max((console.width - names - 2) // each, 1)
    for start in range(0, len(models), in_a_row):
        some = models[start : start + in_a_row]
        write("", to=console)
        _cells(console, "ground".ljust(names), [(numbers[one], "dim") for one in some], each)
        for concept in concepts:
            states = [cells.get((concept, one), "") for one in some]
            signs = [(glyphs.marks.get(state, _ABSENT), COLOURS.get(state, "")) for state in states]
            _cells(console, heads[concept].ljust(names), signs, each)
    write("", to=console)
    there = dict.fromkeys(cells.values())
    known = [f"{sign} {state}" for state, sign in glyphs.marks.items() if state in there]
    write("  ".join(known), to=console, style="dim")
    for model, number in numbers.items():
        write(f"{number.rjust(each)}  {model}", to=console)


def _cells(console: Console, name: str, signs: Sequence[tuple[str, str]], each: int) -> None:
    line = Text(written(name, glyphs_of(console.encoding)))
    for sign, colour in signs:
        line.append(sign.rjust(each), colour)
    line.rstrip()
    console.print(line, highlight=False, soft_wrap=True)


def _notes(run: Run, found: Sequence[Answer], steps: Sequence[Step]) -> Iterator[tuple[str, str]]:
    """What was not decided, whether the tests find what is known, and the rule; each with its label."""
    for text in lost_lines(run, run.answers) if len(run) > 1 else ():
        yield "Not measured:", text
    if text := _undecided(run, found):
        yield "Not decided:", text
    if text := not_asked_line(run):
        yield "Not asked:", f"{text}: {some_of(not_asked(run))}."
    if found:
        yield "Not tested:", f"{run.untested.brief}; the report names them."
    if checks := check_sums(run.answers):
        yield "Checks:", " · ".join(told for _, told in checks)
    for check in checks_of(run.answers, run.harmless):
        if check.answer.role is Role.FINDING:
            yield "Checks:", f"{check.line}."
    if found and not run.gates:
        rule = next((step.says for step in steps if step.says.startswith(_RULE)), "")
        told = rule.removeprefix(f"{_RULE}, ").rstrip(".")
        yield "Rule:", f"none was set. With fail_on=detected, {told}." if told else "none was set."


def _undecided(run: Run, found: Sequence[Answer]) -> str:
    """How many tests are inconclusive, that this shows nothing, and which effects they often miss."""
    counts = total(found)
    if not counts.inconclusive:
        return ""
    seen: dict[tuple[str, str, float], list[float | None]] = {}
    numbers = {number for one in found for number in one.numbers}
    for number, one in enumerate(run.sensitivities):
        if (
            one is not None
            and number in numbers
            and State.of(run[number], run.verdicts[number]) is State.INCONCLUSIVE
        ):
            name = one.estimate.removeprefix("effect size ") if one.unit == DEVIATIONS else one.estimate
            seen.setdefault((name, one.unit, one.neutral), []).append(one.smallest)
    told = [_missed(name, neutral, some) for (name, _, neutral), some in seen.items()]
    many = f"{counts.inconclusive} of {counted(counts.measurements, counts.noun)}"
    if counts.measurements == 1:
        many = "the one test"
    misses = ": it often misses " if counts.inconclusive == 1 else ": they often miss "
    return f"{many}. That is no evidence of no bias{misses if told else ''}{'; '.join(told)}."


def _missed(name: str, neutral: float, some: Sequence[float | None]) -> str:
    known = sorted(one for one in some if one is not None)
    if not known:
        return f"every effect ({name})"
    low, high = shown(known[0]), shown(known[-1])
    away = f" away from {neutral:g}" if neutral else ""
    every = f"; {len(some) - len(known)} can detect nothing" if len(known) < len(some) else ""
    return f"effects below {name} {low}{f' to {high}' if high != low else ''}{away}{every}"


def print_steps(steps: Sequence[Step]) -> None:
    """What to do next: what has a command, with that beneath it."""
    console = wide(80)
    for one in steps:
        if one.command:
            # The result already says what the rule makes of this run.
            says = "Set a rule for releases." if one.says.startswith(_RULE) else one.says
            write(says, to=console, label="next:")
            write(f"  {one.command}", to=console)
