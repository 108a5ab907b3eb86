"""The mappings that ship with biascore: what laws, rules and standards ask, in own words, and what of a run serves it."""

from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent
EU_CHARTER: Final = _FOLDER / "eu_charter.toml"
EU_DIRECTIVES: Final = _FOLDER / "eu_directives.toml"
EU_AI_ACT: Final = _FOLDER / "eu_ai_act.toml"
NIST_AI_600_1: Final = _FOLDER / "nist_ai_600_1.toml"
NYC_LL144: Final = _FOLDER / "nyc_ll144.toml"
COLORADO_SB26_189: Final = _FOLDER / "colorado_sb26_189.toml"
ISO_TR_24027: Final = _FOLDER / "iso_tr_24027.toml"
NYC_HUMAN_RIGHTS: Final = _FOLDER / "nyc_human_rights.toml"
US_FEDERAL: Final = _FOLDER / "us_federal.toml"
