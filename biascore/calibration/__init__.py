"""Can this test detect it? A metric on models whose bias is known, over a range of effects and of sizes of a test.

>>> from biascore import Engine
>>> from biascore.calibration import calibrate
>>> found = calibrate(Engine(), "weat", "en/weat6")
>>> found.smallest().planted  # the smallest effect that these lists detect in 4 of 5 models
"""

from biascore.calibration.calibration import Calibration, Cell, Size, Smallest
from biascore.calibration.resizing import resized
from biascore.calibration.simulation import calibrate

__all__ = ["Calibration", "Cell", "Size", "Smallest", "calibrate", "resized"]
