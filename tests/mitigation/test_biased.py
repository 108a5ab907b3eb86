"""A small model that has learnt a biased corpus: less biased after mitigation, and no worse on other texts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore import Audit, Engine  # noqa: E402
from biascore.models.training import Training  # noqa: E402
from biascore_training.mitigate import Mitigated, mitigate, prepare  # noqa: E402

from ..builders import biased  # noqa: E402
from ..builders.word_lists import weat_file  # noqa: E402

pytestmark = pytest.mark.slow

HELD_OUT = biased.corpus(80, seed=2), biased.corpus(80, seed=3, stereotyped=0.5)
"""Sentences that neither model has seen, as biased as the corpus, and not biased."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """``before``: a model trained on 600 biased sentences; ``corpus.txt``: 400 others, as biased."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    root = tmp_path_factory.mktemp("biased")
    biased.train_biased(root / "before", biased.corpus(600, seed=1))
    (root / "corpus.txt").write_text("\n".join(biased.corpus(400, seed=5)), encoding="utf-8")
    yield root
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def after(folder: Path, engine: Engine) -> Mitigated:
    """The model after mitigation."""
    recipe = prepare(engine.catalogue, folder / "corpus.txt")
    training = Training(epochs=6, learning_rate=2e-3, warmup_steps=20)
    with engine.model(f"hf:{folder / 'before'}") as model:
        return mitigate(engine, model, recipe, folder / "after", training)


def test_the_preference_falls_and_perplexity_hardly_rises(
    folder: Path, engine: Engine, after: Mitigated
) -> None:
    """Women's jobs against men's, in log odds of she against he: to less than half, at most 5 % more perplexity."""
    with engine.model(f"hf:{folder / 'before'}") as old, engine.model(after.ref) as new:
        one, other = biased.preference(old), biased.preference(new)
        worse = [biased.pseudo_perplexity(new, t) / biased.pseudo_perplexity(old, t) for t in HELD_OUT]
    print(f"preference {one:.2f} -> {other:.2f} nats, pseudo-perplexity x {worse[0]:.3f}, x {worse[1]:.3f}")
    assert one > 2.5
    assert abs(other) < one / 2
    assert max(worse) < 1.05


def test_before_and_after_in_one_audit(
    folder: Path, engine: Engine, after: Mitigated, tmp_path: Path
) -> None:
    (tmp_path / "mine" / "en").mkdir(parents=True)
    text = weat_file("jobs", **biased.lists_of_jobs(), concept="gender")
    (tmp_path / "mine" / "en" / "own.toml").write_text(text, encoding="utf-8")
    refs = {"before": f"hf:{folder / 'before'}", "after": after.ref}
    options = {"templates": ["TARGET is a ATTRIBUTE ."], "over": "attributes"}
    run = engine.run(
        Audit.from_parts(
            title="Before and after",
            models=[{"name": name, "ref": ref} for name, ref in refs.items()],
            measurements=[{"metric": "lpbs", "tests": ["en/jobs"], "options": options}],
            stimuli=[str(tmp_path / "mine")],
        )
    )
    found = {one.model: [round(estimate.value, 2) for estimate in one.estimates[:2]] for one in run}
    print(f"effect size d and mean difference of association in nats: {found}")
    # By the labels of the jobs; three forms a gender can show nothing by their own labels, whose least p is .1.
    assert run.to_frame()["p[two-sided]"].iloc[0] < 0.001
    assert found["after"][0] < 0.6 * found["before"][0]
    assert abs(found["after"][1]) < 0.2 * found["before"][1]
