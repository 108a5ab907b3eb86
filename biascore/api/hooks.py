"""What the module of an entry point needs: its hooks in a line each."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.hookspecs import provides as provides
else:
    __getattr__, __dir__ = lazily(__name__)
