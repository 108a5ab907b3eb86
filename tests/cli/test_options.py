"""One flag for options: of the metric, of the model (model.KEY) and of the data (data.KEY)."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from biascore.cli.app import app
from biascore.cli.options import Given
from biascore.errors import OptionsError


def test_one_flag_gives_options_of_metric_model_and_data() -> None:
    given = Given.of(["ddof=0", "model.dtype=bfloat16", "data.columns={a='b.c'}", "name=model.x"])
    assert given.own == {"ddof": 0, "name": "model.x"}
    assert given.model == {"dtype": "bfloat16"}
    assert given.data == {"columns": {"a": "b.c"}}


def test_an_option_is_given_once() -> None:
    with pytest.raises(OptionsError, match="'a' is given twice"):
        Given.of(["model.a=1", "model.a=2"])


@pytest.mark.parametrize(
    ("option", "of"), [("a=1", ["model"]), ("data.a=1", ["model"]), ("model.a=1", ["", "data"])]
)
def test_an_option_of_what_is_not_used_is_refused(option: str, of: list[str]) -> None:
    with pytest.raises(OptionsError, match=f"-o {option} .* Write -o "):
        Given.of([option], of=of)


def test_an_option_of_the_model_or_the_data_that_is_given_to_the_metric_says_how_it_is_given(
    tmp_path: Path,
) -> None:
    told = CliRunner().invoke(app, ["measure", "weat", "planted:gender=1", "en/weat6", "-o", "seed=1"])
    assert "-o model.seed=" in str(told.exception)
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("sent_more,sent_less,stereo_antistereo,bias_type\na b,a c,stereo,gender\n")
    data = ["--data", f"crows-pairs:{pairs}", "--language", "en"]
    told = CliRunner().invoke(
        app, ["measure", "crows-pairs", "planted:gender=1", *data, "-o", "encoding=cp1252"]
    )
    assert "-o data.encoding=" in str(told.exception)
    told = CliRunner().invoke(app, ["measure", "weat", "planted:gender=1", "en/weat6", "-o", "nonsense=1"])
    assert "Its options, with defaults: alpha" in str(told.exception)
