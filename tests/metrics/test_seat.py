"""SEAT: against loops over single sentences, on static, masked and causal models, and every awkward input."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore import Audit, Engine
from biascore.errors import OptionsError, QuestionError, StimuliError
from biascore.plugins_api import Measurement, Model, Test, Text
from biascore.stats import Verdict
from biascore_metrics.seat.sentences import Frames

META = '[meta]\nlanguage = "xx"\ntitle = "t"\nsource = "s"\nlicence = "CC0"\n'
TEMPLATES = {
    "noun": ["WORD is here.", "this is WORD."],
    "adjective": ["it is WORD.", "home is WORD.", "WORD is over it."],
    "verb": ["nobody noticed WORD."],
}
WORDS = {
    "X": {"he": "noun", "father": "noun", "king": "noun", "lazy": "adjective"},
    "Y": {"she": "noun", "mother": "noun", "queen": "noun", "quick": "adjective"},
    "A": {"mathematics": "noun", "engineer": "noun", "brown": "adjective"},
    "B": {"poetry": "noun", "nurse": "noun", "walked": "verb"},
}
FAST: dict[str, Any] = {"resamples": 100}


def stimuli(
    folder: Path, words: dict[str, dict[str, str]], templates: dict[str, list[str]] = TEMPLATES
) -> Path:
    """A folder with one test, ``xx/test``, whose words are tagged, and templates by tag."""
    (folder / "xx").mkdir(parents=True, exist_ok=True)
    lists = ""
    for role, tags in words.items():
        lists += f"[lists.list{role}]\nwords = {json.dumps(list(tags))}\n[lists.list{role}.parts_of_speech]\n"
        for tag in dict.fromkeys(filter(None, tags.values())):
            lists += f"{tag} = {json.dumps([word for word, own in tags.items() if own == tag])}\n"
    roles = "".join(f'{role} = "list{role}"\n' for role in words)
    test = f'[tests.test]\nkind = "weat"\ntitle = "t"\nconcept = "c"\npositive_means = "p"\n{roles}'
    (folder / "xx" / "words.toml").write_text(f"schema = 1\n{META}{lists}{test}", encoding="utf-8")
    tables = "".join(
        f'[templates.{tag}]\nslots = ["WORD"]\nsentences = {sentences}\n'
        for tag, sentences in templates.items()
    )
    (folder / "xx" / "seat.toml").write_text(f"schema = 1\n{META}{tables}", encoding="utf-8")
    return folder


def measure(folder: Path, model: str | Model, **options: Any) -> Measurement:
    return Engine(stimuli=[folder], cache=None).measure("seat", model, "xx/test", **FAST, **options)[0]


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stimuli(tmp_path_factory.mktemp("stimuli"), WORDS)


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """``vectors(without=...)``: a text file of vectors of every word of every sentence, split at spaces."""
    folder = tmp_path_factory.mktemp("vectors")

    def write(*without: str, templates: dict[str, list[str]] = TEMPLATES, zero: str = "") -> str:
        words = {word: None for tags in WORDS.values() for word in tags}
        for tags in WORDS.values():
            for word, tag in tags.items():
                for sentence in templates.get(tag, []):
                    words |= dict.fromkeys(sentence.replace("WORD", word).split())
        rng = np.random.default_rng(5)
        rows = {word: rng.standard_normal(8) for word in words}
        lines = [
            f"{word} {' '.join(map(str, row * (word != zero)))}"
            for word, row in rows.items()
            if word not in without
        ]
        path = folder / f"{len(list(folder.iterdir()))}.vec"
        path.write_text("\n".join([f"{len(lines)} 8", *lines]) + "\n", encoding="utf-8")
        return f"fasttext:{path}"

    return write


@pytest.fixture(scope="module")
def transformers_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    pytest.importorskip("torch", reason="needs biascore[hf]")
    pytest.importorskip("transformers", reason="needs biascore[hf]")
    from ..adapters.hf import tiny

    root = tmp_path_factory.mktemp("models")

    def save(kind: str) -> str:
        if not (root / kind).exists():
            tiny.save_model(kind, root / kind, 3)
        return f"hf:{root / kind}"

    return save


@pytest.fixture(params=["static", "bert-uncased", "gpt2"])
def ref(request: pytest.FixtureRequest, vectors: Callable[..., str]) -> str:
    if request.param == "static":
        return vectors()
    return request.getfixturevalue("transformers_of")(request.param)


def cosine(u: np.ndarray, v: np.ndarray) -> float:
    return float(u.astype(float) @ v.astype(float)) / float(
        np.sqrt(u.astype(float) @ u.astype(float)) * np.sqrt(v.astype(float) @ v.astype(float))
    )


def by_hand(model: Model, level: str) -> dict[str, dict[str, list[np.ndarray]]]:
    """Role to word to the vectors of its sentences, embedded one by one; the word stands where WORD stood."""
    found: dict[str, dict[str, list[np.ndarray]]] = {}
    for role, tags in WORDS.items():
        for word, tag in tags.items():
            for template in TEMPLATES[tag]:
                text = template.replace("WORD", word)
                start = template.index("WORD")
                vector = model.embed([Text(text, (start, start + len(word)))], level)[0]  # type: ignore[arg-type]
                found.setdefault(role, {}).setdefault(word, []).append(vector)
    return found


def association_of_words(vectors: dict[str, dict[str, list[np.ndarray]]], role: str) -> list[float]:
    s = []
    for sentences in vectors[role].values():
        of_sentences = []
        for target in sentences:
            mean = {}
            for side in "AB":
                of_words = [[cosine(target, other) for other in some] for some in vectors[side].values()]
                mean[side] = sum(sum(one) / len(one) for one in of_words) / len(of_words)
            of_sentences.append(mean["A"] - mean["B"])
        s.append(sum(of_sentences) / len(of_sentences))
    return s


def association_of_sentences(vectors: dict[str, dict[str, list[np.ndarray]]], role: str) -> list[float]:
    """WEAT with every sentence as an element of X, Y, A and B (May et al. 2019)."""
    flat = {side: [v for some in vectors[side].values() for v in some] for side in ("A", "B", role)}
    return [
        sum(cosine(t, a) for a in flat["A"]) / len(flat["A"])
        - sum(cosine(t, b) for b in flat["B"]) / len(flat["B"])
        for t in flat[role]
    ]


def effect_and_p(x: list[float], y: list[float]) -> tuple[float, float, float]:
    s = np.array(x + y)
    observed = np.mean(x) - np.mean(y)
    differences = np.array(
        [
            s[list(some)].mean() - np.delete(s, list(some)).mean()
            for some in itertools.combinations(range(len(s)), len(x))
        ]
    )
    two_sided = float(np.mean(np.abs(differences) >= abs(observed) - 1e-9))
    return observed / s.std(ddof=1), two_sided, float(np.mean(differences >= observed - 1e-9))


@pytest.mark.parametrize("level", ["sentence", "token"])
def test_over_words_equals_a_loop_over_single_sentences(ref: str, mine: Path, level: str) -> None:
    with Engine(cache=None).model(ref) as model:
        vectors = by_hand(model, level)
        got = measure(mine, model, level=level)
    x, y = (association_of_words(vectors, role) for role in "XY")
    d, two_sided, one_sided = effect_and_p(x, y)
    assert got.headline.name == "effect size d"
    assert got.headline.value == pytest.approx(d, abs=1e-5)
    assert got.headline.n == {"X": 4, "Y": 4}
    assert (got.headline.p("two-sided").value, got.headline.p("two-sided").n) == (
        pytest.approx(two_sided),
        70,
    )
    assert got.headline.p("one-sided").value == pytest.approx(one_sided)
    assert got.estimate("mean difference of association").value == pytest.approx(
        np.mean(x) - np.mean(y), abs=1e-6
    )
    assert got.items["value"].to_pylist() == pytest.approx(x + y, abs=1e-6)
    assert got.items["item"].to_pylist() == [*WORDS["X"], *WORDS["Y"]]
    assert got.items["n_templates"].to_pylist() == [2, 2, 2, 3] * 2
    assert got.items["tag"].to_pylist() == [*WORDS["X"].values(), *WORDS["Y"].values()]
    over_sentences = effect_and_p(*(association_of_sentences(vectors, role) for role in "XY"))[0]
    assert got.estimate("effect size d over sentences").value == pytest.approx(over_sentences, abs=1e-5)
    assert got.estimate("effect size d over sentences").p_values == ()


@pytest.mark.parametrize("level", ["sentence", "token"])
def test_over_sentences_is_weat_with_sentences_for_words(ref: str, mine: Path, level: str) -> None:
    with Engine(cache=None).model(ref) as model:
        vectors = by_hand(model, level)
        got = measure(mine, model, level=level, unit="sentence")
    x, y = (association_of_sentences(vectors, role) for role in "XY")
    d, two_sided, one_sided = effect_and_p(x, y)
    assert got.headline.value == pytest.approx(d, abs=1e-5)
    assert got.headline.n == {"X": 9, "Y": 9}
    assert got.headline.p("two-sided").value == pytest.approx(two_sided)
    assert got.headline.p("one-sided").value == pytest.approx(one_sided)
    assert got.headline.p("two-sided").n == 48620  # 18 choose 9
    over_words = effect_and_p(*(association_of_words(vectors, role) for role in "XY"))[0]
    assert got.estimate("effect size d over words").value == pytest.approx(over_words, abs=1e-5)
    means = [np.mean(x[:2]), np.mean(x[2:4]), np.mean(x[4:6]), np.mean(x[6:])]
    assert got.items["value"].to_pylist()[:4] == pytest.approx(means, abs=1e-6)
    assert any("take the sentences of one word for independent" in line for line in got.warnings)


def test_what_the_result_says_of_itself(mine: Path, vectors: Callable[..., str]) -> None:
    got = measure(mine, vectors(), unit="sentence", ddof=0)
    assert got.method == "seat (sentence level, ddof=0, resamples=100, unit=sentence)"
    assert measure(mine, vectors(), level="token").method == "seat (token level, resamples=100)"
    assert got.conventions["embedding level"] == "sentence"
    assert got.conventions["templates xx/seat/noun"] == "WORD is here. | this is WORD."
    assert "templates xx/seat/verb" in got.conventions
    assert got.conventions["permuted and resampled"] == "target sentences"


def test_token_level_of_a_static_model_is_weat(mine: Path, vectors: Callable[..., str]) -> None:
    engine = Engine(stimuli=[mine], cache=None)
    with engine.model(vectors()) as model:
        weat = engine.measure("weat", model, "xx/test", **FAST)[0]
        seat = engine.measure("seat", model, "xx/test", level="token", **FAST)[0]
    assert seat.headline.value == pytest.approx(weat.headline.value, abs=1e-9)
    assert seat.headline.p_values[:3] == weat.headline.p_values[:3]
    assert seat.items["value"].to_pylist() == pytest.approx(weat.items["value"].to_pylist(), abs=1e-9)


def test_a_static_model_needs_every_part_of_a_sentence_with_its_punctuation(
    mine: Path, vectors: Callable[..., str]
) -> None:
    got = measure(mine, vectors("king."))
    assert [(w.word, w.role, w.reason) for w in got.coverage.lost] == [
        ("king", "X", "its sentence 'this is king.': out of vocabulary")
    ]
    assert got.headline.n == {"X": 3, "Y": 4}
    frame = measure(mine, vectors("here."))
    assert frame.headline.value is None
    assert frame.verdict is Verdict.INCONCLUSIVE
    assert "X has 1 usable word(s) of 4 and needs 2" in frame.reason
    assert frame.items.num_rows == 0
    assert measure(mine, vectors("here."), level="token").coverage.lost == ()


def test_words_without_a_vector_are_lost_at_either_level(mine: Path, vectors: Callable[..., str]) -> None:
    sentence = measure(mine, vectors("king"))
    assert [(w.word, w.reason) for w in sentence.coverage.lost] == [("king", "out of vocabulary")]
    token = measure(mine, vectors("king"), level="token")
    assert [(w.word, w.reason) for w in token.coverage.lost] == [
        ("king", "in its sentence 'king is here.': out of vocabulary")
    ]
    zero = measure(mine, vectors(zero="king"))  # the mean with the rest of the sentence is not zero
    assert [w.reason for w in zero.coverage.lost] == ["its vector is zero, so it has no direction"]


def test_an_unknown_word_is_lost_though_its_sentence_has_a_vector(
    tmp_path: Path, transformers_of: Callable[[str], str]
) -> None:
    words = {**WORDS, "X": {**WORDS["X"], "漢字": "noun"}}
    folder = stimuli(tmp_path, words)
    for level in ("sentence", "token"):
        got = measure(folder, transformers_of("bert-uncased"), level=level)
        assert [w.word for w in got.coverage.lost] == ["漢字"]
        assert "out of vocabulary" in got.coverage.lost[0].reason
        assert got.headline.n == {"X": 4, "Y": 4}


def test_a_word_that_the_tokenizer_drops_is_an_error_that_names_it(
    tmp_path: Path, transformers_of: Callable[[str], str]
) -> None:
    folder = stimuli(tmp_path, {**WORDS, "X": {**WORDS["X"], "\u200d": "noun"}})
    for level in ("sentence", "token"):
        with pytest.raises(QuestionError, match=r"\\u200d"):
            measure(folder, transformers_of("bert-uncased"), level=level)


def test_a_repeated_word_counts_once(tmp_path: Path, mine: Path, vectors: Callable[..., str]) -> None:
    stimuli(tmp_path, WORDS)
    path = tmp_path / "xx" / "words.toml"
    path.write_text(path.read_text().replace('words = ["he",', 'words = ["he", "he",'))
    plain, repeated = measure(mine, vectors()), measure(tmp_path, vectors())
    assert repeated.headline.value == plain.headline.value
    assert [w.reason for w in repeated.coverage.lost] == ["repeated in its list"]
    assert measure(tmp_path, vectors(), duplicates="keep").headline.n["X"] == 5


def test_lists_that_go_into_unlike_templates_are_told(
    tmp_path: Path, mine: Path, vectors: Callable[..., str]
) -> None:
    assert not any("part of the effect may be" in line for line in measure(mine, vectors()).warnings)
    words = {**WORDS, "X": dict.fromkeys(WORDS["X"], "noun")}
    ref = vectors()
    folder = stimuli(tmp_path, words)
    told = measure(folder, ref, level="token").warnings
    assert not any(
        "part of the effect may be" in line for line in told
    )  # static: the sentence changes nothing
    with Engine(cache=None).model("planted:") as model:
        told = measure(folder, model, level="sentence").warnings
    assert any("part of the effect may be that of their templates" in line for line in told)


@pytest.mark.parametrize(
    ("changes", "error", "told"),
    [
        (
            {"he": ""},
            StimuliError,
            r"xx/test: no part of speech says .*'he' \(X, list listX\).*noun, adjective, verb",
        ),
        (
            {"he": "pronoun"},
            StimuliError,
            r"no templates for words with the tag 'pronoun': he.*noun, adjective, verb",
        ),
    ],
)
def test_words_without_sentences(
    tmp_path: Path, changes: dict[str, str], error: type[Exception], told: str
) -> None:
    folder = stimuli(tmp_path, {**WORDS, "X": {**WORDS["X"], **changes}})
    with pytest.raises(error, match=told):
        measure(folder, "planted:")


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (
            'slots = ["WORD"]\nsentences = ["WORD is WORD."]',
            "'WORD is WORD.' has the slot WORD 2 times. Write it once",
        ),
        ('slots = ["WORD", "NAME"]\nsentences = ["NAME is WORD."]', "xx/seat/noun: has the slots WORD, NAME"),
        ('slots = ["WORD"]\nsentences = ["he is here."]', "holds none of the slots WORD"),
    ],
)
def test_templates_that_cannot_be_used(tmp_path: Path, table: str, told: str) -> None:
    folder = stimuli(tmp_path, WORDS)
    path = folder / "xx" / "seat.toml"
    kept = path.read_text(encoding="utf-8").split("[templates.adjective]")[1]
    path.write_text(
        f"schema = 1\n{META}[templates.noun]\n{table}\n[templates.adjective]{kept}", encoding="utf-8"
    )
    with pytest.raises(StimuliError, match=told):
        measure(folder, "planted:")


def test_options_that_cannot_be_used(mine: Path) -> None:
    with pytest.raises(
        OptionsError, match=r"'seats' names no templates.*Did you mean seat\?.*xx/seats\.toml"
    ):
        measure(mine, "planted:", templates="seats")
    with pytest.raises(OptionsError, match=r"templates.*is empty; name the stimuli file"):
        measure(mine, "planted:", templates=" ")
    with pytest.raises(OptionsError, match=r"en/weat1: 100 \+ 100 sentences have too many partitions"):
        Engine(cache=None).measure("seat", "planted:", "en/weat1", unit="sentence", permutation="exact")
    with pytest.raises(OptionsError, match="unit"):
        measure(mine, "planted:", unit="template")


def test_every_shipped_test_has_its_sentences() -> None:
    engine = Engine(cache=None)
    tests = [test for test in engine.catalogue.tests if test.kind == "weat"]
    assert len(tests) > 20
    for test in tests:
        frames = Frames.of(test, engine.catalogue, "seat")
        for role, words in test.roles.items():
            for word in words.words:
                for text in frames.texts(role, word):
                    assert text.span is not None
                    assert text.text[slice(*text.span)] == word
                    assert "WORD" not in text.text


def test_the_italian_sentences_of_the_study_are_at_hand() -> None:
    engine = Engine(cache=None)
    test: Test = engine.catalogue.test("it/IT1")
    frames = Frames.of(test, engine.catalogue, "puttick2025_seat")

    def sentences(role: str, word: str) -> list[str]:
        return [text.text for text in frames.texts(role, word)]

    assert sentences("X", "Andrea") == ["Andrea è qui.", "Andrea è lì."]
    assert sentences("A", "more") == ["more sono qui.", "more sono lì."]
    assert sentences("A", "meraviglioso") == ["È meraviglioso.", "Era meraviglioso."]


def effects(declared: float, seeds: int = 60, **options: Any) -> tuple[np.ndarray, np.ndarray]:
    engine = Engine(cache=None)
    d, p = [], []
    for seed in range(seeds):
        model = engine.model(f"planted:en/weat7={declared}", seed=seed)
        got = engine.measure(
            "seat", model, "en/weat7", permutation="monte-carlo", draws=300, **FAST, **options
        )[0]
        assert got.headline.value is not None
        assert got.p_value is not None
        d.append(got.headline.value)
        p.append(got.p_value)
    return np.array(d), np.array(p)


@pytest.mark.slow
def test_a_planted_effect_is_recovered() -> None:
    means = []
    for declared in (-1.2, 0.0, 1.2):
        d, _ = effects(declared, seeds=40)
        error = d.std(ddof=1) / np.sqrt(len(d))
        # The rest of a sentence adds noise to s, which pulls d towards 0 by a tenth at most.
        assert abs(d.mean() - declared) < 4 * error + 0.06 + 0.1 * abs(declared), (declared, d.mean(), error)
        means.append(d.mean())
    assert means == sorted(means)


def test_token_level_of_the_planted_model_is_weat() -> None:
    engine = Engine(cache=None)
    weat, seat = (
        engine.measure(metric, "planted:gender=1", "en/weat7", **FAST, level="token")[0]
        for metric in ("weat", "seat")
    )
    assert seat.headline.value == pytest.approx(weat.headline.value, abs=1e-9)


@pytest.mark.slow
def test_words_keep_the_level_of_the_test_and_sentences_do_not() -> None:
    """Nothing planted: four sentences a word are no four observations."""
    _, over_words = effects(0.0)
    _, over_sentences = effects(0.0, unit="sentence")
    assert np.mean(over_words <= 0.05) <= 0.15
    assert np.mean(over_sentences <= 0.05) >= 0.2


def test_the_same_seed_gives_the_same_measurement(mine: Path) -> None:
    one, two, other = (
        Engine(stimuli=[mine], cache=None, seed=seed).measure("seat", "planted:", "xx/test", **FAST)[0]
        for seed in (4, 4, 5)
    )
    assert one.model_dump() == two.model_dump()
    assert one.items.equals(two.items)
    assert one.headline.value == other.headline.value
    assert one.headline.interval != other.headline.interval


def test_an_audit_of_several_metrics_asks_what_its_plan_says(mine: Path, tmp_path: Path, ref: str) -> None:
    engine = Engine(stimuli=[mine], cache=tmp_path / "cache")
    measurements = [
        {"metric": "weat", "tests": ["xx/test"], "options": FAST | {"level": "token"}},
        {"metric": "seat", "tests": ["xx/test"], "options": FAST},
        {"metric": "seat", "tests": ["xx/test"], "options": FAST | {"unit": "sentence"}},
        {"metric": "seat", "tests": ["xx/test"], "options": FAST | {"level": "token"}},
    ]
    audit = Audit.from_parts(title="Several", models=[{"ref": ref}], measurements=measurements)
    plan = engine.plan(audit, probe=False)
    assert plan.stopped == ()
    assert {row.counts for row in plan.rows} == {"exact"}
    run = engine.run(audit)
    assert (plan.total.put, plan.total.asked) == (run.questions.put, run.questions.asked)
    assert [m.method.partition(" ")[0] for m in run] == ["weat", "seat", "seat", "seat"]
    # Each word alone is known from weat, the sentences of the third metric from the second's.
    words = sum(len(tags) for tags in WORDS.values())
    sentences = sum(len(TEMPLATES[tag]) for tags in WORDS.values() for tag in tags.values())
    assert run.questions.put == 3 * words + 3 * sentences
    assert run.questions.asked == words + 2 * sentences
