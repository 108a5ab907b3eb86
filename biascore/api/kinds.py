"""How a kind of test is written: what a stimuli file says of it, and the test that this becomes."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.hookspecs import hookimpl as hookimpl
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
    from biascore.stimuli.entries import check_characters as check_characters
    from biascore.stimuli.entries import check_fit as check_fit
    from biascore.stimuli.entries import check_not_empty as check_not_empty
    from biascore.stimuli.lists import Rows as Rows
    from biascore.stimuli.lists import Stimuli as Stimuli
    from biascore.stimuli.lists import Uncertain as Uncertain
    from biascore.stimuli.resizing import Resizing as Resizing
    from biascore.stimuli.resizing import said as said
else:
    __getattr__, __dir__ = lazily(__name__)
