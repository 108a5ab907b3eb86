"""``[tests.ID]`` of kind ``mac``: targets T, and in A the sets of attributes."""

from typing import ClassVar, Literal

from biascore.api.kinds import RolesEntry, Test, Word, WordList, Words


class MacTest(Test):
    """A bias to calibrate: the targets with the attributes of all sets."""

    @property
    def contrast(self):
        """Targets with attributes, and nothing opposite."""
        attributes = [word for role, words in self.roles.items() if role != "T" for word in words.words]
        nothing = WordList("nothing", ())
        return {"X": self.roles["T"], "Y": nothing, "A": WordList("A", tuple(attributes)), "B": nothing}


class MacEntry(RolesEntry):
    """Roles T, and A.NAME for each set."""

    roles: ClassVar = ("T", "A")
    kind: Literal["mac"]
    T: Word
    A: Words

    def test(self, roles, about):
        """A test that can be calibrated."""
        return MacTest(roles=roles, positive_means=self.positive_means, **about)
