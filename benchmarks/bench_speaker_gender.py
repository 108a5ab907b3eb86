"""Sentences per second of speaker-gender detection on one core, by language.

    python -m benchmarks.bench_speaker_gender [translations.csv.gz]

The file has the columns lang and translation; without it ../shared/data/gest is used. "first" is the first
pass, which works out every word once; "again" is a second pass over the same sentences.
"""

from __future__ import annotations

import csv
import gzip
import sys
import time
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

from biascore.languages.gender_rules import RuleDetector, load_grammar

ROOT = Path(__file__).resolve().parents[1]
GRAMMARS = ROOT / "plugins" / "biascore-plugin-slavic" / "biascore_plugin_slavic" / "grammars"
DATA = ROOT.parent / "shared" / "data" / "gest" / "translations_dev.csv.gz"


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
    texts: dict[str, list[str]] = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            texts[row["lang"]].append(row["translation"])
    print(f"{'language':10}{'sentences':>10}{'load, ms':>10}{'first, /s':>12}{'again, /s':>12}")
    for language, sentences in sorted(texts.items()):
        start = time.process_time()
        detector = RuleDetector(load_grammar(GRAMMARS / f"{language}.toml"))
        times = [time.process_time()]
        for _ in range(2):
            for sentence in sentences:
                detector.detect(sentence)
            times.append(time.process_time())
        rates = [len(sentences) / (b - a) for a, b in pairwise(times)]
        print(
            f"{language:10}{len(sentences):>10}{1000 * (times[0] - start):>10.0f}{rates[0]:>12.0f}{rates[1]:>12.0f}"
        )


if __name__ == "__main__":
    main()
