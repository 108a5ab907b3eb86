"""The stimuli of this installation and of the user's own folders, as one catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

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
