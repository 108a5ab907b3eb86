"""Brings every dimension to mean 0 and standard deviation 1, as measured on a word list."""

import hashlib

import numpy as np
from biascore.api.transforms import FittedTransform, Options, Transform
from biascore.errors import StimuliError


class StandardizeOptions(Options):
    """``words``: the address of the list that is measured, such as en/caliskan2017/pleasant."""

    words: str


class StandardizeFitted(FittedTransform):
    """Mean and standard deviation of each dimension."""

    def __init__(self, mean, deviation):
        self.mean, self.deviation = mean, deviation
        self.digest = f"blake2b:{hashlib.blake2b(mean.tobytes() + deviation.tobytes()).hexdigest()}"
        self.facts = {"largest standard deviation": float(deviation.max())}
        self.warnings = ()
        self.trace = ()

    def apply(self, vectors, words):
        """The vectors in standard deviations from the mean."""
        return ((vectors - self.mean) / self.deviation).astype(np.float32)


class Standardize(Transform[StandardizeOptions]):
    """Keeps a few dimensions with large values from deciding every cosine."""

    name = "standardize"
    summary = "every dimension at mean 0 and standard deviation 1"
    reference = "Timkey & van Schijndel 2021, All Bark and No Bite, EMNLP, 4527-4546"

    def words(self, context):
        """The words of the list."""
        return {"words": context.catalogue.word_list(self.options.words).words}

    def stimuli(self):
        """The list, for the record of the run."""
        return (self.options.words,)

    def fit(self, learnt_from, context):
        """Raises StimuliError where the model knows fewer than two words of the list."""
        words = learnt_from["words"]
        if len(words.words) < 2:
            raise StimuliError(
                f"the model knows fewer than 2 words of {self.options.words}. Name another list"
            )
        deviation = words.rows.std(axis=0)
        deviation[deviation == 0] = 1  # a dimension that does not vary is only centred
        return StandardizeFitted(words.rows.mean(axis=0), deviation)
