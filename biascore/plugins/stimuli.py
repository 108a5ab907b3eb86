"""The stimuli of this installation and of the user's own folders, as one catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from biascore.errors import BiascoreError, Owner
from biascore.plugins.loading import Plugins
from biascore.stimuli import Catalogue


def read_catalogue(plugins: Plugins, folders: Sequence[Path]) -> Catalogue:
    """The stimuli of the plugins and of these folders, each of which counts once, however often it is named."""
    once: dict[Path, Path] = {}
    for folder in folders:
        once.setdefault(folder.resolve(), folder)
    own = Catalogue.from_folders(
        [(folder, str(folder)) for folder in once.values()], kinds=plugins.test_kinds
    )
    return Catalogue((*plugins.stimuli, *own.files))


def damaged_files(plugins: Plugins) -> dict[Owner, str]:
    """Builds every stimuli file of the plugins: by whose it is, why one of them cannot be used."""
    damaged: dict[Owner, str] = {}
    for file in plugins.stimuli:
        try:
            file.contents()
        except BiascoreError as error:
            damaged[plugins.stimuli_owner(file).owner] = str(error)
    return damaged
