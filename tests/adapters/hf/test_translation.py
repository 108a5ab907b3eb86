"""Translation models: tiny random ones of each family, beside a plain loop over transformers' own generate."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("sentencepiece")

from biascore import Engine  # noqa: E402
from biascore.api.adapters import Model  # noqa: E402
from biascore.errors import (  # noqa: E402
    AnswerError,
    CapabilityError,
    ModelLoadError,
    OptionsError,
    QuestionError,
    UnsupportedLanguageError,
)
from biascore_adapters.hf.languages import find_code, language_codes  # noqa: E402
from biascore_adapters.hf.translation import TranslationBackend  # noqa: E402

from ...builders import tiny  # noqa: E402
from . import translators  # noqa: E402
from .translators import FAMILIES, TEXTS  # noqa: E402

TOKENS = 12


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder with a random model of each family and its tokenizer."""
    root = tmp_path_factory.mktemp("translation")
    for seed, family in enumerate(FAMILIES, 11):
        translators.save(family, root / family, seed)
    return {family: root / family for family in FAMILIES}


@pytest.fixture
def opened(folders: dict[str, Path], engine: Engine) -> Callable[..., Model]:
    def open_model(family: str, adapter: str = "hf", **options: Any) -> Model:
        chosen = {"truncated": "keep", "max_new_tokens": TOKENS, "device": "cpu", **options}
        return engine.model(f"{adapter}:{folders[family]}", **chosen)

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
WAYS: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    ({"no_repeat_ngram_size": 1}, {"num_beams": 1, "no_repeat_ngram_size": 1}),
    (
        {"beams": 3, "length_penalty": 0.5, "no_repeat_ngram_size": 1},
        {"num_beams": 3, "length_penalty": 0.5, "no_repeat_ngram_size": 1},
    ),
    ({"no_repeat_ngram_size": 2, "batch_tokens": 30}, {"num_beams": 1, "no_repeat_ngram_size": 2}),
)


@pytest.mark.filterwarnings("ignore:.*does not end within")
@pytest.mark.parametrize(
    ("case", "way"),
    [
        # Each family in one way and the first in all; the others are slow.
        pytest.param(case, way, marks=[pytest.mark.slow] if place and way != place % 3 else [])
        for place, case in enumerate(CASES)
        for way in range(3)
    ],
)
def test_translations_are_those_of_a_plain_loop(
    folders: dict[str, Path], opened: Callable[..., Model], case: tuple[Any, ...], way: int
) -> None:
    (family, target, first, source, prefix), (options, settings) = case, WAYS[way]
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
    with pytest.raises(OptionsError, match="no causal language model, so that system_prompt"):
        opened("nllb", system_prompt="Be brief.")
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
