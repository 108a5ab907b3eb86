"""``biascore mitigate``: a masked language model trained further on a corpus in which gender is swapped."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final

import typer

from biascore.cli.console import print_json, print_list, print_rows, say, stderr, wide
from biascore.cli.options import Force, Given, Json, Option, Stimuli
from biascore.cli.progress import SignsOfLife
from biascore.engine import Engine
from biascore.errors import OptionsError
from biascore.mitigation.corpus import ENGLISH_PAIRS, Method
from biascore.mitigation.mitigate import Mitigated, Recipe, check_target, mitigate, prepare
from biascore.mitigation.swapping import Swapper
from biascore.models.training import Training

_SHOWN: Final = 20
_DEFAULT: Final = Training()


def mitigate_command(
    ref: Annotated[str, typer.Argument(help="A masked language model, such as hf:./my-bert.", metavar="REF")],
    corpus: Annotated[
        Path, typer.Argument(help="A text file in UTF-8, one text a line; also .gz.", metavar="CORPUS")
    ],
    out: Annotated[
        Path | None, typer.Option(help="The folder to write the new model to.", metavar="DIR")
    ] = None,
    pair: Annotated[
        list[str] | None,
        typer.Option(
            "--pairs",
            help="Pairs to swap: a list (en/gender_swap/forms) or a table of two columns; repeat for several, the first "
            f"with a word counts. Default: {', '.join(ENGLISH_PAIRS)}.",
            metavar="LIST",
        ),
    ] = None,
    names: Annotated[
        list[str] | None,
        typer.Option(
            help="Pairs of names to swap too, like --pairs, but in this spelling only.", metavar="LIST"
        ),
    ] = None,
    method: Annotated[
        Method,
        typer.Option(
            "--method",
            help="augmentation: train on all texts and on the swapped ones; substitution: on each text, swapped with "
            "probability one half; swapped: on the swapped texts only.",
            metavar="METHOD",
        ),
    ] = Method.AUGMENTATION,
    epochs: Annotated[
        int, typer.Option(help="How often each text is trained on.", min=1, metavar="N")
    ] = _DEFAULT.epochs,
    batch: Annotated[int, typer.Option(help="Texts a step.", min=1, metavar="N")] = _DEFAULT.batch,
    learning_rate: Annotated[
        float, typer.Option(help="The highest learning rate.", metavar="RATE")
    ] = _DEFAULT.learning_rate,
    warmup_steps: Annotated[
        int, typer.Option(help="Steps over which the learning rate rises.", min=0, metavar="N")
    ] = _DEFAULT.warmup_steps,
    masked: Annotated[
        float, typer.Option(help="The share of tokens to predict.", metavar="SHARE")
    ] = _DEFAULT.masked,
    weight_decay: Annotated[
        float, typer.Option(help="Of AdamW.", min=0, metavar="NUMBER")
    ] = _DEFAULT.weight_decay,
    power: Annotated[
        float,
        typer.Option(help="Degree of the polynomial by which the learning rate falls.", metavar="NUMBER"),
    ] = _DEFAULT.power,
    seed: Annotated[int, typer.Option(help="Seed of all random numbers.", min=0, metavar="N")] = 0,
    checkpoint_minutes: Annotated[
        float, typer.Option(help="Minutes between two checkpoints.", min=0, metavar="MINUTES")
    ] = 10.0,
    preview: Annotated[
        bool, typer.Option("--preview", help=f"Show {_SHOWN} texts that change, and train nothing.")
    ] = False,
    option: Option = None,
    stimuli: Stimuli = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Train a copy of a masked model on a corpus with gender swapped; an interrupted training resumes."""
    options = Given.of(option, of=["model"])
    if out is None and not preview:
        raise OptionsError("no folder is named for the new model. Add --out FOLDER, or look first: --preview")
    training = Training(epochs, batch, learning_rate, warmup_steps, masked, weight_decay, power, seed)
    if out is not None and not preview:
        check_target(out, overwrite=force)
    progress = SignsOfLife()
    engine = Engine(cache=None, progress=progress, stimuli=stimuli or ())
    recipe = prepare(
        engine.catalogue,
        corpus,
        pairs=pair or ENGLISH_PAIRS,
        names=names or (),
        method=method,
        seed=seed,
        progress=progress,
    )
    if preview or out is None:
        _show(recipe, as_json=as_json)
        return
    with engine.model(ref, **options.model) as original:
        done = mitigate(
            engine,
            original,
            recipe,
            out,
            training,
            checkpoint_minutes=checkpoint_minutes,
            overwrite=force,
        )
    if as_json:
        print_json(asdict(done))
        return
    _print(done)
    say(f"new model: {done.ref}. Measure it and {ref} in one audit", to=stderr)


def _show(recipe: Recipe, *, as_json: bool) -> None:
    swapper = Swapper((one.listed for one in recipe.pairs), (one.listed for one in recipe.names))
    both = ((text, swapper(text)) for text in recipe.corpus.texts)
    changed = [(text, new.text) for text, new in both if new.words][:_SHOWN]
    if as_json:
        texts = [{"text": text, "swapped": new} for text, new in changed]
        print_json({**recipe.record, "texts": texts})
        return
    print_list(wide(), ("text", "swapped"), changed)
    _print_counts(recipe.record)


def _print(done: Mitigated) -> None:
    _print_counts(done.record)
    losses = [(str(epoch), f"{loss:z.3f}") for epoch, loss in enumerate(done.record["losses"], start=1)]
    print_rows(("epoch", "mean loss (nats)"), losses, title=f"{done.record['steps']:,} steps")


def _print_counts(record: dict[str, object]) -> None:
    counts = record["swapped"]
    assert isinstance(counts, dict), "as Recipe.record makes it"
    say(
        f"{counts['changed']:,} of {counts['originals']:,} texts hold words with a partner, {counts['words']:,} words in "
        f"all; {record['method']}: {counts['texts']:,} texts to train on"
    )
