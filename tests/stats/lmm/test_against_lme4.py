"""Data of other shapes, fitted by lme4 and lmerTest on this machine; run where R has them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from biascore.stats import lmm

from .dense import Data, simulate

SCRIPT = """
suppressMessages({library(lme4); library(lmerTest)})
args <- commandArgs(TRUE)
d <- read.csv(args[1], stringsAsFactors = TRUE, colClasses = c(gender = "factor"))
groups <- strsplit(args[2], ",")[[1]]
for (g in groups) d[[g]] <- factor(d[[g]])
formula <- as.formula(paste("score ~ gender +", paste0("(1 | ", groups, ")", collapse = " + ")))
tight <- list(xtol_abs = 1e-13, ftol_abs = 1e-13, xtol_rel = 1e-14, ftol_rel = 1e-16, maxeval = 20000)
control <- lmerControl(optimizer = "nloptwrap", calc.derivs = FALSE, optCtrl = tight)
quiet <- function(x) suppressWarnings(suppressMessages(x))
m <- quiet(lmerTest::lmer(formula, d, weights = weight, control = control))
s <- quiet(summary(m))$coefficients
p <- nrow(s)
f <- quiet(contest(m, diag(p)[-1, , drop = FALSE], joint = TRUE))
show <- function(x) paste0("[", paste(format(x, digits = 17), collapse = ","), "]")
cat(sprintf('{"criterion": %s, "singular": %s, "estimate": %s, "se": %s, "df": %s, "joint": %s}',
  show(REMLcrit(m)), tolower(isSingular(m)), show(s[, 1]), show(s[, 2]), show(s[, 3]),
  show(c(f$`F value`, f$NumDF, f$DenDF))))
"""

SHAPES = {
    "words of one gender each": (101, 3000, {"word": 120, "template": 6}, {"word": 0.3, "template": 0.8}, {}),
    "three, one of them singular": (
        102, 2500, {"word": 40, "kind": 9, "template": 6}, {"word": 0.4, "kind": 0.5, "template": 0.0}, {"genders": 3},
    ),
    "a tiny effect": (103, 20000, {"word": 17, "template": 6}, {"word": 0.4, "template": 0.8}, {"effect": 0.005}),
    "extreme weights": (104, 2000, {"word": 12, "template": 6}, {"word": 0.5, "template": 0.7}, {"spread": 3.5}),
    "few rows": (105, 60, {"word": 5, "template": 3}, {"word": 0.5, "template": 0.7}, {}),
    "nothing varies": (106, 900, {"word": 8, "template": 6}, {"word": 0.0, "template": 0.0}, {}),
    "residuals of no size": (107, 400, {"word": 60, "template": 30}, {"word": 120.0, "template": 70.0}, {}),
}  # fmt: skip


@pytest.fixture(scope="module")
def r_script() -> str:
    program = shutil.which("Rscript")
    if program is None:
        pytest.skip("R is not installed: apt-get install r-cran-lme4 r-cran-lmertest")
    probe = [program, "-e", 'quit(status = !all(c("lme4", "lmerTest") %in% rownames(installed.packages())))']
    if subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("R has no lmerTest: apt-get install r-cran-lme4 r-cran-lmertest")
    return program


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_a_fit_is_lme4s(r_script: str, tmp_path: Path, shape: str):
    seed, n, levels, sd, options = SHAPES[shape]
    data = simulate(seed, n, levels, sd, **options)
    if shape == "words of one gender each":
        data = Data(data.scores, data.groups["word"] % 2, data.groups, data.weights)
    columns = {"score": data.scores, "gender": data.gender, "weight": data.weights, **data.groups}
    pd.DataFrame(columns).to_csv(tmp_path / "rows.csv", index=False, float_format="%.17g")
    (tmp_path / "fit.R").write_text(SCRIPT, encoding="utf-8")
    command = [r_script, "--vanilla", tmp_path / "fit.R", tmp_path / "rows.csv", ",".join(levels)]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    expected = {k: np.ravel(v) for k, v in json.loads(answer).items()}
    fit: lmm.Fit = data.fit()
    # lme4's optimiser stops where the criterion no longer changes by more than rounding: never below ours.
    assert fit.criterion == pytest.approx(expected["criterion"][0], abs=1e-8 * max(1.0, n / 1e4))
    assert fit.criterion <= expected["criterion"][0] + 2e-9
    assert fit.singular == bool(expected["singular"][0])
    tests = list(fit.coefficients.values())
    assert [test.estimate for test in tests] == pytest.approx(expected["estimate"], rel=1e-6, abs=1e-7)
    assert [test.se for test in tests] == pytest.approx(expected["se"], rel=1e-5)
    assert [test.df for test in tests] == pytest.approx(expected["df"], rel=1e-4)
    joint = fit.joint("gender")
    assert (joint.f, joint.df_num, joint.df_den) == pytest.approx(tuple(expected["joint"]), rel=1e-4)
