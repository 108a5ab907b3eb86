"""Hard debiasing: a direction from pairs of words, removed from all words but some, and pairs set at equal distance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from biascore.api.formats import array_of
from biascore.api.stimuli import Catalogue, PairList
from biascore.api.support import listed
from biascore.api.transforms import FittedTransform, Options, Scalar, Transform, TransformContext, Vectors
from biascore.errors import DataError, StimuliError, UnknownNameError
from biascore.stats.removal import equalised, neutralised, pair_subspace, unit_rows
from biascore_transforms import basis_file
from biascore_transforms.basis_file import Learnt, record_of
from biascore_transforms.damage import SAMPLE, damage_of, sample

FIRST, SECOND = "pairs.first", "pairs.second"
SAME = 1e-7
EQUAL_FIRST, EQUAL_SECOND = "equalise.first", "equalise.second"


class HardDebiasOptions(Options):
    """``pairs``: a list of pairs that define the subspace, such as ``en/bolukbasi2016/definitional``.

    ``equalise``: a list of pairs that are set at equal distance from all neutral words; "" takes ``pairs``, "none" none.
    ``specific``: a word list whose words keep their gender, like those of the pairs. ``components``: directions of the
    subspace, 1 in the paper. ``sample``: so many of the most frequent words say what is destroyed, by their ``neighbours``
    nearest neighbours. ``basis``: a file that was saved.
    """

    pairs: str = ""
    equalise: str = ""
    specific: str = ""
    components: int = Field(default=1, ge=1)
    sample: int = Field(default=2000, ge=0)
    neighbours: int = Field(default=10, ge=1)
    basis: str = ""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        basis_file.check_read_alone(self.basis, self.model_fields_set)
        if not self.basis and not self.pairs:
            raise ValueError(
                "name pairs, a list of pairs (such as en/bolukbasi2016/definitional), or basis, a file that was saved"
            )
        return self


@dataclass(frozen=True, eq=False)
class HardDebiased(Learnt):
    """The subspace ``basis`` (d, k), words left as they are, and the vectors that words of pairs get (n, d)."""

    basis: NDArray[np.float64]
    specific: tuple[str, ...]
    equal: Mapping[str, NDArray[np.float64]]

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        return {
            "basis": self.basis,
            "specific": np.array(self.specific, dtype=np.str_),
            "equal_words": np.array(list(self.equal), dtype=np.str_),
            "equal_rows": np.array(list(self.equal.values())).reshape(-1, len(self.basis)),
        }

    def apply(self, vectors: NDArray[np.float32], words: Sequence[str]) -> NDArray[np.float32]:
        """Length one, without the subspace; words of pairs equalised, specific words as they are, at length one.

        A vector that is zero, or lies in the subspace whole, becomes zero. Raises OptionsError for another dimension.
        """
        self.check_dimensions(vectors)
        rows = np.asarray(vectors, dtype=np.float64)
        after = neutralised(rows, self.basis)
        keep = set(self.specific)
        for place, word in enumerate(words):
            if word in self.equal:
                after[place] = self.equal[word]
            elif word in keep:
                after[place] = _unit(rows[place : place + 1])[0]
        return after.astype(np.float32)


class HardDebias(Transform[HardDebiasOptions]):
    """Neutralises all words but gender-specific ones and equalises pairs; every vector gets length one, as in the paper."""

    name = "hard-debias"
    summary = "a direction from pairs of words removed, and pairs set at equal distance"
    reference = "Bolukbasi et al. 2016, Man is to Computer Programmer as Woman is to Homemaker?, NeurIPS"

    def words(self, context: TransformContext) -> Mapping[str, Sequence[str]]:
        options = self.options
        if options.basis:
            if context.identity is None:  # a damaged file is found before a model is opened
                self.fit({}, context)
            return {}
        first, second = _sides(context.catalogue, options.pairs)
        roles = {FIRST: first, SECOND: second}
        if options.equalise not in ("", "none"):
            roles[EQUAL_FIRST], roles[EQUAL_SECOND] = _sides(context.catalogue, options.equalise)
        if options.specific:
            context.catalogue.word_list(options.specific)
        return {**roles, **sample(context, options.sample)}

    def taught_by(self, words: Mapping[str, Sequence[str]]) -> Iterable[str]:
        return [word for role, some in words.items() if role != SAMPLE for word in some]

    def stimuli(self) -> Sequence[str]:
        given = (self.options.pairs, self.options.equalise, self.options.specific)
        return tuple(one for one in given if one not in ("", "none"))

    def files(self) -> Sequence[str]:
        """What is read instead."""
        return (self.options.basis,) if self.options.basis else ()

    def fit(self, learnt_from: Mapping[str, Vectors], context: TransformContext) -> FittedTransform:
        """The subspace, and the vectors of the equalised words."""
        options = self.options
        if options.basis:
            return _from_file(options.basis, self.name, context)
        first, second = _sides(context.catalogue, options.pairs)
        pairs = _known_pairs(first, second, learnt_from[FIRST], learnt_from[SECOND])
        if not pairs.words:
            raise StimuliError(
                f"{self.name}: the model knows both words of none of the {len(first)} pairs of {options.pairs}. Check the "
                "language and the case of the words, or name another list: biascore list wordlists"
            )
        try:
            subspace = pair_subspace(pairs.first, pairs.second, options.components)
        except ValueError as error:
            raise StimuliError(f"{self.name}: {options.pairs}: {error}") from error
        if EQUAL_FIRST in learnt_from:
            sides = _sides(context.catalogue, options.equalise)
            equal = _known_pairs(*sides, learnt_from[EQUAL_FIRST], learnt_from[EQUAL_SECOND])
        else:
            equal = pairs if options.equalise == "" else _Pairs((), pairs.first[:0], pairs.second[:0], 0)
        vectors, alike = _equal_vectors(equal, subspace.basis)
        specific = [*dict.fromkeys(word for pair in zip(first, second, strict=True) for word in pair)]
        if options.specific:
            specific += context.catalogue.word_list(options.specific).words
        facts: dict[str, Scalar] = {
            "directions": subspace.basis.shape[1],
            "pairs": len(pairs.words),
            "pairs with a word out of vocabulary": pairs.lost,
            "variance of the pairs in the subspace": round(
                float(subspace.shares[: options.components].sum()), 6
            ),
            "variance of the pairs in the next direction": round(
                float(subspace.shares[options.components :][:1].sum()), 6
            ),
            "words that keep their gender": len(set(specific)),
            "words equalised": len(vectors),
        }
        # The words of the pairs keep their gender, so that they cannot show what becomes of the others.
        facts |= damage_of(
            lambda x: neutralised(x, subspace.basis), learnt_from, None, options.neighbours, _unit
        )
        warnings = []
        if alike:
            warnings.append(
                f"{len(alike)} pairs do not differ in the subspace and were not equalised: {listed(alike)}"
            )
        record = record_of(self, context, len(subspace.basis), facts, warnings)
        return HardDebiased(record, subspace.basis, tuple(dict.fromkeys(specific)), vectors)


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows at length one; a zero row stays zero."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: NDArray[np.float64] = rows / np.where(lengths == 0.0, 1.0, lengths)
    return unit


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Pairs of which the model knows both words, with their vectors (n, d) each; how many others there are."""

    words: tuple[tuple[str, str], ...]
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    lost: int


def _sides(catalogue: Catalogue, address: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    pairs = catalogue.list_(address)
    if not isinstance(pairs, PairList):
        raise UnknownNameError(
            f"{address} is no list of pairs ({type(pairs).__name__}). See what there is with: biascore list wordlists"
        )
    return tuple(first for first, _ in pairs.pairs), tuple(second for _, second in pairs.pairs)


def _known_pairs(first: Sequence[str], second: Sequence[str], one: Vectors, other: Vectors) -> _Pairs:
    rows = [dict(zip(side.words, side.rows, strict=True)) for side in (one, other)]
    pairs = dict.fromkeys(zip(first, second, strict=True))
    kept = [
        (a, b) for a, b in pairs if a in rows[0] and b in rows[1] and rows[0][a].any() and rows[1][b].any()
    ]
    vectors = [np.array([side[pair[place]] for pair in kept]) for place, side in enumerate(rows)]
    return _Pairs(tuple(kept), vectors[0], vectors[1], len(pairs) - len(kept))


def _equal_vectors(
    pairs: _Pairs, basis: NDArray[np.float64]
) -> tuple[dict[str, NDArray[np.float64]], list[str]]:
    """The vectors of the words of the pairs, and the pairs that do not differ in the subspace; a first pair counts."""
    if not pairs.words:
        return {}, []
    apart = np.linalg.norm((unit_rows(pairs.first) - unit_rows(pairs.second)) @ basis, axis=1) > SAME
    alike = [f"{a} - {b}" for (a, b), differ in zip(pairs.words, apart, strict=True) if not differ]
    found: dict[str, NDArray[np.float64]] = {}
    if apart.any():
        rows = equalised(pairs.first[apart], pairs.second[apart], basis)
        kept = [pair for pair, differ in zip(pairs.words, apart, strict=True) if differ]
        for place, pair in enumerate(kept):
            if not any(word in found for word in pair):
                found |= {word: side[place] for word, side in zip(pair, rows, strict=True)}
    return found, alike


def _from_file(path: str, transform: str, context: TransformContext) -> HardDebiased:
    arrays, record = basis_file.read(path, transform, context)
    try:
        basis = array_of(arrays, "basis", (record.dimensions, None))
        words = [array_of(arrays, name, (None,), np.str_).tolist() for name in ("equal_words", "specific")]
        rows = array_of(arrays, "equal_rows", (len(words[0]), record.dimensions))
        with np.errstate(all="ignore"):
            if not np.allclose(basis.T @ basis, np.eye(basis.shape[1]), atol=1e-6):
                raise ValueError("no orthonormal basis")
    except ValueError as error:
        raise DataError(
            f"{path} holds no subspace that could be applied: {error}. Give a file that fitted.save(path) wrote"
        ) from error
    return HardDebiased(record, basis, tuple(words[1]), dict(zip(words[0], rows, strict=True)))
