"""Keys are taken out of whatever an adapter raises, in the encodings that servers repeat them in."""

from __future__ import annotations

import base64
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from pydantic import TypeAdapter, ValidationError

from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.basics.guard import guarded
from biascore.basics.keys import hide, repeats
from biascore.errors import AnswerError, At, Owner, PluginFailedError, QuestionError
from biascore.models.pipeline.cache import DiskCache
from biascore.models.pipeline.source import Services

from ..builders.models import model_of

KEY = "sk-Live_9f8A7c6B5d4E/x+Z="
NAMES = ("ACME_KEY",)
AT = At(Owner("acme"), "checking", "checking acme:x")


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_KEY", KEY)


@pytest.mark.parametrize(
    "said",
    [
        KEY,
        quote(KEY, safe=""),
        quote(quote(KEY, safe=""), safe=""),
        "".join(f"%{ord(char):02x}" for char in KEY),
        "".join(f"\\u{ord(char):04x}" for char in KEY),
        "".join(f"\\x{ord(char):02X}" for char in KEY),
        "".join(f"&#x{ord(char):x};" for char in KEY),
        KEY.replace("/", "\\/"),
        KEY.swapcase(),
        " ".join(KEY),
        "\u200b".join(KEY),
        f"{KEY[:12]}\n{KEY[12:]}",
        '" "'.join(KEY),
        f"{KEY[:12]}{'.' * 40}",
        f"{'.' * 40}{KEY[-12:]}",
        KEY.encode().hex(),
        *(base64.b64encode(b"x" * n + KEY.encode() + b"tail").decode() for n in range(3)),
        base64.urlsafe_b64encode(f"user:{KEY}".encode()).decode(),
    ],
)
def test_a_key_is_hidden_however_it_is_written(said: str) -> None:
    text = hide(f"refused: key={said}; try again", NAMES)
    assert text.startswith("refused: key=")
    assert text.endswith("; try again")
    assert "[ACME_KEY]" in text
    shown = text.replace("[ACME_KEY]", "").removeprefix("refused: key=").removesuffix("; try again")
    assert len(shown) < max(len(said) - 8, 9)


def test_what_is_no_key_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "status 400: 'A%20b' \\u00e9 &amp; sk-Live — שלום \ud800"
    assert hide(text, NAMES) == text
    for no_key in ("", "abc"):
        monkeypatch.setenv("ACME_KEY", no_key)
        assert hide("abc and more", NAMES) == "abc and more"
    monkeypatch.delenv("ACME_KEY")
    assert hide(KEY, NAMES) == KEY


class Own(Exception):
    """Keeps what it says in an attribute of its own."""

    def __init__(self, said: str) -> None:
        super().__init__()
        self.parts = (said,)

    def __str__(self) -> str:
        return self.parts[0]


def oserror() -> Exception:
    return OSError(5, f"no {KEY}", f"/tmp/{KEY}")


def validation() -> Exception:
    try:
        TypeAdapter(int).validate_python(KEY)
    except ValidationError as error:
        return error
    raise AssertionError


@pytest.mark.parametrize(
    "make",
    [lambda: QuestionError(f"no {KEY}"), lambda: KeyError(KEY), lambda: Own(KEY), oserror, validation],
    ids=["biascore", "KeyError", "own", "OSError", "pydantic"],
)
@pytest.mark.parametrize("place", ["raised", "cause", "context", "group", "note"])
def test_no_exception_holds_it(make: Callable[[], Exception], place: str) -> None:
    def fail() -> None:
        if place == "raised":
            raise make()
        if place == "cause":
            raise ValueError("outer") from make()
        if place == "group":
            raise ExceptionGroup("several", [make(), ValueError("other")])
        if place == "note":
            error = ValueError("outer")
            error.add_note(str(make()))
            raise error
        try:
            raise make()
        finally:
            raise ValueError("outer")

    with pytest.raises(Exception) as caught:  # noqa: PT011  (of any class)
        guarded(AT, fail, keys=NAMES)
    seen = list(chain(caught.value))
    assert all(KEY not in str(error) + repr(error.args) for error in seen)
    assert KEY not in "".join(traceback.format_exception(caught.value))


def chain(error: BaseException | None) -> Iterator[BaseException]:
    if error is not None:
        yield error
        inside = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
        for one in (error.__cause__, error.__context__, *inside):
            yield from chain(one)


def test_an_exception_without_a_key_is_the_very_same() -> None:
    error = QuestionError("no")

    def fail() -> None:
        raise error

    with pytest.raises(QuestionError) as caught:
        guarded(AT, fail, keys=NAMES)
    assert caught.value is error


class Repeats(Backend):
    """Answers with its key."""

    identity = Identity("test:repeats")

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> tuple[str, ...]:
        return tuple(f"{text} {KEY}" if text == "b" else text for text in texts)


class Raises(Backend):
    """Ends in an error of its own code that shows the key."""

    identity = Identity("test:raises")

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> tuple[str, ...]:
        raise ValueError(f"refused {texts} with {KEY}")


def test_a_failure_of_a_plugin_and_its_trace_hold_no_key() -> None:
    with pytest.raises(PluginFailedError, match=r"\[ACME_KEY\]") as caught:
        model_of(Raises(), name="acme", key_variables=NAMES).translate("abc", "en", "it")
    assert "ValueError" in caught.value.trace
    assert KEY not in caught.value.trace + "".join(traceback.format_exception(caught.value))


def test_an_answer_that_repeats_the_key_is_not_kept(tmp_path: Path) -> None:
    assert repeats(f"a {quote(KEY)}", NAMES) == "ACME_KEY"
    assert repeats(KEY[:10], NAMES) == ""
    cache = DiskCache(tmp_path)
    model = model_of(Repeats(), Services(cache=cache), name="acme", key_variables=NAMES)
    with pytest.raises(AnswerError, match="the answer to 'b' repeats the key in ACME_KEY"):
        model.translate("abc", "en", "it")
    assert cache.info().answers == 0
