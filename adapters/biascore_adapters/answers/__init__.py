"""``answers:`` answers given before are a model like any other: published ones, or those of a system out of reach."""

from biascore.api.hooks import provides

register_adapters = provides(
    "biascore_adapters.answers.adapter:AnswersAdapter",
)
