"""The Vega side of the charts: the JavaScript that the page inlines, and drawings without a browser."""

from __future__ import annotations

import json
import re
import struct
import zlib
from functools import cache
from math import floor
from typing import Any, Final

import altair as alt
import vl_convert

from biascore.errors import BiascoreError, RunError
from biascore.report import CHART_MARK

PNG_SCALE: Final = 3.0
"""Pixels per chart unit: 720 units wide make 2160 pixels, 300 dpi at 18 cm."""
PNG_DPI: Final = 300.0
MIN_WIDTH: Final = 50.0
MAX_WIDTH: Final = 400.0
ONE_COLUMN: Final = 100.0
"""Millimetres up to which a chart is drawn for one column of two."""
ONE_COLUMN_SHARE: Final = 0.6
_PDF_DPI: Final = 72.0
_MM_PER_INCH: Final = 25.4
_TWO_UNITS: Final = re.compile(r"\\ud[89ab][0-9a-f]{2}")
"""In JSON, a character that takes two units of UTF-16."""
_LIMITS: Final = frozenset({"limit", "labelLimit", "titleLimit"})
_SIZE: Final = re.compile(r'width="(?P<width>[0-9.]+)" height="(?P<height>[0-9.]+)"')


def vega_lite_version() -> str:
    """The Vega-Lite version of the charts, as ``major.minor``; raises BiascoreError if it is not bundled."""
    version = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    if version not in vl_convert.get_vegalite_versions():
        raise BiascoreError(
            f"altair {alt.__version__} makes Vega-Lite {version} charts, which this vl-convert-python "
            "cannot draw. Bring both up to date with: pip install --upgrade altair vl-convert-python"
        )
    return version


@cache
def javascript() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script that defines ``vegaEmbed`` and loads nothing."""
    bundle: str = vl_convert.javascript_bundle(
        snippet="window.vegaEmbed = vegaEmbed;", vl_version=vega_lite_version()
    )
    return bundle


def draw(
    spec: dict[str, Any], format_: str, width: float | None = None, pixels: tuple[int, int] | None = None
) -> bytes:
    """One chart as an SVG, PDF or PNG file, ``width`` millimetres wide, without network.

    ``pixels``: without a width, the most that a PNG has across and down, instead of 300 dpi.

    Raises RunError for another format, and for a width that is no column.
    """
    if format_ not in ("svg", "pdf", "png"):
        raise RunError(f"charts cannot be written as {format_!r}. Choose from: svg, pdf, png.")
    version = vega_lite_version()
    if width is not None and not MIN_WIDTH <= width <= MAX_WIDTH:
        raise RunError(
            f"a chart cannot be {width:g} mm wide. Choose from {MIN_WIDTH:g} to {MAX_WIDTH:g}, such as 85 or 175."
        )
    if width is not None and width <= ONE_COLUMN and isinstance(spec.get("width"), int | float):
        spec = _narrow(spec)
    if _TWO_UNITS.search(json.dumps(spec)):
        spec = _uncut(spec)
    # An empty list of base URLs refuses every request that a specification could make.
    svg: str = vl_convert.vegalite_to_svg(spec, vl_version=version, allowed_base_urls=[])
    found = _SIZE.search(svg)
    natural, high = (float(found[name]) for name in ("width", "height")) if found else (1.0, 1.0)
    scale = 1.0 if width is None else width / _MM_PER_INCH * _PDF_DPI / natural
    if format_ == "svg":
        return f"{_sized(svg, scale, 'pt').rstrip()}\n<!-- {CHART_MARK.decode()} -->\n".encode()
    if format_ == "pdf":
        pdf: bytes = vl_convert.svg_to_pdf(_sized(svg, scale, ""))
        return pdf.rstrip() + b"\n% " + CHART_MARK + b"\n"
    dots = PNG_SCALE if width is None else scale * PNG_DPI / _PDF_DPI
    if width is None and pixels is not None:
        # Rounded down: the size in pixels is rounded up.
        dots = floor(1000 * min(pixels[0] / natural, pixels[1] / high)) / 1000
    png: bytes = vl_convert.vegalite_to_png(spec, vl_version=version, scale=dots, allowed_base_urls=[])
    return _with_text(png, b"Software", CHART_MARK)


def _narrow(spec: dict[str, Any]) -> dict[str, Any]:
    """The chart with less room across: as the script of the page draws it, but for the size of its letters.

    Entries of a legend are beneath each other, titles end with the plot: in the middle beneath a plot that begins late,
    behind its labels, a long one would be cut at the right. Plots of points keep their proportions.
    """
    width = spec["width"] * ONE_COLUMN_SHARE
    config = dict(spec.get("config", {}))
    axis = {**config.get("axisX", {}), "titleAnchor": "end"}
    narrow: dict[str, Any] = {
        **_with_legends_in_one_column(spec),
        "width": width,
        "config": {**config, "axisX": axis},
    }
    title, meta = spec.get("title"), spec.get("usermeta")
    if isinstance(title, dict) and title.get("anchor") == "middle":
        narrow["title"] = {**title, "anchor": "end"}
    if meta:
        narrow["height"] = (width - meta["besidePlot"]) * meta["heightToWidth"]
        narrow["datasets"] = {**spec["datasets"], "labels": meta["narrow"]}
    return narrow


def _uncut(spec: dict[str, Any]) -> dict[str, Any]:
    """The chart with its labels whole: Vega cuts 😀 between its two halves, and vl-convert cannot draw a half."""
    config = dict(spec.get("config", {}))
    for part in ("axis", "legend"):
        config[part] = {**config.get(part, {}), "labelLimit": 0}
    uncut: dict[str, Any] = _without_limits({**spec, "config": config})
    return uncut


def _without_limits(part: Any) -> Any:
    if isinstance(part, list):
        return [_without_limits(one) for one in part]
    if not isinstance(part, dict):
        return part
    return {
        name: 0 if name in _LIMITS else one if name == "datasets" else _without_limits(one)
        for name, one in part.items()
    }


def _with_legends_in_one_column(part: Any) -> Any:
    if isinstance(part, list):
        return [_with_legends_in_one_column(one) for one in part]
    if not isinstance(part, dict):
        return part
    found = {
        name: one if name == "datasets" else _with_legends_in_one_column(one) for name, one in part.items()
    }
    if isinstance(found.get("legend"), dict):
        found["legend"] = {**found["legend"], "columns": 1}
    return found


def _sized(svg: str, scale: float, unit: str) -> str:
    """The drawing with another size and the same content; at a scale of 1 as it is."""
    found = _SIZE.search(svg)
    if found is None or scale == 1:
        return svg
    width, height = (f"{float(found[name]) * scale:z.3f}{unit}" for name in ("width", "height"))
    return f'{svg[: found.start()]}width="{width}" height="{height}"{svg[found.end() :]}'


def _with_text(png: bytes, keyword: bytes, text: bytes) -> bytes:
    """The picture with a ``tEXt`` chunk (PNG specification, 11.3.3) behind its header, which takes 33 bytes."""
    chunk = b"tEXt" + keyword + b"\0" + text
    return (
        png[:33] + struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) + png[33:]
    )
