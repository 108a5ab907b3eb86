"""The quantile of the normal distribution at one probability.

Importing ``scipy.special`` for it would take longer than to measure a test; ``statistics.NormalDist`` differs from it in the
last digit, and so would figures of a run that is read again.
"""

from __future__ import annotations

import math
from typing import Final

from biascore.stats._checks import require_between

# Source: ndtri of the Cephes Math Library (Moshier), as in SciPy; see NOTICE.
_TAIL: Final = 0.13533528323661269189  # exp(-2)
_ROOT: Final = 2.50662827463100050242  # sqrt(2 pi)
# fmt: off
_MIDDLE: Final = (
    (-59.9633501014107895267, 98.0010754185999661536, -56.6762857469070293439, 13.9312609387279679503,
     -1.23916583867381258016),
    (1.0, 1.95448858338141759834, 4.67627912898881538453, 86.3602421390890590575, -225.462687854119370527,
     200.260212380060660359, -82.0372256168333339912, 15.9056225126211695515, -1.18331621121330003142),
)
_NEAR: Final = (
    (4.05544892305962419923, 31.5251094599893866154, 57.1628192246421288162, 44.0805073893200834700, 14.6849561928858024014,
     2.18663306850790267539, -0.140256079171354495875, -0.0350424626827848203418, -8.57456785154685413611e-4),
    (1.0, 15.7799883256466749731, 45.3907635128879210584, 41.3172038254672030440, 15.0425385692907503408,
     2.50464946208309415979, -0.142182922854787788574, -0.0380806407691578277194, -9.33259480895457427372e-4),
)
_FAR: Final = (
    (3.23774891776946035970, 6.91522889068984211695, 3.93881025292474443415, 1.33303460815807542389, 0.201485389549179081538,
     0.0123716634817820021358, 3.01581553508235416007e-4, 2.65806974686737550832e-6, 6.23974539184983293730e-9),
    (1.0, 6.02427039364742014255, 3.67983563856160859403, 1.37702099489081330271, 0.216236993594496635890,
     0.0134204006088543189037, 3.28014464682127739104e-4, 2.89247864745380683936e-6, 6.79019408009981274425e-9),
)
# fmt: on


def normal_quantile(p: float) -> float:
    """The x below which a standard normal variable lies with probability ``p``; raises ValueError for no probability.

    Bit for bit that of ``scipy.special.ndtri`` where SciPy is compiled without fused multiplication, as on x86-64.
    """
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"p is {p!r}; pass a probability")
    if p in (0.0, 1.0):
        return math.inf if p else -math.inf
    upper = p > 1.0 - _TAIL
    tail = 1.0 - p if upper else p
    if tail > _TAIL:
        middle = tail - 0.5
        return (middle + middle * _fraction(middle * middle, *_MIDDLE)) * _ROOT
    x = math.sqrt(-2.0 * math.log(tail))
    found = x - math.log(x) / x - _fraction(1.0 / x, *(_NEAR if x < 8.0 else _FAR))
    return found if upper else -found


def critical_value(level: float) -> float:
    """The z that holds ``level`` of a standard normal distribution within -z and z; raises ValueError outside (0, 1)."""
    require_between(level, "level", 0.0, 1.0)
    return normal_quantile((1.0 + level) / 2.0)


def _fraction(x: float, above: tuple[float, ...], below: tuple[float, ...]) -> float:
    """x times one polynomial over another, each from its highest power on."""
    return x * _polynomial(x, above) / _polynomial(x, below)


def _polynomial(x: float, coefficients: tuple[float, ...]) -> float:
    found = 0.0
    for one in coefficients:
        found = found * x + one
    return found
