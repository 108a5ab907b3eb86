"""``[tests.ID]`` of kind ``mac``: targets T, and in A the sets of attributes."""

from typing import ClassVar, Literal

from biascore.api.kinds import RolesEntry, Test, Word, WordList, Words


class MacTest(Test):
    """Its ``contrast`` lets biascore plant a bias in it, so that the metric can be calibrated."""

    @property
    def contrast(self):
        """Targets with the attributes of all sets, and nothing opposite."""
        attributes = [word for role, words in self.roles.items() if role != "T" for word in words.words]
        nothing = WordList("nothing", ())
        return {"X": self.roles["T"], "Y": nothing, "A": WordList("A", tuple(attributes)), "B": nothing}


class MacEntry(RolesEntry):
    """Roles T, and A.NAME for each set: names of lists in the same file."""

    roles: ClassVar = ("T", "A")
    kind: Literal["mac"]
    T: Word
    A: Words

    def test(self, roles, about):
        """The test of an entry."""
        return MacTest(roles=roles, positive_means=self.positive_means, **about)
