"""Whatever long value or list a file holds, its message is short, names the input and ends with what to do."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from biascore import Engine
from biascore.errors import MAX_MESSAGE, BiascoreError, StimuliError

LONG = "a b " * 35_000
AUDIT = """title = "x"
[[models]]
ref = "planted:gender=1"
[[measurements]]
metric = "weat"
tests = ["en/weat6"]
"""
MANY = "".join(f'[[models]]\nref = "planted:gender=1"\nname = "{i} {LONG[:100]}"\n' for i in range(100))


@pytest.mark.parametrize(
    "text",
    [
        f'"{LONG}" = 1\n{AUDIT}',
        AUDIT.replace("weat6", LONG),
        AUDIT.replace("gender=1", LONG),
        f'{AUDIT}options = {{ "{LONG}" = 1 }}\n',
        f'{AUDIT}[[gates]]\nname = "{LONG}"\nmeasurements = ["zz"]\nfail_on = "detected"\n',
        f'{AUDIT}models = ["planted:gender=1"]\n{MANY}',
    ],
    ids=["key", "test", "reference", "option", "gate", "models"],
)
def test_messages_of_an_audit_are_short(text: str, tmp_path: Path) -> None:
    path = tmp_path / "audit.toml"
    path.write_text(text)
    with pytest.raises(BiascoreError) as caught:
        Engine(cache=None).plan(path)
    assert len(str(caught.value)) <= MAX_MESSAGE
    assert "characters in all" in str(caught.value)


def test_the_input_and_the_next_step_stay() -> None:
    error = StimuliError(f"mine.toml: {LONG}. Correct the file")
    assert str(error).startswith("mine.toml")
    assert str(error).endswith("Correct the file")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert str(StimuliError("a" * MAX_MESSAGE)) == "a" * MAX_MESSAGE
