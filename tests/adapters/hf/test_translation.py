"""Translation models: tiny random ones of each family, beside a plain loop over transformers' own generate."""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
sentencepiece = pytest.importorskip("sentencepiece")

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers  # noqa: E402

from biascore import Engine  # noqa: E402
from biascore.errors import (  # noqa: E402
    AnswerError,
    CapabilityError,
    ModelLoadError,
    OptionsError,
    QuestionError,
    UnsupportedLanguageError,
)
from biascore.plugins_api import Model  # noqa: E402
from biascore_adapters.hf.languages import find_code, language_codes  # noqa: E402
from biascore_adapters.hf.translation import TranslationBackend  # noqa: E402

from . import tiny  # noqa: E402

TEXTS = (
    "I am a nurse.",
    "The engineer finished her work before he left.",
    "No.",
    "Der Arzt grüßt die Krankenschwester auf der Straße, und niemand hat es gesehen 😀.",
    "I am a nurse, she said.",
)
FAMILIES = ("nllb", "m2m100", "mbart", "marian", "marian-group", "t5")
SIZE: dict[str, Any] = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "max_position_embeddings": 128,
    "tie_word_embeddings": False,  # or a random model says one token for ever
}
CORPUS = [*TEXTS, *(word for text in TEXTS for word in text.split())] * 5
TOKENS = 12


def pieces() -> tuple[bytes, list[str]]:
    """A SentencePiece model of the corpus, and its pieces."""
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS), model_writer=written, vocab_size=60, model_type="unigram",
        pad_id=-1, bos_id=-1, eos_id=0, unk_id=1, minloglevel=2,
    )  # fmt: skip
    processor = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    return written.getvalue(), [processor.id_to_piece(i) for i in range(len(processor))]


def bpe() -> tuple[dict[str, int], list[tuple[str, str]]]:
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    specials = ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = trainers.BpeTrainer(vocab_size=150, special_tokens=specials, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    model = json.loads(tokenizer.to_str())["model"]
    return model["vocab"], [tuple(pair) for pair in model["merges"]]


def tokenizer_of(family: str, folder: Path) -> Any:
    if family == "nllb":
        vocabulary, merges = bpe()
        return transformers.NllbTokenizer(vocab=vocabulary, merges=merges)
    if family in ("mbart", "t5"):
        return _unigram(family)
    spm, own = pieces()
    (folder / "raw.spm").write_bytes(spm)
    if family == "m2m100":
        vocabulary = ["<s>", "<pad>", "</s>", "<unk>", *(p for p in own if p not in ("</s>", "<unk>"))]
    else:
        codes = [">>hrv<<", ">>srp_Cyrl<<", ">>slv<<"] if family == "marian-group" else []
        vocabulary = [*own, *codes, "<pad>"]
    file = folder / "raw.json"
    file.write_text(json.dumps({piece: i for i, piece in enumerate(vocabulary)}), encoding="utf-8")
    if family == "m2m100":
        return transformers.M2M100Tokenizer(str(file), str(folder / "raw.spm"))
    target = "zls" if codes else "es"
    spms = [str(folder / "raw.spm")] * 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it recommends sacremoses
        return transformers.MarianTokenizer(*spms, str(file), source_lang="en", target_lang=target)


def _unigram(family: str) -> Any:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    specials = ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = trainers.UnigramTrainer(
        vocab_size=120, special_tokens=specials, unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    if family == "t5":
        tokenizer.post_processor = processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 2)])
        roles = {"eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
        return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=128, **roles)
    vocabulary = [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["vocab"]]
    return transformers.MBart50Tokenizer(vocab=vocabulary, src_lang="en_XX", tgt_lang="es_XX")


def config_of(family: str, tokenizer: Any) -> Any:
    if family == "t5":
        tasks = {"translation_en_to_de": {"prefix": "translate English to German: "}, "summarization": {}}
        return transformers.T5Config(
            vocab_size=len(tokenizer), d_model=32, d_ff=48, d_kv=8, num_layers=2, num_heads=4, tie_word_embeddings=False,
            decoder_start_token_id=1, pad_token_id=1, eos_token_id=2, task_specific_params=tasks,
        )  # fmt: skip
    ids = {"pad_token_id": tokenizer.pad_token_id, "eos_token_id": tokenizer.eos_token_id}
    size = {
        **SIZE,
        "vocab_size": max([*tokenizer.get_vocab().values(), *_language_ids(tokenizer)]) + 1,
        **ids,
    }
    if family.startswith("marian"):
        return transformers.MarianConfig(
            **size, decoder_start_token_id=ids["pad_token_id"], forced_eos_token_id=ids["eos_token_id"]
        )
    kind = transformers.MBartConfig if family == "mbart" else transformers.M2M100Config
    return kind(**size, bos_token_id=0, decoder_start_token_id=ids["eos_token_id"])


def _language_ids(tokenizer: Any) -> list[int]:
    return list(getattr(tokenizer, "lang_token_to_id", {}).values())


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder with a random model of each family and its tokenizer."""
    root = tmp_path_factory.mktemp("translation")
    for seed, family in enumerate(FAMILIES, 11):
        folder = root / family
        folder.mkdir()
        tokenizer = tokenizer_of(family, folder)
        tokenizer.save_pretrained(folder)
        config = config_of(family, tokenizer)
        tiny.save_random(transformers.AutoModelForSeq2SeqLM, config, folder, seed)
    return {family: root / family for family in FAMILIES}


@pytest.fixture
def opened(folders: dict[str, Path]) -> Callable[..., Model]:
    def open_model(family: str, adapter: str = "hf", **options: Any) -> Model:
        chosen = {"truncated": "keep", "max_new_tokens": TOKENS, "device": "cpu", **options}
        return Engine(cache=None).model(f"{adapter}:{folders[family]}", **chosen)

    return open_model


@cache
def plain(folder: Path) -> tuple[Any, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return tokenizer, transformers.AutoModelForSeq2SeqLM.from_pretrained(folder).eval()


def obvious(folder: Path, text: str, first: str | None, source: str | None = None, **settings: Any) -> str:
    """One text through transformers alone."""
    tokenizer, model = plain(folder)
    if source is not None:
        tokenizer.src_lang = source
    forced = {} if first is None else {"forced_bos_token_id": tokenizer.convert_tokens_to_ids(first)}
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        inputs = tokenizer(text, return_tensors="pt")
        model.generation_config.forced_eos_token_id = None
        out = model.generate(
            input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"],
            max_new_tokens=TOKENS, do_sample=False, **forced, **settings,
        )  # fmt: skip
    return str(tokenizer.decode(out[0].tolist(), skip_special_tokens=True))


CASES = (
    ("nllb", "sr", "srp_Cyrl", "eng_Latn", ""),
    ("m2m100", "sr", "__sr__", "en", ""),
    ("mbart", "hr", "hr_HR", "en_XX", ""),
    ("marian", "es", None, None, ""),
    ("marian-group", "hr", None, None, ">>hrv<< "),
    ("t5", "de", None, None, "translate English to German: "),
)


@pytest.mark.filterwarnings("ignore:.*does not end within")
@pytest.mark.parametrize(("family", "target", "first", "source", "prefix"), CASES)
@pytest.mark.parametrize(
    ("options", "settings"),
    [
        ({"no_repeat_ngram_size": 1}, {"num_beams": 1, "no_repeat_ngram_size": 1}),
        (
            {"beams": 3, "length_penalty": 0.5, "no_repeat_ngram_size": 1},
            {"num_beams": 3, "length_penalty": 0.5, "no_repeat_ngram_size": 1},
        ),
        ({"no_repeat_ngram_size": 2, "batch_tokens": 30}, {"num_beams": 1, "no_repeat_ngram_size": 2}),
    ],
)
def test_translations_are_those_of_a_plain_loop(
    folders: dict[str, Path], opened: Callable[..., Model], family: str, target: str, first: str | None,
    source: str | None, prefix: str, options: dict[str, Any], settings: dict[str, Any],
) -> None:  # fmt: skip
    found = {text: obvious(folders[family], prefix + text, first, source, **settings) for text in TEXTS}
    wanted = {text: answer for text, answer in found.items() if answer.strip()}  # no other is an answer
    assert len(wanted) >= len(TEXTS) - 1
    with opened(family, **options) as model:
        answers = model.translate(list(wanted), "en", target)
    assert list(answers) == list(wanted.values())
    assert len(set(answers)) > 1, "a model that says the same of everything tells nothing"


@pytest.mark.filterwarnings("ignore:.*does not end within")
def test_t5_matches_tags_by_their_language(opened: Callable[..., Model]) -> None:
    with opened("t5", no_repeat_ngram_size=1, truncated="keep") as model:
        assert model.translate(TEXTS[:1], "en-US", "de-AT") == model.translate(TEXTS[:1], "en", "de")


@pytest.mark.filterwarnings("ignore:.*does not end within")
@pytest.mark.parametrize("family", ["nllb", "m2m100", "mbart", "marian-group"])
def test_the_languages_are_told_to_the_model(opened: Callable[..., Model], family: str) -> None:
    with opened(family, no_repeat_ngram_size=1) as model:
        other = {"mbart": "sl", "marian-group": "sl"}.get(family, "uk")
        assert model.translate(TEXTS, "en", "hr") != model.translate(TEXTS, "en", other)
        if family != "marian-group":
            assert model.translate(TEXTS, "en", "hr") != model.translate(TEXTS, "de", "hr")


def test_a_translation_that_does_not_end_is_an_error_or_a_warning(opened: Callable[..., Model]) -> None:
    with opened("marian", truncated="error") as model, pytest.raises(AnswerError, match="max_new_tokens"):
        model.translate(TEXTS, "en", "es")
    with opened("marian") as model, pytest.warns(UserWarning, match=f"does not end within {TOKENS} tokens"):
        model.translate(TEXTS[:1], "en", "es")


def test_a_translation_that_ends_is_no_error(folders: dict[str, Path], tmp_path: Path) -> None:
    tokenizer, _ = plain(folders["marian"])
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folders["marian"])
    model.final_logits_bias[0, tokenizer.eos_token_id] = 1e4
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    with (
        Engine(cache=None).model(f"hf:{tmp_path}", max_new_tokens=1) as opened,
        pytest.raises(AnswerError, match="is blank"),  # and not that it "does not end"
    ):
        opened.translate(TEXTS[:2], "en", "es")


def test_what_is_recorded(opened: Callable[..., Model]) -> None:
    with opened("nllb", beams=2) as model:
        assert model.capabilities == {"translate"}
        facts = model.identity.facts
    assert (facts["kind"], facts["language_codes"], facts["languages"]) == ("translation", "FLORES-200", 202)
    assert (facts["num_beams"], facts["max_new_tokens"]) == (2, TOKENS)
    with opened("marian") as model:
        assert model.identity.facts["sacremoses"] in ("yes", "no")


@pytest.mark.parametrize(
    ("family", "source", "target", "reason"),
    [
        ("nllb", "en", "tlh", "does not have the language 'tlh'"),
        ("nllb", "en", "zh", "zho_Hans and zho_Hant"),
        ("nllb", "en", "sr-Latn", "it has srp_Cyrl"),
        ("m2m100", "tlh", "sr", "'tlh'"),
        ("marian", "en", "hr", "translates en to es, not en to hr"),
        ("marian", "de", "es", "translates en to es, not de to es"),
        ("marian-group", "de", "hr", "translates en to zls"),
        ("marian-group", "en", "ru", "'ru'"),
        ("t5", "en", "ru", "it has en_to_de"),
    ],
)
def test_languages_that_a_model_does_not_have(
    opened: Callable[..., Model], family: str, source: str, target: str, reason: str
) -> None:
    with opened(family) as model, pytest.raises(UnsupportedLanguageError, match=reason):
        model.translate(TEXTS, source, target)


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "blank"), ("\ud83d", "surrogate"), ("a very long text " * 40, "never truncated")],
)
def test_texts_that_a_model_cannot_take(opened: Callable[..., Model], text: str, reason: str) -> None:
    with opened("nllb") as model, pytest.raises(QuestionError, match=reason):
        model.translate([*TEXTS, text], "en", "sr")


@pytest.mark.filterwarnings("ignore:.*does not end within")
def test_prefix_and_pair(opened: Callable[..., Model], folders: dict[str, Path]) -> None:
    with opened("t5", prefix="<2ru> ") as model:
        (answer,) = model.translate(TEXTS[:1], "en", "ru")
    assert answer == obvious(folders["t5"], f"<2ru> {TEXTS[0]}", None, num_beams=1)
    with opened("marian", pair="de-fr") as model:
        assert model.translate(TEXTS[:1], "de", "fr")
        with pytest.raises(UnsupportedLanguageError, match="de to fr"):
            model.translate(TEXTS[:1], "en", "es")


def test_options_of_other_kinds_of_model_are_refused(opened: Callable[..., Model], tmp_path: Path) -> None:
    with pytest.raises(OptionsError, match="sentence"):
        opened("nllb", sentence="mean")
    folder = tiny.save_model("bert-uncased", tmp_path, 0)
    with pytest.raises(OptionsError, match="beams would mean nothing"):
        Engine(cache=None).model(f"hf:{folder}", beams=2)


def test_a_translation_model_answers_nothing_else(opened: Callable[..., Model]) -> None:
    with opened("nllb") as model, pytest.raises(CapabilityError, match="cannot embed"):
        model.embed(["Hello."])


@pytest.mark.filterwarnings("ignore:.*does not end within")
def test_nllb_by_folder_and_not_for_others(opened: Callable[..., Model], folders: dict[str, Path]) -> None:
    with opened("nllb", "nllb") as model, opened("nllb") as same:
        assert model.translate(TEXTS, "en", "be") == same.translate(TEXTS, "en", "be")
    with pytest.raises(ModelLoadError, match="no NLLB model"):
        opened("m2m100", "nllb")


def test_nllb_by_size_is_the_published_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelLoadError, match=r"hf:facebook/nllb-200-3\.3B@abc"):
        Engine(cache=None).model("nllb:3.3B@abc")


def test_the_generation_settings_are_part_of_the_identity(
    opened: Callable[..., Model], folders: dict[str, Path]
) -> None:
    file = folders["m2m100"] / "generation_config.json"
    before = file.read_text()
    with opened("m2m100") as model:
        digest = model.identity.digest
    file.write_text(json.dumps({**json.loads(before), "num_beams": 4}))
    with opened("m2m100") as model:
        assert model.identity.digest != digest
        assert model.identity.facts["num_beams"] == 4
    file.write_text(before)


def test_memory_that_does_not_suffice_is_halved(
    opened: Callable[..., Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    generate = TranslationBackend._generate

    def only_two(self: Any, texts: Any, ids: Any, direction: Any) -> list[str]:
        if len(texts) > 2:
            raise torch.cuda.OutOfMemoryError
        return generate(self, texts, ids, direction)

    with opened("marian") as model, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = model.translate(TEXTS, "en", "es")
        monkeypatch.setattr(TranslationBackend, "_generate", only_two)
        assert model.translate(TEXTS, "en", "es") == whole


FLORES = ["eng_Latn", "srp_Cyrl", "zho_Hans", "zho_Hant", "arb_Arab", "lvs_Latn", "ast_Latn", "por_Latn"]


@pytest.mark.parametrize(
    ("tag", "codes", "code"),
    [
        ("sr", FLORES, "srp_Cyrl"),
        ("sr-Cyrl-RS", FLORES, "srp_Cyrl"),
        ("srp_Cyrl", FLORES, "srp_Cyrl"),
        ("zh-Hant", FLORES, "zho_Hant"),
        ("ar", FLORES, "arb_Arab"),
        ("lv", FLORES, "lvs_Latn"),
        ("ast", FLORES, "ast_Latn"),
        ("pt-BR", FLORES, "por_Latn"),
        ("en-GB", ["en_XX", "hr_HR"], "en_XX"),
        ("hr", ["en_XX", "hr_HR"], "hr_HR"),
        ("SR", ["sr", "hr"], "sr"),
        ("hr", ["hrv", "srp_Cyrl", "srp_Latn"], "hrv"),
        ("sr-Latn", ["hrv", "srp_Cyrl", "srp_Latn"], "srp_Latn"),
    ],
)
def test_tags_in_the_codes_of_models(tag: str, codes: list[str], code: str) -> None:
    assert find_code(tag, codes, "model") == code


def test_codes_are_read_off_the_vocabulary() -> None:
    assert language_codes(["the", "__en__", "__sr__", "it_IT"]) == {"en": "__en__", "sr": "__sr__"}
    assert language_codes(["srp_Cyrl", "eng_Latn"]) == {"srp_Cyrl": "srp_Cyrl", "eng_Latn": "eng_Latn"}
    assert language_codes([">>hrv<<", "▁>>"]) == {"hrv": ">>hrv<<"}
    assert language_codes(["the"]) == {}
