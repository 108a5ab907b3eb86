"""Every installed data format keeps the contract, on a file written here; a format without one here fails."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.testing import check_format

from ..builders.equity_parts import SMALL
from ..metrics.bbq import written
from ..metrics.coreference.made import write_winobias, write_winogender
from ..metrics.stereoset import made as stereoset


@dataclass(frozen=True)
class Given:
    """A file in its folder, and what is said of it; ``beside`` are files that are read with it."""

    path: Path
    language: str = "en"
    options: Mapping[str, Any] = field(default_factory=dict)
    beside: Sequence[str] = ()


def lines(path: Path, *some: str) -> Path:
    path.write_text("\n".join(some) + "\n", encoding="utf-8")
    return path


def table(name: str, *rows: str, language: str = "en", **options: Any) -> Callable[[Path], Given]:
    """A file of these lines."""
    return lambda folder: Given(lines(folder / name, *rows), language, options)


def family(name: str, row: Callable[..., dict[str, Any]], language: str) -> Callable[[Path], Given]:
    """A file of BBQ or its kin."""
    rows = [row(), row(1)] if row is not written.kobbq_row else [row(), row("age-004a-001-dis-cnt")]
    return lambda folder: Given(written.write(folder / name, rows), language)


def winobias(folder: Path) -> Given:
    others = ["anti_stereotyped_type1.txt.dev", *(f"{s}_stereotyped_type2.txt.dev" for s in ("pro", "anti"))]
    return Given(write_winobias(folder) / "pro_stereotyped_type1.txt.dev", beside=others)


def winogender(folder: Path) -> Given:
    return Given(write_winogender(folder) / "templates.tsv", beside=["occupations-stats.tsv"])


def geneval(folder: Path) -> Given:
    texts = {
        "feminine-test.en_it.en": ("She is a cook.", "My aunt sings."),
        "feminine-test.en_it.it": ("È una cuoca.", "Mia zia canta."),
        "masculine-test.en_it.en": ("He is a cook.", "My uncle sings."),
        "masculine-test.en_it.it": ("È un cuoco.", "Mio zio canta."),
    }
    first, *beside = (lines(folder / f"geneval-sentences-{name}", *some).name for name, some in texts.items())
    return Given(folder / first, beside=beside)


def discrim_eval(folder: Path) -> Given:
    rows = [
        {
            "filled_template": f"The cook is {race}, {gender} and {age}. May the cook rent the stall?",
            "decision_question_id": 1,
            "age": age,
            "gender": gender,
            "race": race,
        }
        for age in (20, 60)
        for gender in ("male", "female")
        for race in ("white", "Black")
    ]
    return Given(lines(folder / "explicit.jsonl", *map(json.dumps, rows)))


def treebank(folder: Path) -> Given:
    nouns = {"Masc": ("puente", "sol", "libro", "coche"), "Fem": ("mesa", "luz", "mano", "noche")}
    rows = [
        f"1\t{noun}\t{noun}\tNOUN\t_\tGender={gender}|Number=Sing\t0\troot\t_\t_\n"
        for gender, some in nouns.items()
        for noun in some
    ]
    return Given(lines(folder / "bank.conllu", "# sent_id = 1", *rows), "es")


FORMATS: Mapping[str, Callable[[Path], Given]] = {
    "advice": table(
        "prompts.csv",
        "scenario,variation,name_group,name,context_level,prompt_text",
        *(
            f"sale,kettle,{race}_{gender},{name},low,What is the kettle of {name} worth?"
            for race, gender, name in (
                ("white", "men", "Tom Berg"),
                ("white", "women", "Ann Berg"),
                ("black", "men", "Tom Booker"),
                ("black", "women", "Ann Booker"),
            )
        ),
    ),
    "analogies": table(
        "questions.txt", ": family", "king queen man woman", "", ": others", "hot cold up down"
    ),
    "basqbbq": family("Adin.jsonl", written.basqbbq_row, "eu"),
    "bbq": family("Age.jsonl", written.bbq_row, "en"),
    "cbbq": family("age.jsonl", written.cbbq_row, "zh"),
    "conllu": treebank,
    "crows-pairs": table(
        "pairs.csv",
        "sent_more,sent_less,stereo_antistereo,bias_type",
        "Women are late.,Men are late.,stereo,gender",
        "Men are strong.,Women are strong.,antistereo,gender",
    ),
    "discrim-eval": discrim_eval,
    "eec-parts": table("parts.toml", SMALL, corpus="mine"),
    "esbbq": family("Age.csv", written.esbbq_row, "es"),
    "eurogest": table(
        "Slovak.csv",
        "GEST_ID,Stereotype_ID,Masculine,Feminine,Neutral",
        "1,6.0,Som slabý.,Som slabá.,",
        "2,16.0,Som silný.,Som silná.,",
        language="sk",
    ),
    "gender-variants": table(
        "variants.csv",
        "translator,language,original,stereotype,male,female",
        "DeepL,sk,I am weak,6,som slabý,som slabá",
        "GoogleTranslate,sk,I am strong,16,som silný,som silná",
        language="sk",
    ),
    "mottos": table("gest.csv", "sentence,stereotype", "I cried.,1", '"I, too, was late.",16'),
    "gest": table("gest.csv", "sentence,stereotype", "I cried.,1", '"I, too, was late.",16'),
    "ggbbq": family("subset.jsonl", written.ggbbq_row, "de"),
    "jbbq": family("Age.jsonl", written.jbbq_row, "ja"),
    "kobbq": family("samples.tsv", written.kobbq_row, "ko"),
    "mbbq": family("Gender_nl.jsonl", written.mbbq_row, "nl"),
    "mt-geneval": geneval,
    "noun-pairs": table(
        "pairs.csv", "first,second,genders", "bosque,selva,diff", "mesa,silla,same", language="es"
    ),
    "nouns": table("nouns.tsv", "word\tgender", "libro\tm", "perro\tm", "mesa\tf", "silla\tf", language="es"),
    "outcomes": table(
        "outcomes.csv",
        "text,sex,selected",
        *(f"{sex} {i},{sex},{i % 2}" for i in range(4) for sex in ("women", "men")),
        groups=["sex"],
    ),
    "stereoset": lambda folder: Given(stereoset.write(folder, stereoset.document())),
    "valence-norms": table("norms.csv", "word,score", "sol,8.5", "guerra,1", "mesa,5", language="es"),
    "winobias": winobias,
    "winogender": winogender,
    "words": table("words.csv", "list,word", "X,sun", "X,day", "Y,moon", "Y,night", "A,warm", "B,cold"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_keeps_the_contract(name: str, engine: Engine, tmp_path: Path) -> None:
    given = FORMATS[name](tmp_path)
    check_format(
        name,
        given.path,
        language=given.language,
        beside=given.beside,
        engine=engine,
        **given.options,
    )


def test_every_format_is_here(everything: Engine) -> None:
    assert sorted(FORMATS) == sorted(everything.plugins.formats.names)
