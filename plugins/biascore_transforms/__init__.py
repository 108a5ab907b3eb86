"""Transforms of vectors that come with biascore, one module a method."""

from biascore.api.hooks import provides

register_transforms = provides(
    "biascore_transforms.grammatical_gender:GrammaticalGender",
    "biascore_transforms.hard_debias:HardDebias",
    "biascore_transforms.inlp:Inlp",
    "biascore_transforms.leace:Leace",
    "biascore_transforms.top_components:TopComponents",
)
