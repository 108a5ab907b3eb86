"""That a long run shows where it is, without a terminal too."""

from __future__ import annotations

import queue
import re

from biascore.basics.progress import Step
from biascore.terminal.progress import SignsOfLife


def test_a_line_says_which_measurement_and_what_is_asked() -> None:
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    signs = SignsOfLife(every=0, tell=lines.put)
    with (
        signs.task("measurement 7 of 27: weat en/weat7 on bert", 1),
        signs.task("bert: embed", 512) as advance,
    ):
        advance(128)
        advance(3)
        while (line := lines.get(timeout=60)).count("131 of 512") == 0:
            assert line.startswith("still at work: measurement 7 of 27: weat en/weat7 on bert")
    told = r"still at work: measurement 7 of 27: weat en/weat7 on bert \(\d+ s\); bert: embed \(131 of 512, \d+ s\)"
    assert re.fullmatch(told, line)


def test_the_line_moves_while_a_result_is_computed() -> None:
    """The time that a step takes, where there is nothing else to count."""
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    signs = SignsOfLife(every=0.1, tell=lines.put)
    with signs.task("weat en/weat7 on bert", 1):
        first = lines.get(timeout=60)
        while (later := lines.get(timeout=60)) == first:
            pass
    assert all(
        re.fullmatch(r"still at work: weat en/weat7 on bert \(\d+ s\)", line) for line in (first, later)
    )


def test_minutes_are_told() -> None:
    step = Step("bert: embed", 9)
    step.since -= 125
    assert re.fullmatch(r"bert: embed \(0 of 9, 2 min \d+ s\)", str(step))


def test_a_short_run_says_nothing() -> None:
    lines: list[str] = []
    signs = SignsOfLife(every=1e6, tell=lines.append)
    for number in range(3):
        with signs.task(f"measurement {number}", 1) as advance:
            advance(1)
    assert lines == []


def test_what_is_left_is_told_as_expected_and_then_as_it_goes() -> None:
    signs = SignsOfLife(every=1e6, tell=lambda _line: None)
    assert signs.left == ""
    signs.expect({"bert: embed": (100, 600.0), "bert: score": (10, None), "bert: choose": (0, 0.0)})
    assert signs.left == "about 10 min left"
    with signs.task("weat en/weat7 on bert", 1), signs.task("bert: embed", 60) as advance:
        ahead = signs._ahead["bert: embed"]
        advance(50)
        assert (ahead.done, 0 <= ahead.took < 60) == (50, True)
        ahead.took = 100.0
        assert signs.left == "about 100 s left"
        assert signs._ahead["bert: score"].left == 0
    assert set(signs._ahead) == {"bert: embed", "bert: score"}


def test_a_line_says_how_much_is_left() -> None:
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    signs = SignsOfLife(every=0, tell=lines.put)
    signs.expect({"bert: embed": (9, 9_000.0)})
    with signs.task("bert: embed", 9):
        assert re.fullmatch(
            r"still at work: bert: embed \(0 of 9, \d+ s\); about 2.5 h left", lines.get(timeout=60)
        )
