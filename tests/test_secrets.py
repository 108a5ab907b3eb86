"""A canary in every variable of a key: no command shows, writes or logs it, whatever servers and plugins repeat.

A leak is nine characters of a key in a row, as they stand or in an encoding that servers answer with: fewer tell nobody a
key, and services show a few themselves (their last four) to say which key they mean.
"""

from __future__ import annotations

import base64
import html
import io
import json
import logging
import os
import re
import sys
import traceback
import warnings
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest

pytest.importorskip("openai", reason="needs biascore[openai]")
pytest.importorskip("requests", reason="needs biascore[mt]")
pytest.importorskip("deepl", reason="needs biascore[mt]")
pytest.importorskip("boto3", reason="needs biascore[mt]")

from biascore import Engine
from biascore.basics.keys import HUB_TOKENS
from biascore.cli import main
from biascore.errors import BiascoreError, PluginFailedError
from biascore.models.pipeline import calling
from biascore.plugins.loading import Plugins

from .adapters.mt import apis
from .adapters.mt.server import Request, Server
from .adapters.openai.server import MODEL, ChatServer
from .builders.few_tests import FEW

PIECE = 9
SERVICES: dict[str, tuple[Callable[[], Any], str]] = {
    "amazon-translate": (apis.AmazonApi, "AWS_ACCESS_KEY_ID"),
    "deepl": (apis.DeepLApi, "DEEPL_AUTH_KEY"),
    "google-translate": (apis.GoogleApi, "GOOGLE_API_KEY"),
    "libretranslate": (apis.LibreTranslateApi, "LIBRETRANSLATE_API_KEY"),
}
"""A question to each service says what many do."""


def encodings(text: str) -> list[str]:
    """A text as servers write it in errors, links and headers."""
    raw = text.encode()
    return [
        text,
        quote(text, safe=""),
        quote(quote(text, safe="")),
        "".join(f"\\u{ord(char):04x}" for char in text),
        "".join(f"&#{ord(char)};" for char in text),
        json.dumps(text).replace("/", "\\/")[1:-1],
        raw.hex(),
        *(base64.b64encode(b"x" * before + raw + b"tail").decode() for before in range(3)),
        base64.urlsafe_b64encode(b"user:" + raw).decode(),
    ]


def leaks(text: str, keys: Mapping[str, str]) -> set[str]:
    """The variables of which a text shows nine characters."""
    text = "\n".join(dict.fromkeys(text.split("\n")))  # libraries log the same again and again
    unescaped = re.sub(r"\\u([0-9a-f]{4})", lambda m: chr(int(m[1], 16)), text).replace("\\/", "/")
    views = {one.lower() for one in (text, unquote(unquote(text)), html.unescape(text), unescaped)}
    pieces = {}
    for name, key in keys.items():
        raw = key.encode()
        forms = [key.lower(), raw.hex()]
        # Of each alignment of base64, what does not depend on the bytes around.
        forms += [base64.b64encode(b"x" * n + raw).decode()[2 + 2 * bool(n) : -4].lower() for n in range(3)]
        pieces |= {form[i : i + PIECE]: name for form in forms for i in range(len(form) - PIECE + 1)}
    return {
        pieces[piece]
        for view in views
        for i in range(len(view) - PIECE + 1)
        if (piece := view[i : i + PIECE]) in pieces
    }


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Another canary in each variable that an adapter declares."""
    names = {name for kind in Plugins().adapters.items() for name in kind().key_variables} | {*HUB_TOKENS}
    made = {
        name: f"{n}k7Qz{n * 7919:05d}/w+R{n * 104729 % 99991:05d}=vX{n}jP"
        for n, name in enumerate(sorted(names), 11)
    }
    for name, key in made.items():
        monkeypatch.setenv(name, key)
    for name in (
        "HTTP_PROXY",
        "http_proxy",
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
        "AWS_PROFILE",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    monkeypatch.setenv("BIASCORE_DEBUG", "1")
    monkeypatch.setattr(
        calling.Caller, "_wait", lambda _self, _error, attempt, _waited: 0.0 if attempt < 5 else None
    )
    return made


def test_every_variable_of_a_key_is_known(keys: dict[str, str]) -> None:
    assert {variable for _, variable in SERVICES.values()} <= keys.keys()
    assert {"OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "HF_TOKEN"} <= keys.keys()


def test_a_leak_is_seen_in_each_encoding(keys: dict[str, str]) -> None:
    for name, key in keys.items():
        for said in encodings(key):
            assert name in leaks(f"refused: {said}!", keys), said
        assert leaks(f"refused: {key[:8]}...{key[-4:]}", keys) == set()


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What all libraries log at DEBUG."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield written
    root.removeHandler(handler)
    root.setLevel(before)


class Servers:
    """A server for each service, which accepts its own canary, and repeats all that it was sent where it is told to fail."""

    def __init__(self, keys: Mapping[str, str]) -> None:
        self.keys = keys
        self.chat = ChatServer()
        self.mt = {name: Server(self._api(name)) for name in SERVICES}

    def _api(self, name: str) -> Any:
        make, variable = SERVICES[name]
        api = make()
        plain, plain_error = api.answer, api.error
        last: list[Request] = []

        def answer(request: Request, *, lose: int) -> Any:
            last[:] = [request]
            apis.KEY = self.keys[variable]
            return plain(request, lose=lose)

        def error(status: int) -> Any:
            said = json.dumps(" and ".join(self.repeated(name)))
            return json.loads(
                re.sub(rf'"error( {status})?"(?!:)', lambda _: said, json.dumps(plain_error(status)))
            )

        api.answer, api.error = answer, error
        return api

    def repeated(self, name: str) -> list[str]:
        """What a server that was sent the keys of a service may repeat, all that its requests held included."""
        variables = [one for one in self.keys if one.startswith("AWS_")] if name.startswith("amazon") else []
        own = [
            self.keys[one]
            for one in variables or [SERVICES[name][1] if name in SERVICES else "OPENAI_API_KEY"]
        ]
        return [said for key in own for said in encodings(key)]

    def fail(self, status: int) -> None:
        """All fail with this status from now on, and repeat the keys in body, header and (of a redirect) address."""
        for name, server in self.mt.items():
            own = self.keys[SERVICES[name][1]]
            away = {"Location": f"http://127.0.0.1:9/?key={quote(own)}&again={own}"} if status < 400 else {}
            server.faults.extend([(status, {"X-Repeated": own, **away})] * 1000)
        own = self.keys["OPENAI_API_KEY"]
        said = {"error": {"message": " and ".join(self.repeated("openai")), "code": own}}
        headers = {"X-Repeated": own, "Location": f"http://127.0.0.1:9/?key={own}"}
        self.chat.faults.extend([lambda _: (status, headers, said)] * 1000)

    def work(self) -> None:
        for server in self.mt.values():
            server.faults.clear()
        self.chat.faults.clear()

    def audit(self) -> str:
        """An audit of a model of each service, and of one without a key, which is measured whatever they do."""

        def model(ref: str, name: str, **options: str) -> str:
            given = ", ".join(f'{key} = "{value}"' for key, value in options.items())
            return f'[[models]]\nref = "{ref}"\nname = "{name}"\noptions = {{ {given} }}'

        def measurement(metric: str, test: str, models: Collection[str], options: str) -> str:
            first = (
                f'[[measurements]]\nmetric = "{metric}"\ntests = ["{test}"]\nmodels = {json.dumps([*models])}'
            )
            return f"{first}\noptions = {{ {options} }}"

        urls = {name: server.url for name, server in self.mt.items()}
        libre = urls.pop("libretranslate")
        rows = [
            'stimuli = ["few"]',
            model("planted:gender=1.5", "planted"),
            model(f"openai:{MODEL}", "chat", base_url=self.chat.url),
            model(f"libretranslate:{libre}", "libretranslate"),
            *(model(f"{name}:", name, server=url) for name, url in urls.items()),
            measurement("weat", "en/weat6", ["planted"], "resamples = 100"),
            measurement("bbq", "en/questions", ["chat"], 'way = "text"'),
            measurement("gest-mt", "en/samples", SERVICES, 'target = "es"'),
        ]
        return "\n".join(rows) + "\n"

    def close(self) -> None:
        self.chat.close()
        for server in self.mt.values():
            server.close()


@pytest.fixture
def servers(keys: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Servers]:
    monkeypatch.setattr(apis, "KEY", "")
    made = Servers(keys)
    yield made
    made.close()


def command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str
) -> tuple[int, str]:
    """The exit code of a command, and all that it prints."""
    monkeypatch.setattr(sys, "argv", ["biascore", *arguments])
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
    shown = capsys.readouterr()
    return code, shown.out + shown.err


def written(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file under a folder by its name, and the members of archives, as text of whatever bytes they hold."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        yield str(path.relative_to(folder)), path.read_bytes().decode("latin-1")
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for name in archive.namelist():
                    yield f"{path.name}/{name}", archive.read(name).decode("latin-1")


@pytest.mark.parametrize("service", [*SERVICES, "openai"])
def test_no_error_holds_a_key_in_the_variables_of_its_frames(
    keys: dict[str, str], servers: Servers, service: str
) -> None:
    """As notebooks show them, and pytest with -l: the frames that are left have none."""
    engine = Engine(cache=None)
    if service == "openai":
        model = engine.model(f"openai:{MODEL}", base_url=servers.chat.url)
    elif service == "libretranslate":
        model = engine.model(f"{service}:{servers.mt[service].url}")
    else:
        model = engine.model(f"{service}:", server=servers.mt[service].url)
    assert leaks(f"{model!r} {model.source!r} {vars(model)!r} {vars(model._backend)!r}", keys) == set()
    for status in (302, 401, 500):
        servers.fail(status)
        with pytest.raises(BiascoreError) as caught:
            model.translate(["Hello."], "en", "es")
        told = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
        inside = [one.locals for one in told.stack if one.filename != __file__]
        assert inside
        assert leaks(str(inside), keys) == set()
        servers.work()
    model.close()


def test_a_plugin_that_shows_the_environment_shows_no_key(
    keys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the plugin is: the keys of all adapters are hidden, not those of its own."""

    def fails(*_: Any) -> Any:
        raise RuntimeError("environment: " + " ".join(f"{name}={os.environ[name]}" for name in keys))

    engine = Engine(cache=None)
    weat = engine.plugins.metrics.get("weat")
    monkeypatch.setattr(weat, "measure", fails)
    with pytest.raises(PluginFailedError, match="environment") as caught:
        engine.measure("weat", "planted:gender=1", "en/weat6")
    told = f"{caught.value} {caught.value.trace} {''.join(traceback.format_exception(caught.value))}"
    assert leaks(told, keys) == set()
    assert "[OPENAI_API_KEY]" in told


def test_what_libraries_log_holds_no_key(keys: dict[str, str], log: io.StringIO) -> None:
    Engine(cache=None).model("planted:gender=1").close()
    own = logging.getLogger("some.client")
    key = keys["OPENAI_API_KEY"]
    own.debug("sent %s with %r", "headers", {"authorization": f"Bearer {key}"})
    own.debug("%d", key)  # logging itself tells that this does not fit, and shows both
    try:
        raise ValueError(f"refused {key}")
    except ValueError:
        own.exception("failed")
    own.info("plain %s", "words")
    assert leaks(log.getvalue(), keys) == set()
    assert "plain words" in log.getvalue()
    assert "ValueError: refused [OPENAI_API_KEY]" in log.getvalue()


@pytest.mark.slow
def test_no_command_shows_writes_or_logs_a_key(
    keys: dict[str, str],
    servers: Servers,
    log: io.StringIO,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("BIASCORE_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "audit.toml").write_text(servers.audit())
    (tmp_path / "few" / "en").mkdir(parents=True)
    (tmp_path / "few" / "en" / "few.toml").write_text(FEW)
    shown: dict[str, str] = {}
    codes: dict[str, int] = {}

    def run(name: str, *arguments: str) -> None:
        codes[name], shown[name] = command(capsys, monkeypatch, *arguments)

    run("plan", "plan", "audit.toml")
    for status in (302, 401, 500):
        servers.fail(status)
        run(f"status {status}", "run", "audit.toml", "--out", f"run{status}", "--verbose")
        servers.work()
        told = [name for name in keys if f"[{name}]" in shown[f"status {status}"]]
        assert len(told) >= (4 if status > 400 else 2), told  # that servers repeat keys is no empty claim
    run("run", "run", "audit.toml", "--out", "run", "--report", "page.html", "--verbose")
    run("again", "run", "audit.toml", "--out", "run2")
    for form, name in {
        "html": "r.html", "md": "r.md", "csv": "r.csv", "json": "r.json", "junit": "r.xml",
        "model-card": "card", "every-eval-ever": "eee", "cyclonedx": "software.cdx.json",
    }.items():  # fmt: skip
        run(form, "report", "run", "--format", form, "--out", name)
    run("compare", "compare", "run401", "run", "--report", "compared.html")
    run("bundle", "bundle", "run", "--out", "bundle.zip")
    run("bundle of a failed run", "bundle", "run401", "--out", "failed.zip")
    run("verify", "verify", "bundle.zip", "--models")
    run("gate", "gate", "run401", "--gate", "en/*:fail_on=detected")
    run("doctor", "doctor", "--json")
    for words in ("plugins", "list adapters", "list tests", "cache info", "show gest-mt", "--version"):
        run(words, *words.split())
    servers.fail(401)
    server = f"model.base_url={servers.chat.url}"
    asked = ["bbq", "--model", f"openai:{MODEL}", "--tests", "en/questions", "-o", "way=text", "-o", server]
    asked += ["--stimuli", "few"]
    run("measure", "measure", *asked, "--no-cache", "--json")
    run("audit", "audit", f"openai:{MODEL}", "-o", server, "--quick", "--out", "audited")
    servers.work()
    servers.chat.says = {"": keys["OPENAI_API_KEY"]}
    run("answers with the key", "measure", *asked, "--no-cache")
    assert "repeats the key in OPENAI_API_KEY" in shown["answers with the key"]
    assert {name: leaks(text, keys) for name, text in shown.items() if leaks(text, keys)} == {}
    assert {name: leaks(text, keys) for name, text in written(tmp_path) if leaks(text, keys)} == {}
    assert leaks(log.getvalue(), keys) == set()
    worked = {
        name for name, code in codes.items() if code in (0, 5)
    }  # 5: these servers say nothing that can be measured
    assert {
        "plan",
        "run",
        "again",
        "html",
        "junit",
        "json",
        "bundle",
        "verify",
        "doctor",
        "compare",
    } <= worked, codes
