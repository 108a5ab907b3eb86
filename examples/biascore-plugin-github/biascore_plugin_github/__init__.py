"""Github for biascore: a form of runs."""

biascore_contract = 1
