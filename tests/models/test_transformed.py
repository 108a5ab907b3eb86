"""Vectors through a transform: fitted once for each level, on what the model answers, and told from the model itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore.api.queries import Vocabulary
from biascore.api.transforms import TransformContext
from biascore.errors import CapabilityError, OptionsError, UnknownNameError
from biascore.models.model import Model
from biascore.models.pipeline.cache import DiskCache
from biascore.models.pipeline.source import Services

from ..builders.models import Lengths, lengths, model_of
from ..builders.transforms import Centre, CentreOptions

MEAN = lengths("aa", "bbbb").mean(axis=0)


def centre(**options: object) -> Centre:
    Centre.fits.clear()
    return Centre(CentreOptions(**options))  # type: ignore[arg-type]


def test_vectors_go_through_what_was_learnt_from_the_words() -> None:
    plain = model_of(Lengths())
    clean = plain.with_transform(centre())
    np.testing.assert_array_equal(clean.embed(["abc", "d"]), lengths("abc", "d") - MEAN)
    np.testing.assert_array_equal(plain.embed(["abc"]), lengths("abc"))
    assert clean.name == "fake after centre"
    assert (clean.untransformed or plain).name == "fake"
    assert plain.untransformed is None


def test_it_is_fitted_when_it_is_first_needed_and_once_for_each_level() -> None:
    clean = model_of(Lengths()).with_transform(centre())
    assert Centre.fits == []
    for level in ("token", "token", "sentence", "token"):
        clean.embed(["abc"], level)  # type: ignore[arg-type]
    assert Centre.fits == [("test:lengths", "token"), ("test:lengths", "sentence")]


def test_the_model_underneath_is_asked_each_question_once(tmp_path: Path) -> None:
    backend = Lengths(batch=100)
    plain = model_of(backend, services=Services(cache=DiskCache(tmp_path)))
    clean = plain.with_transform(centre())
    plain.embed(["abc", "aa"])
    clean.embed(["abc", "aa", "d"])
    assert backend.calls == [("abc", "aa"), ("bbbb",), ("d",)]
    assert (clean.counts.put, clean.counts.asked, clean.counts.cached) == (5, 2, 3)
    assert plain.counts.put == 2


def test_a_chain_fits_each_on_the_answers_of_the_one_before() -> None:
    clean = model_of(Lengths()).with_transform(centre()).with_transform(Centre(CentreOptions(words=("aa",))))
    assert clean.name == "fake after centre, centre"
    np.testing.assert_array_equal(clean.embed(["abc"]), lengths("abc") - lengths("aa"))
    digests = [digest for digest, _ in Centre.fits]
    assert digests[0] == "test:lengths"
    assert clean.identity.digest.startswith(f"{digests[1]}+centre:")
    assert clean.untransformed is not None
    assert [one.name for one in clean.used().transforms] == ["centre", "centre"]


def test_steps_are_the_model_before_then_after_each_step() -> None:
    clean = model_of(Lengths()).with_transform(centre(parts=2))
    before, half, whole = clean.steps()
    assert (before, whole) == (clean.untransformed, clean)
    np.testing.assert_array_equal(half.embed(["abc"]), lengths("abc") - MEAN / 2)
    np.testing.assert_array_equal(whole.embed(["abc"]), lengths("abc") - MEAN)
    assert len({one.identity.digest for one in (before, half, whole)}) == 3
    with pytest.raises(CapabilityError, match=r"model\.steps\('token'\)"):
        half.embed(["abc"], "token")
    assert len(Centre.fits) == 1
    assert before.steps() == (before,)


def test_other_questions_are_not_answered() -> None:
    clean = model_of(Lengths()).with_transform(centre())
    with pytest.raises(CapabilityError, match=r"centre changes vectors alone.*without it"):
        clean.score(["abc"], "anger")


def test_what_was_learnt_is_recorded() -> None:
    clean = model_of(Lengths()).with_transform(centre())
    (unfitted,) = clean.used().transforms
    clean.embed(["abc"])
    (record,) = clean.used().transforms
    assert (record.name, record.options["parts"], record.fits[0].level) == ("centre", 1, "sentence")
    assert record.fits[0].facts == {"steps": 1, "centre: words used": 2}
    assert unfitted.fits == ()
    assert unfitted.fingerprint == record.fingerprint
    other = model_of(Lengths()).with_transform(centre(words=("aa", "c")))
    assert other.identity.digest != clean.identity.digest


def test_a_transform_is_named_only_where_an_engine_knows_names() -> None:
    with pytest.raises(UnknownNameError, match=r"engine\.model"):
        model_of(Lengths()).with_transform("centre")
    with pytest.raises(OptionsError, match="takes no further parts"):
        model_of(Lengths()).with_transform(centre(), parts=2)


def test_closing_either_closes_the_one_opened_model_once() -> None:
    backend = Lengths()
    with model_of(backend) as plain:
        plain.with_transform(centre()).close()
    assert backend.closed == 1


def test_a_face_counts_its_own_questions_and_shares_what_was_learnt() -> None:
    clean: Model = model_of(Lengths()).with_transform(centre())
    view = clean.view("again")
    view.embed(["abc"])
    clean.embed(["abc"])
    assert (view.name, view.counts.put, clean.counts.put) == ("again", 3, 1)
    assert len(Centre.fits) == 1


class Listed(Lengths):
    """Has a list of its words too."""

    def vocabulary(self) -> Vocabulary:
        return TwoWords()


class TwoWords(Vocabulary):
    def __len__(self) -> int:
        return 2

    def words(self, most: int | None = None) -> Iterator[str]:
        return iter(("abc", "d")[:most])

    def blocks(self, rows: int = 1, most: int | None = None) -> Iterator[tuple[tuple[str, ...], Any]]:
        for word in self.words(most):
            yield (word,), lengths(word)


def test_the_whole_vocabulary_goes_through_it_in_blocks() -> None:
    clean = model_of(Listed()).with_transform(centre())
    words, rows = zip(*clean.vocabulary().blocks(rows=1), strict=True)
    assert words == (("abc",), ("d",))
    np.testing.assert_array_equal(np.vstack(rows), lengths("abc", "d") - MEAN)


def test_a_transform_may_learn_from_the_most_frequent_words() -> None:
    class OfFirst(Centre):
        def words(self, context: TransformContext) -> dict[str, Sequence[str]]:
            return {"frequent": context.vocabulary(1)}

    clean = model_of(Listed()).with_transform(OfFirst(CentreOptions()))
    np.testing.assert_array_equal(clean.embed(["d"]), lengths("d") - lengths("abc"))
    with pytest.raises(CapabilityError, match="no vocabulary of words"):
        model_of(Lengths()).with_transform(OfFirst(CentreOptions()))
