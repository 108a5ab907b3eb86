"""What plugins must do in a fresh install: run it as tests/smoke.py, with the folder of the wheels of the plugins.

Slovak comes with biascore-plugin-slavic and goes with it; two plugins that claim one name are both named.
"""

import json
import subprocess
import sys
from pathlib import Path

from smoke import WORK, run

SLAVIC = "biascore-plugin-slavic"
RIVALS = ("biascore-test-rival-a", "biascore-test-rival-b")
FEMININE, MASCULINE = range(1, 8), range(8, 17)
COPIES = 4
"""Sentences of each stereotype: 7 of women, 9 of men."""


def pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (arguments, done.stderr)


def install(wheels: Path, *names: str) -> None:
    found = [next(wheels.glob(f"{name.replace('-', '_')}-*.whl")) for name in names]
    pip("install", "--no-deps", "--no-index", *map(str, found))


def languages() -> set[str]:
    return {one["code"] for one in json.loads(run("list", "languages", "--json").stdout)}


def write_data() -> None:
    """GEST of sentences about one's mood, and translations in the gender of the stereotype."""
    data, translations = ["sentence,stereotype"], ["text,translation"]
    for stereotype in (*FEMININE, *MASCULINE):
        for copy in range(COPIES):
            sentence = f"I was tired number {stereotype} {copy}."
            data.append(f"{sentence},{stereotype}")
            said = "Bola som unavená" if stereotype in FEMININE else "Bol som unavený"
            translations.append(f"{sentence},{said}.")
    (WORK / "gest.csv").write_text("\n".join(data) + "\n", encoding="utf-8")
    (WORK / "answers.csv").write_text("\n".join(translations) + "\n", encoding="utf-8")


def gest(code: int = 0) -> subprocess.CompletedProcess[str]:
    model = ("--model", "answers:answers.csv", "-o", "model.language=sk")
    data = ("--data", "gest:gest.csv", "--language", "en")
    return run("measure", "gest-mt", *data, *model, "-o", "target=sk", "--json", code=code)


def main(wheels: Path) -> None:
    write_data()
    assert "sk" not in languages(), "Slovak is there before its plugin"
    refused = gest(code=2)
    assert SLAVIC in refused.stderr.replace("_", "-"), refused.stderr

    install(wheels, SLAVIC)
    assert "sk" in languages(), "Slovak is not there with its plugin"
    (found,) = json.loads(gest().stdout)["measurements"]
    estimates = {one["name"]: one["value"] for one in found["estimates"]}
    assert (estimates["yield"], estimates["raw stereotype rate f_s"]) == (1.0, 1.0), estimates
    assert estimates["raw global masculine rate f_m"] == 0.5, estimates

    pip("uninstall", "--yes", SLAVIC)
    assert "sk" not in languages(), "Slovak is there after its plugin"
    assert SLAVIC in gest(code=2).stderr.replace("_", "-")

    install(wheels, *RIVALS)
    plugins = {one["dist"]: one for one in json.loads(run("plugins", "--json").stdout)}
    for name, other in (RIVALS, RIVALS[::-1]):
        assert plugins[name]["status"] == "conflict", plugins[name]
        assert other in plugins[name]["reason"], plugins[name]
    claimed = run("measure", "weat", "--model", "rival:", "--tests", "en/weat7", code=2).stderr
    assert all(name in claimed for name in RIVALS), claimed
    pip("uninstall", "--yes", *RIVALS)
    print(f"smoke test of plugins passed with {', '.join(sorted(plugins))}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
