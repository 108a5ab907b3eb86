"""One way to give answers: what a table holds says what it answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from biascore import Engine
from biascore.errors import CapabilityError, ModelLoadError, OptionsError, UnsupportedLanguageError

SCORES = "{text},joy,anger\nHe is here.,0.5,0.25\nShe is here.,0.75,0.5\n"
TRANSLATIONS = "{text},translation\nI am.,Som.\nHe is.,On je.\n"


def saved(folder: Path, content: str) -> Path:
    path = folder / "answers.csv"
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize("text", ["sentence", "text"])
def test_a_table_with_a_column_of_translations_translates_and_any_other_scores(
    tmp_path: Path, text: str, engine: Engine
) -> None:
    scores = engine.model(f"answers:{saved(tmp_path, SCORES.format(text=text))}")
    assert (scores.capabilities, scores.identity.quantities) == ({"score"}, ("joy", "anger"))
    assert scores.score(["She is here."], "joy") == [0.75]
    translated = engine.model(f"answers:{saved(tmp_path, TRANSLATIONS.format(text=text))}", language="sk")
    assert translated.capabilities == {"translate"}
    assert translated.translate(["I am."], "en", "sk") == ("Som.",)


def test_what_is_not_clear_is_asked_for(tmp_path: Path, engine: Engine) -> None:
    both = saved(tmp_path, "sentence,text,x\na,b,1\n")
    with pytest.raises(OptionsError, match=r"'sentence', 'text'.*option text"):
        engine.model(f"answers:{both}")
    assert engine.model(f"answers:{both}", text="text").score(["b"], "x") == [1.0]
    neither = saved(tmp_path, "quote,x\na,1\n")
    with pytest.raises(ModelLoadError, match=r"no column 'sentence'; its columns are: 'quote', 'x'.*text"):
        engine.model(f"answers:{neither}")
    unstated = engine.model(f"answers:{saved(tmp_path, TRANSLATIONS.format(text='text'))}")
    assert unstated.translate(["I am."], "en", "sk") == ("Som.",)  # taken for what is asked for
    with pytest.raises(UnsupportedLanguageError, match=r"does not name the language .* sk and cs"):
        unstated.translate(["I am."], "en", "cs")
    with pytest.raises(ModelLoadError, match=r"no column of numbers .*translation"):
        engine.model(f"answers:{saved(tmp_path, 'sentence,output' + chr(10) + 'a,b' + chr(10))}")
    with pytest.raises(ModelLoadError, match="no column 'translation'"):
        engine.model(f"answers:{saved(tmp_path, SCORES.format(text='text'))}", language="sk")


def test_rows_of_one_system_are_kept_of_scores_too(tmp_path: Path, engine: Engine) -> None:
    path = saved(tmp_path, "system,sentence,joy\none,a,0.5\ntwo,a,0.25\n")
    for system, score in (("one", 0.5), ("two", 0.25)):
        assert engine.model(f"answers:{path}", only={"system": system}).score(["a"], "joy") == [score]
    with pytest.raises(ModelLoadError, match=r"no row with system = 'three'.*only"):
        engine.model(f"answers:{path}", only={"system": "three"})


def test_a_metric_of_scores_says_what_a_table_of_translations_can(tmp_path: Path, engine: Engine) -> None:
    model = engine.model(f"answers:{saved(tmp_path, TRANSLATIONS.format(text='text'))}", language="sk")
    with pytest.raises(CapabilityError, match=r"needs a model that can score, and answers:.* can translate"):
        engine.measure("eec", model, "en/eec")
