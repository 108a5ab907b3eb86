"""The Run that records what was done: on which models, from which stimuli, by which plugins, when and where."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from importlib import metadata
from typing import Any

from biascore.checking import Checked
from biascore.plugins.loading import Plugins
from biascore.results.packages import computing
from biascore.results.run import PluginUsed, Provenance, Run, StimuliUsed
from biascore.running.attempts import Done
from biascore.stats import Adjustment
from biascore.stimuli import Test


def record(
    done: Done,
    checked: Checked,
    plugins: Plugins,
    *,
    title: str,
    adjustment: Adjustment,
    seed: int,
    audit: Mapping[str, Any],
) -> Run:
    """The Run of what was checked and done; ``audit`` is what was asked for, as it was given."""
    return Run(
        title=title,
        adjustment=adjustment,
        measurements=done.made,
        failed=done.failed,
        models=tuple(
            done.used[name]
            for name in dict.fromkeys([*checked.models, *checked.seconds])
            if name in done.used
        ),
        stimuli=_stimuli_used(test for step in checked.steps for test in step.tests),
        provenance=Provenance(
            biascore_version=metadata.version("biascore"),
            python_version=platform.python_version(),
            packages=computing(),
            platform=platform.platform(),
            started=done.started,
            finished=done.finished,
            seed=seed,
            audit=audit,
            plugins=tuple(
                PluginUsed(name=one.name, dist=one.dist, version=one.version)
                for one in plugins.records
                if one.status in ("loaded", "conflict")
            ),
        ),
    )


def _stimuli_used(tests: Iterable[Test]) -> tuple[StimuliUsed, ...]:
    files: dict[str, list[Test]] = {}
    for test in tests:
        files.setdefault(test.file, []).append(test)
    return tuple(
        StimuliUsed(
            file=file,
            sha256=some[0].sha256,
            source=some[0].source,
            licence=some[0].licence,
            tests=tuple(dict.fromkeys(test.id for test in some)),
        )
        for file, some in files.items()
    )
