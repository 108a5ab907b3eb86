"""``biascore cache``: the answers kept from earlier runs."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from biascore.errors import CacheError
from biascore.models.pipeline.cache import default_cache
from biascore.terminal.console import print_json, say
from biascore.terminal.options import Json


def info(as_json: Json = False) -> None:
    """Where the cache is, how many answers it holds, and its size."""
    found = default_cache().info()
    if as_json:
        print_json(found.model_dump())
    else:
        say(f"{found.path or 'no cache'}\n{found.answers} answers, {found.bytes / 1e6:z.1f} MB")


def clear(
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
) -> None:
    """Delete all kept answers; the next run queries its models again."""
    if yes or typer.confirm("Delete all kept answers?"):
        with closing(default_cache()) as cache:
            count = cache.clear()
            if cache.problem:
                raise CacheError(
                    f"{cache.problem}, so that no answer was deleted. Name another cache (BIASCORE_CACHE_DIR), or ask "
                    "who may write there"
                )
        say(f"{count} answers deleted")
