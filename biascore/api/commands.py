"""How a command of the command line is written: what it is called, what it prints, and the options that others take too."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.basics.progress import Silent as Silent
    from biascore.command import Command as Command
    from biascore.files.own_folders import check_own_folder as check_own_folder
    from biascore.files.own_folders import files_of as files_of
    from biascore.files.writing import new_folder as new_folder
    from biascore.hookspecs import hookimpl as hookimpl
    from biascore.terminal.console import print_json as print_json
    from biascore.terminal.console import print_list as print_list
    from biascore.terminal.console import print_rows as print_rows
    from biascore.terminal.console import say as say
    from biascore.terminal.console import stderr as stderr
    from biascore.terminal.console import wide as wide
    from biascore.terminal.options import Force as Force
    from biascore.terminal.options import Given as Given
    from biascore.terminal.options import Json as Json
    from biascore.terminal.options import NoCache as NoCache
    from biascore.terminal.options import Option as Option
    from biascore.terminal.options import StimuliFolders as StimuliFolders
    from biascore.terminal.options import pairs as pairs
    from biascore.terminal.progress import SignsOfLife as SignsOfLife
else:
    __getattr__, __dir__ = lazily(__name__)
