"""How data files are read as tests, and tables and other files within limits of size."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.basics.frozen import FrozenMap as FrozenMap
    from biascore.files.arrays import array_of as array_of
    from biascore.files.arrays import unpacked_arrays as unpacked_arrays
    from biascore.files.folders import source_digest as source_digest
    from biascore.files.folders import tables_in as tables_in
    from biascore.files.forms import Malformed as Malformed
    from biascore.files.forms import Row as Row
    from biascore.files.nested import nested_records as nested_records
    from biascore.files.paths import is_path as is_path
    from biascore.files.paths import leads_out as leads_out
    from biascore.files.paths import user_path as user_path
    from biascore.files.reading import parse_json as parse_json
    from biascore.files.reading import parse_toml as parse_toml
    from biascore.files.reading import read_bytes as read_bytes
    from biascore.files.reading import read_text as read_text
    from biascore.files.table_options import ClusterOptions as ClusterOptions
    from biascore.files.table_options import ColumnOptions as ColumnOptions
    from biascore.files.table_options import Delimiter as Delimiter
    from biascore.files.table_options import TableOptions as TableOptions
    from biascore.files.tables import Table as Table
    from biascore.files.tables import read_table as read_table
    from biascore.files.tables import table_columns as table_columns
    from biascore.stimuli import Test as Test
    from biascore.stimuli.dataset import DataFile as DataFile
    from biascore.stimuli.dataset import DataFormat as DataFormat
else:
    __getattr__, __dir__ = lazily(__name__)
