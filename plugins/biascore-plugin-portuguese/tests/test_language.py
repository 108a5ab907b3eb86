"""The contract of a language, a test for each clause, and its word lists measured."""

from pathlib import Path

import pytest

from biascore import Engine
from biascore.api.languages import read_sentences
from biascore.testing import LanguageContract

READ = read_sentences(Path(__file__).with_name("sentences.tsv"))
SENTENCES = {one.sentence: str(one.expected) for one in READ}


@pytest.mark.contract(LanguageContract("pt", SENTENCES))
def test_contract(clause):
    """Each clause holds."""
    clause()


@pytest.mark.parametrize("test", ["weat1", "weat6", "weat7", "weat8"])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_planted_association_is_found_with_its_sign(test, sign):
    """In both directions."""
    engine = Engine(cache=None)
    model = f"planted:pt/{test}={1.5 * sign}"
    found = engine.measure("weat", model, f"pt/{test}", reference="none", draws=199, resamples=100)
    assert found[0].headline.value * sign > 0.5
