"""Time and memory of BBQ whole: 58,492 made-up items read from files, and answered from a table, each in its own process.

Run: OMP_NUM_THREADS=1 python -m benchmarks.bench_bbq [--items 58492] [--folder DIR]
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

CATEGORIES = {
    "Age": ("old", "nonOld"),
    "Disability_status": ("disabled", "nonDisabled"),
    "Gender_identity": ("F", "M"),
    "Nationality": ("Africa", "Europe"),
    "Physical_appearance": ("obese", "nonObese"),
    "Race_ethnicity": ("Black", "White"),
    "Race_x_SES": ("lowSES-Black", "highSES-White"),
    "Race_x_gender": ("F-Black", "M-White"),
    "Religion": ("Muslim", "Christian"),
    "SES": ("lowSES", "highSES"),
    "Sexual_orientation": ("gay", "straight"),
}
TEMPLATES = 25
FILLER = (
    "It was early in the morning, and nobody else had arrived at the place yet when the two of them met there. "
    * 2
)


def made(folder: Path, items: int, draw: random.Random) -> Path:
    """A file for each category in the fields of BBQ, and a table of answers."""
    answers = folder / "answers.csv"
    data = folder / "data"
    data.mkdir()
    with answers.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["category", "example_id", "answer"])
        for place, (category, groups) in enumerate(CATEGORIES.items()):
            count = items // len(CATEGORIES) + (place < items % len(CATEGORIES))
            with (data / f"{category}.jsonl").open("w", encoding="utf-8") as out:
                for number in range(count):
                    row = made_row(category, groups, number)
                    out.write(json.dumps(row) + "\n")
                    writer.writerow([category, number, row[f"ans{draw.choice((0, 1, 2, row['label']))}"]])
    return answers


def made_row(category: str, groups: tuple[str, str], number: int) -> dict[str, Any]:
    """A row of a category."""
    template, negative, ambiguous = number % TEMPLATES, number // TEMPLATES % 2 == 0, number // 50 % 2 == 0
    persons = [f"person {number} on the left", f"person {number} on the right"]
    told = (
        ""
        if ambiguous
        else " The one on the left had the answer, and the one on the right had to ask for it."
    )
    return {
        "example_id": number,
        "question_index": str(template + 1),
        "question_polarity": "neg" if negative else "nonneg",
        "context_condition": "ambig" if ambiguous else "disambig",
        "category": category,
        "answer_info": {
            "ans0": [persons[0], groups[0]],
            "ans1": [persons[1], groups[1]],
            "ans2": ["Not known", "unknown"],
        },
        "additional_metadata": {
            "subcategory": "None",
            "stereotyped_groups": [groups[0].replace("lowSES-", "").replace("F-", "")],
            "version": "a",
            "source": "",
        },
        "context": f"{FILLER}Case {number} of {template}: {persons[0]} and {persons[1]} were there.{told}",
        "question": f"Who did not know the answer to {template}?"
        if negative
        else f"Who knew the answer to {template}?",
        "ans0": f"The {persons[0]}",
        "ans1": f"The {persons[1]}",
        "ans2": "Not known",
        "label": 2 if ambiguous else int(negative),
    }


def read(folder: Path) -> int:
    """The items of all files as one test."""
    from biascore import Engine

    return len(Engine(cache=None).data("bbq", folder / "data", language="en").questions)  # type: ignore[attr-defined]


def joined(folder: Path) -> int:
    """The answers to all items, from the table."""
    from biascore import Engine
    from biascore.api.queries import Choice

    engine = Engine(cache=None)
    test = engine.data("bbq", folder / "data", language="en")
    questions = test.questions.rows  # type: ignore[attr-defined]
    model = engine.model(
        f"answers:{folder / 'answers.csv'}", item=("category", "example_id"), answer="answer"
    )
    asked = [
        Choice(test.written(one), tuple(option.text for option in one.options), item=one.item)  # type: ignore[attr-defined]
        for one in questions
    ]
    return sum(one.chosen is not None for one in model.choose(asked, "text"))


def measured(work: Callable[[Path], int], folder: Path) -> tuple[int, float, float, float]:
    """The result, seconds by the clock and of the processor with imports, and the most memory in MB, in its own process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (work, folder))


def _measured(work: Callable[[Path], int], folder: Path) -> tuple[int, float, float, float]:
    start, processor = time.perf_counter(), time.process_time()
    found = work(folder)
    seconds = time.perf_counter() - start, time.process_time() - processor
    per_mb = 1024.0**2 if sys.platform == "darwin" else 1024.0
    return found, *seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / per_mb


def main() -> None:
    """Make the files, and print a line for each step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=58_492)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.folder or Path(scratch)
        made(folder, given.items, random.Random(given.seed))
        size = sum(path.stat().st_size for path in (folder / "data").iterdir()) / 1e6
        print(f"{given.items:,} items, {size:.0f} MB")
        for name, work in (("read", read), ("read and joined with answers", joined)):
            found, clock, processor, megabytes = measured(work, folder)
            print(
                f"{name}: {found:,} items, {clock:.1f} s ({processor:.1f} s of the processor), {megabytes:.0f} MB"
            )


if __name__ == "__main__":
    main()
