"""Time and results of `biascore.stats.lmm` beside lme4, lmerTest and a parametric bootstrap by refits, in one run.

Run: OMP_NUM_THREADS=1 python -m benchmarks.bench_lmm [--refits 1000] [--rows 600 20000] [--seed 20240501]

Needs R with lme4 and lmerTest (Debian: apt-get install r-cran-lme4 r-cran-lmertest); without them the times of biascore
alone are printed, with the reason. The data are simulated and the same for both; times are CPU seconds, as other
work on the machine would stretch wall-clock times unequally. R: lmerTest's lmer() and summary(), then simulate() and
refit() of lme4, with R^2 of each. biascore: labels as text, `fit`, R^2, then 1000 replicates with intervals, the best
of three. The time of R's refits is in proportion to their number: with fewer than 1000 it is scaled up, as printed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from biascore.stats import lmm

RESAMPLES = 1000

SCRIPT = """
suppressMessages({library(lme4); library(lmerTest)})
args <- commandArgs(TRUE); refits <- as.integer(args[3])
d <- read.csv(args[1], stringsAsFactors = TRUE)
groups <- strsplit(args[2], ",")[[1]]
formula <- as.formula(paste("score ~ gender +", paste0("(1 | ", groups, ")", collapse = " + ")))
quiet <- function(x) suppressWarnings(suppressMessages(x))
cpu <- function() sum(proc.time()[1:2])
start <- cpu()
s <- quiet(summary(lmerTest::lmer(formula, d, weights = weight)))
fitted <- cpu() - start
m <- quiet(lme4::lmer(formula, d, weights = weight))
x <- getME(m, "X")
share <- function(f) { v <- var(as.vector(x %*% fixef(f))); v / (v + sum(unlist(VarCorr(f))) + sigma(f)^2) }
set.seed(1)
start <- cpu()
scores <- simulate(m, nsim = refits)
shares <- sapply(seq_len(refits), function(i) share(quiet(refit(m, scores[[i]]))))
refitted <- cpu() - start
show <- function(x) paste0("[", paste(format(x, digits = 17), collapse = ","), "]")
cat(sprintf('{"fit": %s, "refits": %s, "criterion": %s, "estimate": %s, "se": %s, "df": %s, "r2": %s, "ends": %s}',
  show(fitted), show(refitted), show(REMLcrit(m)), show(s$coefficients[, 1]), show(s$coefficients[, 2]),
  show(s$coefficients[, 3]), show(share(m)), show(quantile(shares, c(0.025, 0.975)))))
"""


def simulated(n: int, words: int, attributes: int, genders: int, rng: np.random.Generator) -> pd.DataFrame:
    """Rows like those of a study of traits: pseudo-perplexities of some tens, few templates, few dozen words."""
    levels = {"template": 6, "word": words} | ({"attribute": attributes} if attributes else {})
    codes = {name: rng.integers(count, size=n) for name, count in levels.items()}
    gender = codes["attribute"] % genders if attributes else rng.integers(genders, size=n)
    weights = np.exp(-rng.normal(3.0, 1.0, size=n))
    scores = np.array([0.0, 0.3, -0.5])[gender] + 0.5 * rng.normal(size=n) / np.sqrt(weights)
    for name, count in levels.items():
        scores = (
            scores
            + {"template": 0.7, "word": 0.4, "attribute": 0.3}[name] * rng.normal(size=count)[codes[name]]
        )
    labels = {name: [f"{name[0]}{code:03d}" for code in values] for name, values in codes.items()}
    return pd.DataFrame({"score": scores, "gender": [f"g{g}" for g in gender], "weight": weights, **labels})


def ours(rows: pd.DataFrame, groups: list[str], kind: lmm.Kind) -> tuple[float, float, lmm.Fit, Any]:
    """CPU seconds of the fit and of 1000 replicates, the fit, and the interval of the part R^2 of gender."""
    times = []
    columns = {name: rows[name].to_numpy() for name in rows}
    for _ in range(3):
        start = time.process_time()
        design = lmm.treatment({"gender": columns["gender"]})
        fit = lmm.fit(
            columns["score"], design, groups={g: columns[g] for g in groups}, weights=columns["weight"]
        )
        fit.r2()
        middle = time.process_time()
        drawn = fit.bootstrap(kind, resamples=RESAMPLES, rng=np.random.default_rng(1))
        interval = drawn.r2().part["gender"]
        times.append((middle - start, time.process_time() - middle))
    return min(t for t, _ in times), min(t for _, t in times), fit, interval


def theirs(program: str, rows: pd.DataFrame, groups: list[str], refits: int) -> dict[str, list[float]]:
    with tempfile.TemporaryDirectory() as folder:
        script, data = Path(folder) / "fit.R", Path(folder) / "rows.csv"
        script.write_text(SCRIPT, encoding="utf-8")
        rows.to_csv(data, index=False, float_format="%.17g")
        command = [program, "--vanilla", script, data, ",".join(groups), str(refits)]
        answer: dict[str, list[float]] = json.loads(
            subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        )
    return answer


def r_program() -> str | None:
    program = shutil.which("Rscript")
    probe = 'quit(status = !all(c("lme4", "lmerTest") %in% rownames(installed.packages())))'
    if program is None or subprocess.run([program, "-e", probe], capture_output=True, check=False).returncode:
        print("R was not compared: apt-get install r-cran-lme4 r-cran-lmertest")
        return None
    return program


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--refits", type=int, default=20, help="by R; the time is scaled up to 1000")
    parser.add_argument("--rows", type=int, nargs="+", default=[600, 9000, 20000])
    parser.add_argument("--seed", type=int, default=20240501)
    options = parser.parse_args()
    program = r_program()
    shapes = [(n, 17, 0, 2 if n < 20000 else 3) for n in options.rows]
    shapes += [(n, 17, 188, 2) for n in options.rows if n >= 9000]
    for n, words, attributes, genders in shapes:
        rows = simulated(n, words, attributes, genders, np.random.default_rng([options.seed, n, attributes]))
        groups = ["template", "word"] + ["attribute"] * bool(attributes)
        fitted, drawn, fit, model = ours(rows, groups, "model")
        _, drawn_lme4, _, lme4 = ours(rows, groups, "lme4")
        print(
            f"n = {n}, {genders} genders, 6 templates, {words} words"
            + f", {attributes} attributes" * bool(attributes)
        )
        print(
            f"  biascore: fit {fitted:.4f} s, {RESAMPLES} replicates {drawn:.3f} s, as lme4 draws {drawn_lme4:.3f} s"
        )
        print(
            f"            part R^2 {fit.r2().part['gender']:.5f}, {show(model)}, as lme4 draws {show(lme4)}"
        )
        if program is None:
            continue
        r = theirs(program, rows, groups, options.refits)
        refits = r["refits"][0] * RESAMPLES / options.refits
        print(
            f"  R:        lmerTest {r['fit'][0]:.3f} s, {options.refits} refits {r['refits'][0]:.1f} s "
            f"({RESAMPLES}: {refits:.0f} s)"
        )
        print(
            f"            part R^2 {r['r2'][0]:.5f}, [{r['ends'][0]:.4f}, {r['ends'][1]:.4f}] from {options.refits} refits"
        )
        print(
            f"  R takes {r['fit'][0] / fitted:.0f} times as long to fit, {refits / drawn:.0f} times for the replicates, "
            f"{(refits + r['fit'][0]) / (fitted + drawn):.0f} times in all "
            f"({(refits + r['fit'][0]) / (fitted + drawn_lme4):.0f} as lme4 draws)"
        )
        tests = list(fit.coefficients.values())
        print(
            f"  largest differences: criterion {abs(fit.criterion - r['criterion'][0]):.1e}"
            + "".join(
                f", {name} {max(abs(getattr(a, name) / b - 1) for a, b in zip(tests, r[name], strict=True)):.1e}"
                for name in ("estimate", "se", "df")
            ),
            flush=True,
        )


def show(interval: Any) -> str:
    return f"[{interval.low:.4f}, {interval.high:.4f}]"


if __name__ == "__main__":
    main()
