"""Kinds of test and of list, how a stimuli file states them, and where a run finds them."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.hookspecs import hookimpl as hookimpl
    from biascore.stimuli import Catalogue as Catalogue
    from biascore.stimuli import Origin as Origin
    from biascore.stimuli import PairList as PairList
    from biascore.stimuli import SentenceList as SentenceList
    from biascore.stimuli import TemplateList as TemplateList
    from biascore.stimuli import Test as Test
    from biascore.stimuli import WordList as WordList
    from biascore.stimuli.entries import About as About
    from biascore.stimuli.entries import AboutTest as AboutTest
    from biascore.stimuli.entries import Entry as Entry
    from biascore.stimuli.entries import ListEntry as ListEntry
    from biascore.stimuli.entries import Lists as Lists
    from biascore.stimuli.entries import Name as Name
    from biascore.stimuli.entries import Problem as Problem
    from biascore.stimuli.entries import Prose as Prose
    from biascore.stimuli.entries import Reference as Reference
    from biascore.stimuli.entries import RolesEntry as RolesEntry
    from biascore.stimuli.entries import Section as Section
    from biascore.stimuli.entries import TestEntry as TestEntry
    from biascore.stimuli.entries import Word as Word
    from biascore.stimuli.entries import Words as Words
    from biascore.stimuli.lists import Doubt as Doubt
    from biascore.stimuli.lists import Stimuli as Stimuli
    from biascore.stimuli.resizing import Resizing as Resizing
else:
    __getattr__, __dir__ = lazily(__name__)
