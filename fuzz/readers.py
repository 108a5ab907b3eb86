"""The readers of files of somebody else: what each reads, what its valid inputs are, and how it is called."""

from __future__ import annotations

import contextlib
import io
import json
import os
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from biascore.errors import RunError

from . import readers_answers, readers_models, seeds, seeds_models, seeds_runs
from .reader import Reader, engine
from .readers_answers import answers
from .seeds import WORDS, Seeds
from .services import CHAT, COMPLETION, service


def data(
    format: str,
    file: str,
    made: Callable[[], Seeds],
    language: str = "en",
    *,
    source: str | None = None,
    **options: Any,
) -> Reader:
    """A data format; ``source``: what of the folder is named, by default the file."""

    def read(folder: Path) -> None:
        test = engine().data(
            format, folder / (file if source is None else source), language=language, **options
        )
        test.to_answer() if hasattr(test, "to_answer") else None
        repr(test)

    return Reader(file, read, made)


def geneval(folder: Path) -> None:
    for path in sorted(folder.glob("*.en_it.en"))[:1]:
        engine().data("mt-geneval", path, language="en")


def vectors(file: str, made: Callable[[], Seeds], **options: Any) -> Reader:
    """A file of word vectors: opened, some words looked up, the first words listed."""

    def read(folder: Path) -> None:
        with engine().model(f"fasttext:{folder / file}", **options) as model:
            model.embed([*WORDS, "unknown", "two words"])
            model.familiarity(["he", "cook", "x"])
            vocabulary = model.vocabulary()
            list(vocabulary.words(5))
            list(vocabulary.blocks(4))

    return Reader(file, read, made)


def stimuli(folder: Path) -> None:
    from biascore.stimuli.loader import load_file
    from tests.builders.kinds import KINDS

    path = folder / "mine.toml"
    for test in load_file(path, str(path), kinds=KINDS).tests:
        if test.kind == "equity":
            test.rows()


def audit(folder: Path) -> None:
    here = Path.cwd()
    os.chdir(folder)
    try:
        engine().plan(folder / "audit.toml")
    finally:
        os.chdir(here)


def grammar(folder: Path) -> None:
    from biascore.languages.gender_rules import RuleDetector, load_grammar

    detector = RuleDetector(load_grammar(folder / "xx.toml"))
    for sentence in ("Io sono stanca, ma lui era contento.", "am so", "Ja som unavený."):
        detector.detect(sentence)


def labelled(folder: Path) -> None:
    from biascore_emotions.labelled import Reading, read_labelled

    reading = (
        Reading(columns={"emotion": "emotion"})
        if b"emotion" in (folder / "labelled.csv").read_bytes()[:60]
        else Reading()
    )
    read_labelled(folder / "labelled.csv", reading, () if reading.columns else ("anger",))


def rehashed(run: bytes) -> bytes:
    """A run.json whose hash was computed anew, as whoever changes one can do; as it was where that cannot be."""
    from biascore.results.hashes import content_hash

    with contextlib.suppress(Exception):
        body = json.loads(run)
        del body["content_sha256"]
        return json.dumps({**body, "content_sha256": content_hash(body)}).encode()
    return run


def run(folder: Path) -> None:
    from biascore.results.run import read_run

    path = folder / "run" / "run.json"
    if path.exists():
        path.write_bytes(rehashed(path.read_bytes()))
    problems, found = read_run(folder / "run")
    if found is not None:
        repr((found.answers, found.result_lines, found.agreements, found.summary(), found.to_frame()))
    if problems:
        raise RunError("; ".join([f"{folder}: {problems[0]}", *problems[1:3]]) + ". Run again")


def verify(folder: Path) -> None:
    from biascore.archive.verify import verify_run

    path = folder / "run.zip"
    with contextlib.suppress(Exception):
        path.write_bytes(bundle_rehashed(path.read_bytes()))
    verify_run(path)


def bundle_rehashed(data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        runs = [one for one in members if one.filename.endswith("run/run.json")]
        if len(runs) != 1 or sum(one.file_size for one in members) > 1_000_000:
            return data
        before = archive.read(runs[0])
        if (after := rehashed(before)) == before:
            return data
        stream = io.BytesIO()
        with warnings.catch_warnings(), zipfile.ZipFile(stream, "w") as new:
            warnings.simplefilter("ignore")  # names that come twice
            for one in members:
                new.writestr(one, after if one is runs[0] else archive.read(one))
    return stream.getvalue()


def calibration(folder: Path) -> None:
    from biascore.calibration.calibration import Calibration

    found = Calibration.load(folder / "weat.json")
    found.described if hasattr(found, "described") else None


def checkpoint(folder: Path) -> None:
    from biascore.models.training import Checkpoints

    Checkpoints(folder / "state", {"steps": 3, "model": {"ref": "m"}}, minutes=1)


def corpus(folder: Path) -> None:
    from biascore_training.corpus import read_corpus

    read_corpus(folder / "corpus.txt")


def gender_table(folder: Path) -> None:
    from biascore.languages.gender_table import read_sentences

    read_sentences(folder / "sentences.csv")


def animates(folder: Path) -> None:
    """A treebank and the list of words that are left out of it."""
    test = engine().data(
        "conllu",
        folder / "bank.conllu",
        language="es",
        animates=str(folder / "a.txt"),
        min_count=1,
        held_out=0,
    )
    repr(test)


def prompts(folder: Path) -> None:
    """A benchmark and the prompts that it is asked with."""
    repr(engine().data("kobbq", folder / "k.jsonl", language="ko", prompts=str(folder / "p.csv")))


def pairs(folder: Path) -> None:
    from biascore_training.corpus import read_pairs

    read_pairs(folder / "pairs.csv", engine().catalogue)


def disk_cache(folder: Path) -> None:
    """A cache that is damaged may say so, and keeps working."""
    from biascore.models.pipeline.cache import DiskCache

    cache = DiskCache(folder)
    keys = [bytes([n]) * 20 for n in range(4)]
    cache.get(keys)
    cache.put({keys[3]: bytes(8)})
    cache.get(keys)
    cache.close()


READERS: dict[str, Reader] = {
    "csv": data("gest", "gest.csv", seeds.good("gest")),
    "json-lines": data("gest", "gest.jsonl", seeds.good("json-lines")),
    "parquet": data("gest", "gest.parquet", seeds.gest_parquet),
    "arrow": data("gest", "gest.arrow", seeds.arrow_streams),
    "saved": data("gest", "", seeds.saved_datasets),
    "nested-arrow": data("bbq", "Age.arrow", seeds.nested_arrow),
    "encodings": Reader("table.csv", readers_answers.encoded, seeds.encoded),
    "stimuli": Reader("mine.toml", stimuli, seeds.stimuli),
    "audit": Reader("", audit, seeds.audits, names=False),
    "grammar": Reader("xx.toml", grammar, seeds.grammars),
    "crows-pairs": data("crows-pairs", "pairs.csv", seeds.good("crows-pairs"), skip_malformed=True),
    "gender-variants": data("gender-variants", "variants.csv", seeds.good("gender-variants"), "sk"),
    "bbq": data("bbq", "Age.jsonl", seeds.bbq),
    "esbbq": data("esbbq", "Age.jsonl", seeds.family("esbbq"), "es"),
    "kobbq": data("kobbq", "k.jsonl", seeds.family("kobbq"), "ko"),
    "ggbbq": data("ggbbq", "g.jsonl", seeds.family("ggbbq"), "de"),
    "mbbq": data("mbbq", "Age_nl.jsonl", seeds.family("mbbq"), "nl"),
    "jbbq": data("jbbq", "Age.jsonl", seeds.family("jbbq"), "ja"),
    "basqbbq": data("basqbbq", "Adin.jsonl", seeds.family("basqbbq"), "eu"),
    "cbbq": data("cbbq", "ambiguous.json", seeds.family("cbbq"), "zh", groups={"老人/长者": ["老人"]}),
    "eurogest": data(
        "eurogest",
        "Slovak.csv",
        seeds.texts(
            "GEST_ID,Stereotype_ID,Masculine,Feminine,Neutral\n1,1.0,Bol som.,Bola som.,\n2,9.0,,,Nie.\n"
        ),
        "sk",
    ),
    "winobias": data("winobias", "", seeds.winobias),
    "winogender": data("winogender", "", seeds.winogender),
    "stereoset": data("stereoset", "dev.json", seeds.stereoset),
    "mt-geneval": Reader("", geneval, seeds.geneval),
    "discrim-eval": data("discrim-eval", "explicit.jsonl", seeds.discrim_eval),
    "eec-parts": data("eec-parts", "parts.toml", seeds.eec_parts, corpus="mine", mode="as_published"),
    "outcomes": data(
        "outcomes",
        "hires.csv",
        seeds.texts("id,sex,race,hired\np1,F, A ,0\np2,M,B,1\np3,,A,1\n"),
        text="id",
        groups=["sex", "race"],
    ),
    "conllu": data("conllu", "bank.conllu", seeds.conllu, "es", min_count=1, held_out=0),
    "nouns": data(
        "nouns",
        "nouns.tsv",
        seeds.texts("word\tgender\tset\nsol\tm\ttrain\nluz\tf\ttrain\nmar\tm\ttest\nflor\tf\ttest\n"),
        "es",
    ),
    "noun-pairs": data(
        "noun-pairs", "p.csv", seeds.texts("first,second,genders\nsol,luna,different\nmesa,luz,same\n"), "es"
    ),
    "valence-norms": data(
        "valence-norms", "v.csv", seeds.texts("word,score\nsol,7.5\nluto,1.5\nmar,5\n"), "es"
    ),
    "analogies": data("analogies", "q.txt", seeds.texts(": family\nhe she king queen\nhe she boy girl\n")),
    "vec": vectors("m.vec", seeds_models.vec),
    "word2vec": vectors("m.bin", seeds_models.word2vec),
    "fasttext-bin": vectors("m.bin", seeds_models.binaries),
    "fasttext-ftz": vectors("m.ftz", seeds_models.quantised),
    "translations": answers("out.csv", seeds.good("translations"), language="sk"),
    "scores": answers("scores.csv", seeds.scores, unit="nats"),
    "lm-eval": answers("samples_x.jsonl", seeds.logs("lm-eval"), item=("doc.category", "doc.example_id")),
    "every-eval-ever": answers("results.jsonl", seeds.logs("every-eval-ever")),
    "inspect": answers("log.json", seeds.logs("inspect")),
    "inspect-eval": answers("log.eval", seeds.logs("archive")),
    "basis": Reader("basis.npz", readers_models.basis, seeds_models.bases),
    "onnx": Reader("", readers_models.onnx_folder, seeds_models.onnx_folder),
    "model-folder": Reader("", readers_models.model_folder, seeds_models.sentence_folder),
    "hf": Reader("", readers_models.opened, seeds_models.opened),
    "hf-translation": Reader("", readers_models.translator, seeds_models.translators),
    "scorer": Reader("", readers_models.scorer, seeds_models.scorers),
    "labelled": Reader("labelled.csv", labelled, seeds.labelled),
    "run": Reader("", run, seeds_runs.runs),
    "bundle": Reader("run.zip", verify, seeds_runs.bundles),
    "calibration": Reader("weat.json", calibration, seeds_runs.calibrations),
    "checkpoint": Reader("", checkpoint, seeds_runs.checkpoints),
    "training": Reader("", readers_models.training, seeds_models.trainings),
    "corpus": Reader("corpus.txt", corpus, seeds.texts("He is here.\n\nShe works.\n")),
    "gender-table": Reader(
        "sentences.csv",
        gender_table,
        seeds.texts("sentence,expected\nI am.,masculine\nShe.,feminine\nIt.,none\n"),
    ),
    "animates": Reader("", animates, seeds.animates),
    "prompts": Reader("", prompts, seeds.prompts),
    "numbers": Reader("", readers_answers.numbers, seeds.numbers),
    "choices": answers("choices.csv", seeds.texts("item,answer\n1,A\n2,the girl\n")),
    "word-pairs": Reader("pairs.csv", pairs, seeds.texts("female,male\nshe,he\nqueen,king\n")),
    "cache": Reader("", disk_cache, seeds_runs.caches),
    "cached-answer": Reader("answer", readers_answers.answer, seeds_runs.answers, names=False),
    "deepl": service(
        "deepl",
        {"translations": [{"detected_source_language": "EN", "text": "Hallo.", "billed_characters": 6}]},
    ),
    "google": service("google-translate", {"data": {"translations": [{"translatedText": "Hallo."}]}}),
    "amazon": service(
        "amazon-translate",
        {"TranslatedText": "Hallo.", "SourceLanguageCode": "en", "TargetLanguageCode": "de"},
    ),
    "libretranslate": service(
        "libretranslate",
        {
            "/languages": [{"code": "en", "name": "E", "targets": ["de"]}],
            "/translate": {"translatedText": ["Hallo."]},
        },
    ),
    "apertium": service(
        "apertium",
        {
            "/listPairs": {
                "responseData": [{"sourceLanguage": "eng", "targetLanguage": "deu"}],
                "responseStatus": 200,
            },
            "/translate": {"responseData": {"translatedText": "Hallo."}, "responseStatus": 200},
        },
    ),
    "openai-chat": service("openai", CHAT),
    "openai-completion": service("openai", COMPLETION, prompt_logprobs="echo", text_start="<s>"),
}

PARSERS = {
    "rows of text": (
        *(
            "choices",
            "crows-pairs",
            "csv",
            "encodings",
            "eurogest",
            "gender-table",
            "gender-variants",
            "labelled",
        ),
        *("noun-pairs", "nouns"),
        *("numbers", "outcomes", "prompts", "scores", "translations", "valence-norms", "word-pairs"),
    ),
    "JSON": (
        *(
            "bbq",
            "calibration",
            "discrim-eval",
            "esbbq",
            "every-eval-ever",
            "ggbbq",
            "inspect",
            "json-lines",
            "kobbq",
            "lm-eval",
        ),
        *("basqbbq", "cbbq", "jbbq", "mbbq", "stereoset"),
    ),
    "lines": ("analogies", "animates", "conllu", "corpus", "mt-geneval", "winobias", "winogender"),
    "TOML": ("audit", "eec-parts", "grammar", "stimuli"),
    "Parquet": ("parquet",),
    "Arrow": ("arrow", "nested-arrow", "saved"),
    "word vectors as text": ("vec",),
    "binary word vectors": ("fasttext-bin", "fasttext-ftz", "word2vec"),
    "arrays": ("basis", "checkpoint", "scorer", "training"),
    "model folders": ("hf", "hf-translation", "model-folder", "onnx"),
    "archives": ("bundle", "inspect-eval"),
    "runs": ("run",),
    "answer cache": ("cache", "cached-answer"),
    "HTTP answers": (
        *("amazon", "apertium", "deepl", "google", "libretranslate", "openai-chat", "openai-completion"),
    ),
}
"""The readers by what takes their bytes apart, which those of a line share."""
