"""``answers:`` answers given before are a model like any other: published ones, or those of a system out of reach."""
