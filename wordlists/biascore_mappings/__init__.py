"""The mappings that ship with biascore: which articles of a text name which ground of discrimination."""

from pathlib import Path
from typing import Final

EU_CHARTER: Final = Path(__file__).with_name("eu_charter.toml")
NYC_HUMAN_RIGHTS: Final = Path(__file__).with_name("nyc_human_rights.toml")
US_FEDERAL: Final = Path(__file__).with_name("us_federal.toml")
