"""Made-up data in the forms of published files, on which the pages show metrics: every sentence and number is invented."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

DECISIONS = {
    ("F", "Black"): (90, 14),
    ("F", "White"): (216, 49),
    ("M", "Black"): (122, 31),
    ("M", "White"): (260, 82),
}
"""People of each sex and race, and how many of them were hired."""
APPLICANTS = {
    ("Female", "White"): (148, 41),
    ("Male", "White"): (171, 60),
    ("Female", "Black or African American"): (92, 14),
    ("Male", "Black or African American"): (84, 21),
    ("Female", "Hispanic or Latino"): (70, 17),
    ("Male", "Hispanic or Latino"): (66, 19),
    ("Female", "Asian"): (58, 15),
    ("Male", "Asian"): (61, 19),
    ("Female", "Two or More Races"): (4, 1),
    ("Male", "Two or More Races"): (5, 2),
    ("Not disclosed", "White"): (9, 2),
    ("Female", "Prefer not to say"): (11, 3),
    ("", ""): (4, 1),
}
"""Applicants of the made-up Beispiel Ltd by sex and ethnicity as its system exports them, and how many were interviewed."""
WORKERS = {
    "cook": ("una cuoca", "un cuoco"),
    "teacher": ("una maestra", "un maestro"),
    "nurse": ("un'infermiera", "un infermiere"),
    "tailor": ("una sarta", "un sarto"),
    "waiter": ("una cameriera", "un cameriere"),
    "gardener": ("una giardiniera", "un giardiniere"),
    "farmer": ("una contadina", "un contadino"),
    "worker": ("un'operaia", "un operaio"),
}
SHARES = {
    "miner": 4.0, "roofer": 8.5, "pilot": 12.0, "plumber": 15.0, "trucker": 19.5,
    "welder": 24.0, "farmer": 29.0, "surgeon": 35.0, "janitor": 41.0, "author": 47.0,
    "clerk": 62.5, "tailor": 66.0, "dancer": 71.0, "teller": 75.5, "stylist": 80.0,
    "typist": 84.0, "florist": 87.5, "nanny": 91.0, "midwife": 94.0, "dietitian": 96.5,
}  # fmt: skip
"""Occupations with an invented share of women."""
OPPOSITE = {"he": "she", "she": "he", "him": "her", "her": "him"}
LABELS = {"stereotype": "careless", "anti-stereotype": "thorough", "unrelated": "purple"}


def lines(path: Path, some: list[str]) -> None:
    """A file of lines."""
    path.write_text("\n".join(some) + "\n", encoding="utf-8")


def table(path: Path, *rows: Sequence[object]) -> None:
    """A table with its header."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


def decisions(path: Path) -> None:
    """A row for each person."""
    rows = [(*group, int(n < hired)) for group, (people, hired) in DECISIONS.items() for n in range(people)]
    table(path, ("id", "sex", "race", "hired"), *((f"p{n}", *row) for n, row in enumerate(rows, 1)))


def applicants(path: Path) -> None:
    """A row for each applicant, in an order and with scores and days that follow from the number."""
    rows = [
        (*who, "Interview" if n < some else "Rejected")
        for who, (people, some) in APPLICANTS.items()
        for n in range(people)
    ]
    head = ("applicant_id", "stage", "sex", "ethnicity", "decision", "score", "date")
    table(
        path,
        head,
        *(
            (
                f"A-{n:04d}",
                "Screening",
                *row,
                40 + n * 37 % 41 + 12 * (row[2] == "Interview"),
                f"2026-{1 + n % 9:02d}-15",
            )
            for n, row in enumerate((rows[n * 511 % len(rows)] for n in range(len(rows))), 1)
        ),
    )


def geneval(folder: Path) -> None:
    """English sentences that state a gender, with a reference in it, and translations that are all masculine."""
    days = [(work, forms, day) for work, forms in WORKERS.items() for day in range(1, 31)]
    said: list[tuple[str, str]] = [("text", "translation")]
    for number, (gender, pronoun) in enumerate((("feminine", "She"), ("masculine", "He"))):
        name = f"geneval-sentences-{gender}-test.en_it"
        english = [f"{pronoun} was a {work} on day {day}." for work, _, day in days]
        italian = [[f"Il giorno {day} era {form}." for form in forms] for _, forms, day in days]
        lines(folder / f"{name}.en", english)
        lines(folder / f"{name}.it", [one[number] for one in italian])
        said += [(text, masculine) for text, (_, masculine) in zip(english, italian, strict=True)]
    table(folder / "outputs_it.csv", *said)


def stereoset(path: Path) -> None:
    """Six examples of each occupation, each with three words for its blank."""
    examples = []
    for target in SHARES:
        for house in range(6):
            context = f"The {target} of house {house} is BLANK."
            said = [
                {"id": label, "sentence": context.replace("BLANK", word), "gold_label": label}
                for label, word in LABELS.items()
            ]
            examples.append(
                {"id": f"{target}-{house}", "target": target, "bias_type": "profession", "context": context}
                | {"sentences": said}
            )
    path.write_text(json.dumps({"version": "1.0", "data": {"intrasentence": examples}}), encoding="utf-8")


def winobias(folder: Path) -> None:
    """Each occupation of men with each of women, in two types of sentences."""
    folder.mkdir(parents=True, exist_ok=True)
    names = list(SHARES)
    kinds = {
        1: ("{right} greeted {other} because {pronoun} was early.", ("he", "she")),
        2: ("{other} greeted {right} and thanked {pronoun} .", ("him", "her")),
    }
    for kind, (text, forms) in kinds.items():
        for side in ("pro", "anti"):
            said = [
                text.format(
                    right=f"[the {right}]",
                    other=f"the {other}",
                    pronoun=f"[{form if side == 'pro' else OPPOSITE[form]}]",
                )
                for man in names[:10]
                for woman in names[10:]
                for right, other, form in ((man, woman, forms[0]), (woman, man, forms[1]))
            ]
            numbered = [f"{n} {one.replace('the', 'The', 1)}" for n, one in enumerate(said, 1)]
            lines(folder / f"{side}_stereotyped_type{kind}.txt.dev", numbered)


def winogender(folder: Path) -> None:
    """Each occupation in six sentences, and its share of women."""
    folder.mkdir(parents=True, exist_ok=True)
    sentences = (
        "The $OCCUPATION told the $PARTICIPANT that $NOM_PRONOUN was almost ready.",
        "The $PARTICIPANT asked the $OCCUPATION to return $POSS_PRONOUN umbrella.",
    )
    rows = [
        f"{name}\t{other}\t{answer}\t{text}"
        for name in SHARES
        for other in ("visitor", "neighbour", "customer")
        for answer, text in enumerate(sentences)
    ]
    lines(folder / "templates.tsv", ["occupation(0)\tother-participant(1)\tanswer\tsentence", *rows])
    shares = [f"{name}\t{share}\t{share}\t2015" for name, share in SHARES.items()]
    lines(
        folder / "occupations-stats.tsv",
        ["occupation\tbergsma_pct_female\tbls_pct_female\tbls_year", *shares],
    )


def write(folder: Path) -> None:
    """All of them, under the names that the pages give."""
    decisions(folder / "decisions.csv")
    applicants(folder / "applicants.csv")
    geneval(folder)
    stereoset(folder / "dev.json")
    winobias(folder / "corefBias/WinoBias/wino/data")
    winogender(folder / "winogender-schemas/data")
