"""Each clause of each contract fails on a plugin as ``biascore plugin new`` writes it, broken in one place."""

# ruff: noqa: E501  (what is broken is a line each)
from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from biascore.errors import RateLimitError
from biascore.scaffold.new import KINDS, new_plugin
from biascore.testing import CLAUSES, NotAskedError

from ..builders.plugin_dists import entry_points_of

MODULE = "biascore_plugin_own_one"
PLUGINS = "adapter-planted, metric-weat, kinds, wordlists-en, biascore-plugin-own-one"


class Break(NamedTuple):
    """``old`` becomes ``new`` in a file of the plugin; ``given`` changes what its own test gives the contract."""

    file: str
    old: str
    new: str
    given: Mapping[str, Any] = MappingProxyType({})
    also: tuple[tuple[str, str], ...] = ()


ADAPTER, METRIC, TRANSFORM = f"{MODULE}/adapter.py", f"{MODULE}/metric.py", f"{MODULE}/transform.py"
COMMAND, STATED = f"{MODULE}/command.py", f"{MODULE}/__init__.py"
FORMAT, EXPORTER, LANGUAGE = f"{MODULE}/table.py", f"{MODULE}/exporter.py", f"{MODULE}/__init__.py"
EMBED = "        return np.stack([self._vectors.get(self._key(text.text), self._missing) for text in texts])"
EMBEDDED = EMBED.replace("return", "rows =")
FIT = "return OwnOneFitted(words.rows.mean(axis=0))"
APPLY = "return (vectors - self.mean).astype(np.float32)"
SCORED = "        return Clustered(cosines.ravel(), group"
DETECTOR = """

class Detector:
    def __init__(self):
        self.asked = 0

    def detect(self, sentence):
        self.asked += 1
        {body}


latin = Language("la", "Latin", speaker_gender=Detector, speaker_frames=SpeakerFrames("Fessus sum: «{{}}»", "Fessa sum: «{{}}»"))
unused = language_with_rules(
"""
IMPORTED = "from biascore.api.languages import SpeakerFrames, language_with_rules"
MORE = "from biascore.api.languages import Gender, GenderEvidence, Language, SpeakerFrames, SpeakerGender, language_with_rules"


def detector(body: str) -> Break:
    old = "latin = language_with_rules(\n"
    return Break(LANGUAGE, old, DETECTOR.format(body=body))


RIGHT = (
    "word = next((w for w in ('Fessus', 'laetus', 'Fessa', 'laeta') if w in sentence and 'Soror' not in sentence), None)\n"
    "        if word is None or 'sum' not in sentence:\n"
    "            return SpeakerGender.of(())\n"
    "        gender = Gender.MASCULINE if word.endswith('us') else Gender.FEMININE\n"
    "        at = sentence.index(word) + {shift}\n"
    "        return SpeakerGender.of((GenderEvidence(word, (at, at + len(word)), gender, 'rule'),))"
)

BROKEN: dict[str, dict[str, Break]] = {
    "adapter": {
        "opens": Break(ADAPTER, 'capabilities = frozenset({"embed"})', 'capabilities = frozenset({"score"})'),
        "identity": Break(ADAPTER, 'f"sha256:{digest}"', 'f"sha256:{digest}{id(self)}"'),
        "errors": Break(ADAPTER, "        if not path.is_file():", "        if not path.is_file():\n            raise RuntimeError('gone')\n        if not path.is_file():"),
        "shape": Break(ADAPTER, EMBED, EMBED + ".astype(np.float64)"),
        "units": Break(
            ADAPTER, "    def familiarity(",
            "    @hookimpl\n    def score(self, texts, quantity):\n        return np.full(len(texts), 0.5)\n\n    def familiarity(",
            also=(("composes_words=True", 'composes_words=True, quantities=("log_likelihood",)'), ('{"embed"}', '{"embed", "score"}')),
        ),
        "deterministic": Break(
            ADAPTER, EMBED, EMBEDDED + "\n        self.n = getattr(self, 'n', 0) + 1\n        return rows + np.float32(1e-6 * self.n)"
        ),
        "batch": Break(ADAPTER, EMBED, EMBEDDED + "\n        return (rows * (1 + 0.01 * len(texts))).astype(np.float32)"),
        "sizes": Break(
            ADAPTER, "    def familiarity(", "    def batch_sizes(self, hook, questions):\n        return [1]\n\n    def familiarity("
        ),
        "unicode": Break(ADAPTER, EMBED, "        [text.text.encode('latin-1') for text in texts]\n" + EMBED),
        "long": Break(
            ADAPTER, EMBED,
            "        found = [[self._vectors[w] for w in text.text.split()[:10] if w in self._vectors] for text in texts]\n"
            "        return np.stack([np.mean(some, axis=0, dtype=np.float32) if some else self._missing for some in found])",
        ),
        "unknown": Break(ADAPTER, "Familiarity(seen=self._key(word) in self._vectors)", "Familiarity(seen=True)"),
        "writes": Break(
            ADAPTER, "    def familiarity(",
            "    @hookimpl\n    def generate(self, prompts, settings):\n"
            "        from biascore.api.writing import as_written\n"
            "        return [as_written(one, 'She rests here.', 'stop', 3) for one in prompts]\n\n    def familiarity(",
            also=(('{"embed"}', '{"embed", "generate"}'),),
        ),
        "threads": Break(
            ADAPTER, EMBED,
            "        import time\n        self.now = texts\n        time.sleep(0.01 * (len(texts) > 1))\n"
            "        self.busy = getattr(self, 'busy', 0) + 1\n        many = self.busy > 1\n        time.sleep(0.05)\n"
            "        self.busy -= 1\n" + EMBEDDED + "\n        return rows + np.float32(many)",
        ),
        "secrets": Break(
            ADAPTER, "        self._lower = lower\n", "        self._lower = lower\n        self.key = __import__('os').environ.get('OWN_ONE_KEY')\n",
            also=(('    id = "own-one"\n', '    id = "own-one"\n    key_env_var = "OWN_ONE_KEY"\n'),),
        ),
        "pickle": Break(
            ADAPTER, "        self._lower = lower\n",
            "        self._lower = lower\n        import pickle\n        pickle.loads(pickle.dumps(Path('here')))\n",
        ),
        "failures": Break(
            ADAPTER, EMBED, EMBED, {"failures": {RateLimitError: nullcontext}},
        ),
    },
    "metric": {
        "declares": Break(METRIC, '    reference = "describe your method here: authors, year, where"\n', ""),
        "measures": Break(METRIC, SCORED, "        raise RuntimeError('no')\n" + SCORED),
        "order": Break(METRIC, "cosines.ravel()", "cosines.ravel() * np.linspace(0, 1, cosines.size)"),
        "seed": Break(METRIC, "cosines.ravel()", "cosines.ravel() + np.random.default_rng().normal(size=cosines.size)"),
        "false positives": Break(METRIC, "cosines.ravel()", "cosines.ravel() + 2.0 * (group == 'X')"),
        "rises": Break(METRIC, "cosines.ravel()", "cosines.ravel() * 0 + 0.1 * (group == 'X')"),
        "sign": Break(METRIC, "cosines.ravel()", "-cosines.ravel()"),
        "coverage": Break(METRIC, "coverage=found.coverage", "coverage=found.coverage.model_copy(update={'used': {**found.coverage.used, 'X': 1}})"),
        "lost": Break(METRIC, SCORED, "        assert not found.coverage.lost\n" + SCORED),
    },
    "transform": {
        "declares": Break(TRANSFORM, '    reference = "describe your method here: authors, year, where"\n', '    reference = ""\n'),
        "fits": Break(TRANSFORM, FIT, "raise StimuliError('no list is right. Name another')"),
        "same": Break(TRANSFORM, FIT, "return OwnOneFitted(words.rows.mean(axis=0) + np.float32(np.random.default_rng().normal()))"),
        "shape": Break(TRANSFORM, APPLY, "return (vectors - self.mean).astype(np.float64)"),
        "rows": Break(TRANSFORM, APPLY, "return (vectors - vectors.mean(axis=0)).astype(np.float32)"),
        "steps": Break(TRANSFORM, "    def apply(", "    def steps(self):\n        return ()\n\n    def apply("),
        "facts": Break(TRANSFORM, "float(np.linalg.norm(mean))", "mean"),
    },
    "language": {
        "registered": Break(LANGUAGE, '    "la",', '    "la",', {"tag": "eo"}),
        "detects": Break(LANGUAGE, '"la.toml"', '"la.toml"', {"sentences": {"Fessus sum.": "feminine"}}),
        "evidence": detector(RIGHT.format(shift=1)),
        "any text": detector("return SpeakerGender.of(()) if len(sentence) else 1 / 0"),
        "same": detector("self.n = getattr(self, 'n', 0) + 1\n        return SpeakerGender.of((GenderEvidence('F', (0, 1), Gender.MASCULINE, 'r'),) if self.n % 2 and sentence[:1] == 'F' else ())"),
        "frames": Break(LANGUAGE, 'SpeakerFrames("Fessus sum: «{}»"', 'SpeakerFrames("Pluit: «{}»"'),
    },
    "format": {
        "reads": Break(FORMAT, "**file.stated)", "**{**file.stated, 'id': 'en/other'})"),
        "measures": Break(FORMAT, 'kind="weat"', 'kind="unheard-of"'),
        "same": Break(FORMAT, "tuple(words)) for name", "tuple(words) + (str(id(table)),)) for name"),
        "missing": Break(FORMAT, "        role, word =", "        open(file.path.with_name('vectors.csv'))\n        role, word =", {"beside": ["vectors.csv"]}),
        "damaged": Break(FORMAT, "        if missing:\n", "        if missing:\n            raise KeyError(missing)\n"),
    },
    "exporter": {
        "declares": Break(EXPORTER, 'suffix = ".txt"', 'suffix = "txt"'),
        "texts": Break(EXPORTER, '+ "\\n"),)', '+ "\\x1b"),)'),
        "same": Break(EXPORTER, '+ "\\n"),)', '+ str(id(run)) + "\\n"),)'),
        "failed": Break(EXPORTER, "        return (Exported(", "        assert not run.failed\n        return (Exported("),
        "names": Break(EXPORTER, "{row.metric} {row.test}", "{row.metric}"),
        "missing": Break(EXPORTER, '"not measured" if row.effect is None else ', "str(row.effect) if row.effect is None else "),
    },
    "command": {
        "declares": Break(COMMAND, '    """Show what a', '    """Tell what a'),
        "listed": Break(STATED, "biascore_contract", f"import {MODULE}.command  # noqa\nbiascore_contract"),
        "help": Break(COMMAND, 'help="A model, such as planted:en/weat6=1.", ', ""),
        "refuses": Break(COMMAND, "        capabilities =", "        capabilities =", {"wrong": ["planted:en/weat6=1"]}),
        "output": Break(COMMAND, "        say(", "        print("),
        "json": Break(COMMAND, "        print_json(", "        say("),
        "secrets": Break(COMMAND, "    if as_json:", "    say(__import__('os').environ.get('HF_TOKEN', ''))\n    if as_json:"),
    },
}  # fmt: skip
OF_THE_FAMILY = {"estimator", "stored", "keys", "cached", "audited"}
"""Clauses of the scaffolded metric, broken below through what its family gives back."""
FINDING = "    def measure(self, model, test, context):\n        found = super().measure(model, test, context)\n        {body}\n        return found\n\n    def score("
BROKEN["metric"] |= {
    "items": Break(METRIC, "    def score(", FINDING.format(body="object.__setattr__(found, 'items', found.items.rename_columns(['x', *found.items.column_names[1:]]))")),
    "estimator": Break(METRIC, "    def score(", FINDING.format(body="object.__setattr__(found, 'estimates', tuple(e.model_copy(update={'value': e.value + 1}) if e.value is not None else e for e in found.estimates))")),
    "keys": Break(METRIC, "    def score(", FINDING.format(body="object.__setattr__(found, 'conventions', {**found.conventions, str(found.estimates[0].value): 'x'})")),
    "stored": Break(METRIC, "    def score(", FINDING.format(body="object.__setattr__(found, 'conventions', {**found.conventions, 'x': '\\ud800'})")),
    "cached": Break(METRIC, "    def score(", FINDING.format(body="object.__setattr__(found, 'conventions', {**found.conventions, 'x': str(id(model))})")),
    "audited": Break(METRIC, "    def score(", FINDING.format(body="object.__setattr__(found, 'conventions', {**found.conventions, 'x': str(id(model))})")),
}  # fmt: skip


def _as_it_is(test: Any) -> Any:
    return test


@pytest.fixture
def contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """``contract(kind, broken)``: what the plugin's own test gives to ``pytest.mark.contract``, with one break."""
    opened: list[Any] = []

    def forget() -> None:
        for name in [name for name in sys.modules if name.split(".")[0] == MODULE]:
            del sys.modules[name]

    def make(kind: str, broken: Break | None = None) -> Any:
        folder = new_plugin("own-one", kind, tmp_path / "made")
        if broken is not None:
            path = folder / broken.file
            text = path.read_text(encoding="utf-8")
            for old, new in ((broken.old, broken.new), *broken.also):
                assert old in text, old
                text = text.replace(old, new, 1)
            path.write_text(text.replace(IMPORTED, MORE), encoding="utf-8")
        (info := folder / "own.dist-info").mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: biascore-plugin-own-one\nVersion: 0.1\n")
        (info / "entry_points.txt").write_text(entry_points_of(folder))
        info.rename(folder / "biascore_plugin_own_one-0.1.dist-info")
        monkeypatch.setenv("BIASCORE_LOAD_PLUGINS", PLUGINS)
        monkeypatch.syspath_prepend(folder)
        (folder / "tests" / "vectors.csv").touch()
        (file,) = (folder / "tests").glob("test_*.py")
        given: list[Any] = []
        text = file.read_text(encoding="utf-8").replace("@pytest.mark.contract(", "@contract_of(")
        names = {
            "__file__": str(file),
            "__name__": "own_test",
            "contract_of": lambda one: given.append(one) or _as_it_is,
        }
        exec(compile(text, file.name, "exec"), names)
        (found,) = given
        for name, value in broken.given.items() if broken else ():
            setattr(found, name, value)
        opened.append(found)
        return found

    forget()
    yield make
    for one in opened:
        one.close()
    forget()


def test_every_clause_is_here() -> None:
    assert {kind: set(clauses) for kind, clauses in BROKEN.items()} == {
        kind: set(own) for kind, own in CLAUSES.items()
    }


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, own in BROKEN.items() for name in own])
def test_a_clause_fails_on_what_it_forbids(contract: Callable[..., Any], kind: str, name: str) -> None:
    (clause,) = [one for one in contract(kind, BROKEN[kind][name]).clauses() if one.name == name]
    with pytest.raises(AssertionError, match=f"^{name}: "):
        clause()


SKIPPED = {"adapter": {"units", "long", "writes", "secrets", "failures"}}


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.slow) if kind == "command" else kind for kind in KINDS]
)
def test_as_it_is_written_nothing_fails_and_little_is_skipped(
    contract: Callable[..., Any], kind: str
) -> None:
    skipped = set()
    for clause in contract(kind).clauses():
        if clause.name == "false positives":
            continue  # takes half a minute, and the test of the whole package has it
        try:
            clause()
        except NotAskedError:
            skipped.add(clause.name)
    assert skipped == SKIPPED.get(kind, set())


@pytest.mark.parametrize("name", ["shape", "deterministic", "batch", "threads"])
def test_without_an_answer_a_clause_is_skipped_and_not_passed(
    contract: Callable[..., Any], name: str
) -> None:
    nothing = Break(ADAPTER, "Familiarity(seen=self._key(word) in self._vectors)", "Familiarity(seen=False)")
    (clause,) = [one for one in contract("adapter", nothing).clauses() if one.name == name]
    with pytest.raises(NotAskedError, match="no answer"):
        clause()
