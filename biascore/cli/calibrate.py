"""``biascore calibrate``: what effects a metric can see with the word lists available, from models whose bias is known."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Annotated, Final

import typer

from biascore.cli.console import print_json, print_rows, say, stderr
from biascore.cli.options import (
    Data,
    Force,
    Given,
    Json,
    Option,
    Require,
    Seed,
    Stimuli,
    data_files,
)
from biascore.cli.progress import SignsOfLife
from biascore.engine import Engine
from biascore.errors import OptionsError

WANTED: Final = (
    "An effect to be seen, in the unit that is planted: how many items that would take; repeat for several."
)


def calibrate_command(
    metric: Annotated[
        str,
        typer.Argument(help="A metric, such as weat. They are in: biascore list metrics.", metavar="METRIC"),
    ],
    tests: Annotated[
        list[str] | None,
        typer.Option(help="A test or glob, such as 'en/weat6'; repeat for several.", metavar="TEST"),
    ] = None,
    data: Data = None,
    language: Annotated[
        str | None, typer.Option(help="The language of --data, such as en.", metavar="CODE")
    ] = None,
    option: Option = None,
    times: Annotated[
        list[float] | None,
        typer.Option(help="A size to try, as a multiple of the test's own (default: 0.5, 1 and 2); repeat."),
    ] = None,
    effect: Annotated[
        list[float] | None,
        typer.Option(
            help="An effect to plant, from 0 to 1.9 (default: such that the smallest one is found); repeat."
        ),
    ] = None,
    want: Annotated[list[float] | None, typer.Option(help=WANTED)] = None,
    models: Annotated[int, typer.Option(help="Planted models for each size and effect.")] = 100,
    nulls: Annotated[int, typer.Option(help="Models without any effect at the test's own size.")] = 400,
    power: Annotated[
        float, typer.Option(help="In which share of models an effect has to be detected.")
    ] = 0.8,
    stimuli: Stimuli = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for numbers and pictures (default: calibration-METRIC).")
    ] = None,
    seed: Seed = None,
    as_json: Json = False,
    force: Force = False,
    require_plugin: Require = None,
) -> None:
    """Measure models with a known bias: which effects a test detects, and how many words smaller ones need.

    Results are kept in --out, and the same command resumes from them.
    """
    from biascore.calibration.saving import draw_into, earlier, file_name, keep
    from biascore.calibration.simulation import TIMES, Simulation
    from biascore.calibration.words import answer, changed, needed, power_rows, size_rows

    if not all(0 < one < inf for one in want or ()):
        raise OptionsError(f"want={want} holds an effect that is not above 0. Try, for example, --want 0.5")
    engine = Engine(stimuli=stimuli or (), cache=None, seed=seed or 0, require_plugins=require_plugin or ())
    given = Given.of(option, of=["", "data"])
    own = [
        engine.data(one["format"], one["source"], language=one["language"], **one["options"])
        for one in data_files(data, language, given.data)
    ]
    engine.add_tests(own)
    wanted = [*(tests or ()), *(test.id for test in own)]
    if not wanted:
        raise OptionsError(
            "nothing is named to calibrate on. Add --tests en/weat6 or --data crows-pairs:pairs.csv"
        )
    folder = out or Path(f"calibration-{metric}")
    planned = {}
    for test in engine.tests(metric, wanted, given.own):
        path = folder / f"{file_name(metric, test.id)}.json"
        planned[path] = Simulation(
            engine,
            metric,
            test,
            times=times or TIMES,
            effects=effect,
            models=models,
            nulls=nulls,
            power=power,
            progress=SignsOfLife(),
            known=earlier(path, force=force),
            options=given.own,
        )
    for simulation in planned.values():
        simulation.begin()  # what can only be told from a model is told of all tests, before any takes its time
    results = []
    for path, simulation in planned.items():
        test = simulation.test
        found = simulation.run(lambda part, path=path: keep(part, path))  # type: ignore[misc]
        results.append(found)
        problem = draw_into(found, path.with_suffix(".svg"))
        if not as_json:
            title = f"{metric} on {test.id}: {test.title}"
            header, *rows = size_rows(found)
            print_rows(header, rows, title=title)
            header, *rows = power_rows(found)
            print_rows(header, rows, title=f"{found.estimate}, at the test's own size")
            for one in want or ():
                say(needed(found, one))
            say(answer(found))
            if note := changed(found):
                say(note, style="dim")
        say(f"saved: {path}{'' if problem else f' and {path.stem}.svg'}", to=stderr)
        if problem:
            say(problem, to=stderr)
    if as_json:
        print_json([one.to_json() for one in results])
