"""No message of a service holds a key, whatever its server repeats; nor does a key travel readably without a word."""

from __future__ import annotations

import json
import re
import traceback
import warnings
from urllib.parse import quote

import pytest

from biascore.api.adapters import ModelRef
from biascore.basics.keys import KeyWarning
from biascore.errors import AnswerError, BiascoreError
from biascore_adapters.mt.adapters import ADAPTERS

from .conftest import CONTEXT, Opener

LONG = "k3y/Zq+9wT-77:fx=Rv2&xB"
REPEATED = " and ".join(
    [
        LONG,
        quote(LONG, safe=""),
        quote(LONG.replace("/", "%2F")),
        "".join(f"\\u{ord(char):04x}" for char in LONG),
        "".join(f"&#{ord(char)};" for char in LONG),
        json.dumps(LONG).replace("/", "\\/"),
        "\n".join(LONG),
        LONG.upper(),
        f"{LONG[:12]} {'.' * 250}",
    ]
)


@pytest.fixture
def keyed(service: Opener, monkeypatch: pytest.MonkeyPatch) -> Opener:
    """A service whose server repeats the key in every error."""
    for adapter in ADAPTERS:
        for name in adapter().key_variables:
            monkeypatch.setenv(name, LONG)
    plain = service.server.api.error

    def error(status: int) -> object:
        return json.loads(json.dumps(plain(status)).replace(f"error {status}", json.dumps(REPEATED)[1:-1]))

    service.server.api.error = error
    return service


def shows_key(text: str) -> bool:
    """Whether anyone could read 10 characters of it, with what splits them taken out."""
    plain = re.sub(r"[\s\\\"']", "", text).lower()
    return any(LONG.lower()[start : start + 10] in plain for start in range(len(LONG) - 9))


@pytest.mark.parametrize("status", [400, 401, 404, 418, 429, 456, 500])
def test_a_key_that_a_server_repeats_is_not_shown(keyed: Opener, status: int) -> None:
    if keyed.id == "apertium":
        pytest.skip("takes no key")
    keyed.server.faults.append((status, {}))
    with pytest.raises(BiascoreError) as caught:
        keyed(attempts=1).translate(["Hello."], "en", "es")
    whole = "".join(traceback.format_exception(caught.value))
    assert not shows_key(whole)
    assert "".join(f"\\u{ord(char):04x}" for char in LONG[:8]) not in whole
    assert "".join(f"&#{ord(char)};" for char in LONG[:8]) not in whole


def test_a_key_in_the_address_that_a_server_sends_on_to(keyed: Opener) -> None:
    if keyed.id == "apertium":
        pytest.skip("takes no key")
    for status in (301, 307):
        keyed.server.faults.append(
            (status, {"Location": f"http://127.0.0.1:9/?key={quote(LONG)}&again={LONG}"})
        )
        with pytest.raises(AnswerError) as caught:
            keyed(attempts=1).translate(["Hello."], "en", "es")
        assert not shows_key("".join(traceback.format_exception(caught.value)))
        assert "%3Afx" not in str(caught.value)


@pytest.mark.parametrize("adapter", [one for one in ADAPTERS if one().sent_env_vars], ids=lambda one: one.id)
def test_a_key_that_others_could_read_is_told(
    adapter: type, start: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = adapter()
    (variable,) = one.sent_env_vars
    monkeypatch.setenv(variable, LONG)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)

    def check(server: str) -> None:
        named = "server" in one.option_type.model_fields
        ref = ModelRef(one.id, "" if named else server)
        one.check(ref, one.option_type(**({"server": server} if named else {})), CONTEXT)

    with pytest.warns(KeyWarning, match=rf"{variable} goes to example.org:8000 over plain http") as told:
        check("http://example.org:8000/api")
    assert not shows_key(str(told[0].message))
    for unread in (
        "https://example.org",
        "http://localhost:5000",
        "http://127.0.0.1:5000",
        "http://[::1]:5000",
    ):
        check(unread)
    monkeypatch.setenv("http_proxy", "http://me:secret@proxy.example:3128")
    with pytest.warns(KeyWarning, match=r"by the proxy 'proxy\.example' \(HTTP_PROXY or ALL_PROXY\)"):
        check("http://localhost:5000")
    monkeypatch.delenv("http_proxy")
    monkeypatch.setenv("all_proxy", "http://another.example:3128")
    with pytest.warns(KeyWarning, match=r"by the proxy 'another\.example'"):
        check("http://localhost:5000")
    monkeypatch.setenv("no_proxy", "localhost")
    check("http://localhost:5000")
    monkeypatch.delenv(variable)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if one.id == "libretranslate":
            check("http://example.org")
