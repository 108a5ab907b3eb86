"""Stimuli as data: word lists, pairs, templates and tests, read from TOML files and addressed by name."""

from biascore.stimuli.catalogue import Catalogue as Catalogue
from biascore.stimuli.catalogue import Origin as Origin
from biascore.stimuli.lists import PairList as PairList
from biascore.stimuli.lists import Rows as Rows
from biascore.stimuli.lists import SentenceList as SentenceList
from biascore.stimuli.lists import Stimuli as Stimuli
from biascore.stimuli.lists import TemplateList as TemplateList
from biascore.stimuli.lists import Uncertain as Uncertain
from biascore.stimuli.lists import WordList as WordList
from biascore.stimuli.loader import load_file as load_file
from biascore.stimuli.model import Listed as Listed
from biascore.stimuli.model import Published as Published
from biascore.stimuli.model import StimuliFile as StimuliFile
from biascore.stimuli.model import Test as Test
from biascore.stimuli.schema import Kinds as Kinds
