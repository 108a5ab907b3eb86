"""What a fresh install with core dependencies only must do; run it outside the checkout."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

import biascore

WORK = Path(tempfile.mkdtemp())
ENVIRONMENT = {**os.environ, "BIASCORE_CACHE_DIR": str(WORK / "cache")}
COMMAND = Path(sys.executable).with_name("biascore")


def run(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [COMMAND, *arguments], capture_output=True, text=True, env=ENVIRONMENT, cwd=WORK, check=False
    )
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def main() -> None:
    assert Path(biascore.__file__).is_relative_to(sys.prefix), (
        f"not the installed package: {biascore.__file__}"
    )
    for extra in ("torch", "transformers", "fasttext", "onnxruntime", "altair"):
        assert importlib.util.find_spec(extra) is None, (
            f"{extra} is installed, so this is no core-only environment"
        )
    plugins = json.loads(run("plugins", "--json").stdout)
    assert {p["status"] for p in plugins} == {"loaded"}, plugins
    provided = {thing for p in plugins for thing in p["provides"]}
    assert {
        "adapter planted",
        "adapter fasttext",
        "adapter hf",
        "adapter onnx",
        "adapter deepl",
        "adapter answers",
        "metric weat",
        "metric gest-mt",
        "data format gest",
        "language it",
        "command mitigate",
    } <= provided, provided
    assert len(json.loads(run("list", "tests", "--json").stdout)) > 30
    run("measure", "weat", "--model", "planted:gender=1", "--tests", "en/weat7", "--out", "first")
    second = run("measure", "weat", "--model", "planted:gender=1", "--tests", "en/weat7", "--json")
    assert json.loads(second.stdout)["models"][0]["questions"]["asked"] == 0
    run("verify", "first", "--models")
    (WORK / "tiny.vec").write_text("3 2\na 1 0\nb 0 1\nc 1 1\n", encoding="utf-8")
    lost = run("measure", "weat", "--model", "fasttext:tiny.vec", "--tests", "en/weat7", code=5)
    assert "not measured" in lost.stdout, lost.stdout
    # From the wheel that this biascore came from, where it was installed from one: an index may have none.
    source = ".whl" if metadata.distribution("biascore").read_text("direct_url.json") else "'biascore"
    missing = run("measure", "weat", "--model", "hf:bert-base-uncased", "--tests", "en/weat7", code=2)
    assert f"{source}[hf]'" in missing.stderr, missing.stderr
    missing = run("report", "first", code=2)
    assert f"{source}[report]'" in missing.stderr, missing.stderr
    print(f"smoke test passed with biascore from {Path(biascore.__file__).parent}")


if __name__ == "__main__":
    main()
