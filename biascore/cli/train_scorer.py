"""``biascore train-scorer``: regressors of emotions, trained on a labelled file."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from biascore.basics.wording import listed
from biascore.cli.console import print_json, print_rows, say, stderr
from biascore.cli.options import Force, Given, Json, NoCache, pairs
from biascore.cli.progress import SignsOfLife
from biascore.engine import Engine
from biascore.errors import OptionsError
from biascore.models.cache import DEFAULT_CACHE
from biascore.scorers.labelled import Reading
from biascore.scorers.parts import read_data
from biascore.scorers.train import TrainedScorer, Training, check_encoder, check_target, train_scorer


def train_scorer_command(
    train: Annotated[
        list[str],
        typer.Argument(
            help="Labelled files: a table with text, emotion and score, or SemEval-2018 EI-reg files; or shipped:en, "
            "shipped:es."
        ),
    ],
    out: Annotated[Path, typer.Option(help="The folder to write the scorer to.")],
    emotion: Annotated[
        list[str] | None,
        typer.Option(help="An emotion to train for; repeat for several. Default: all there are."),
    ] = None,
    dev: Annotated[list[str] | None, typer.Option(help="A file to choose parameters by.")] = None,
    test: Annotated[list[str] | None, typer.Option(help="A file to test on.")] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="An encoder that gives the vectors, such as hf:./minilm. Default: tf-idf.", metavar="REF"
        ),
    ] = None,
    head: Annotated[
        str, typer.Option(help="ridge, svr or mlp. Default: svr on tf-idf, ridge on an encoder.")
    ] = "",
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            "-o",
            help="An option of the head, such as C=[0.1,1], or of the encoder, model.sentence=cls; repeat for several.",
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(help="How many heads to train, each with its own seed; mlp only. Default: 5.", min=1),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of all random numbers, and of the first head.", min=0)] = 0,
    test_share: Annotated[
        float, typer.Option(help="The share of texts drawn to test on, without --test.")
    ] = 0.2,
    dev_share: Annotated[
        float, typer.Option(help="The share of texts drawn to choose by, without --dev.")
    ] = 0.1,
    column: Annotated[
        list[str] | None,
        typer.Option(
            help="The file's own name of a column: text=…, emotion=… or score=…; repeat for several."
        ),
    ] = None,
    encoding: Annotated[str, typer.Option(help="Encoding of the files, such as cp1252.")] = "utf-8",
    clean: Annotated[
        bool, typer.Option("--clean", help="Take mentions of users out, as Câmara et al. 2022 do.")
    ] = False,
    cut_decimals: Annotated[
        int | None,
        typer.Option(help="Cut scores to so many decimals; the code of Câmara et al. 2022 does to 2."),
    ] = None,
    bounds: Annotated[
        tuple[float, float],
        typer.Option("--range", help="The range of the scores, which is mapped onto 0 to 1."),
    ] = (0.0, 1.0),
    no_cache: NoCache = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Train a regressor for each emotion of a labelled file; the folder is a model: scorer:FOLDER."""
    names = pairs(column)
    if not all(isinstance(name, str) for name in names.values()):
        raise OptionsError(
            f"--column names columns by text. Write, for example: --column text=sentence; not {names}"
        )
    options = Given.of(option, of=["", "model"])
    training = Training(model is None, head, options.own, seeds, seed)
    reading = Reading(names, encoding, clean, cut_decimals, bounds)
    check_target(out, overwrite=force)
    data = read_data(
        train,
        dev=dev or (),
        test=test or (),
        emotions=emotion or (),
        reading=reading,
        chooses=training.chooses,
        dev_share=dev_share,
        test_share=test_share,
        seed=seed,
    )
    signs = SignsOfLife()
    with ExitStack() as opened:
        encoder = None
        if model is not None:
            engine = Engine(cache=None if no_cache else DEFAULT_CACHE, progress=signs)
            opened.callback(engine.close)
            encoder = opened.enter_context(engine.model(model, **options.model))
            check_encoder(encoder)
        elif options.model:
            raise OptionsError(
                "-o model.KEY=VALUE is of an encoder, and none is named. Name it with --model, or leave it out"
            )
        done = train_scorer(data, out, training, encoder, overwrite=force, progress=signs)
    if as_json:
        print_json({"ref": done.ref, "record": done.record.model_dump(mode="json")})
        return
    _print(done)


def _print(done: TrainedScorer) -> None:
    record = done.record
    rows = []
    for one in record.emotions:
        trained = str(one.train.rows + (one.dev.rows if one.dev else 0))
        several = len(one.heads) > 1
        rows.append((one.name, "mean" if several else "", trained, one.test.described))
        if several:
            rows += [(one.name, str(head.seed), trained, head.test.described) for head in one.heads]
    columns = ("emotion", "seed", "trained on", "Pearson r on the test texts")
    print_rows(
        columns, rows, title=f"{record.head} on {'tf-idf' if record.encoder is None else record.encoder.ref}"
    )
    for one in record.emotions:
        say(f"{one.name}: {', '.join(f'{key}={value}' for key, value in one.heads[0].parameters.items())}")
        if one.test_rows.drawn:
            say(f"{one.name}: tested on {one.test_rows.rows} texts, {one.test_rows.drawn}")
    for warning in record.warnings:
        say(warning, to=stderr, label="warning:")
    say(f"new model: {done.ref}. It can score {listed([one.name for one in record.emotions])}", to=stderr)
