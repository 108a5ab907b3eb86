"""The Vega side of the charts: the JavaScript that the page inlines, and drawings without a browser."""

from __future__ import annotations

import struct
import zlib
from functools import cache
from typing import Any, Final

import altair as alt
import vl_convert

from biascore.errors import BiascoreError, RunError
from biascore.report import CHART_MARK

PNG_SCALE: Final = 3.0
"""Pixels per chart unit: 720 units wide make 2160 pixels, 300 dpi at 18 cm."""


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


def draw(spec: dict[str, Any], format_: str) -> bytes:
    """One chart as an SVG or PNG file, without network; raises RunError for another format."""
    version = vega_lite_version()
    if format_ == "svg":
        # An empty list of base URLs refuses every request that a specification could make.
        svg: str = vl_convert.vegalite_to_svg(spec, vl_version=version, allowed_base_urls=[])
        return f"{svg.rstrip()}\n<!-- {CHART_MARK.decode()} -->\n".encode()
    if format_ == "png":
        png: bytes = vl_convert.vegalite_to_png(
            spec, vl_version=version, scale=PNG_SCALE, allowed_base_urls=[]
        )
        return _with_text(png, b"Software", CHART_MARK)
    raise RunError(f"charts cannot be written as {format_!r}. Choose from: svg, png.")


def _with_text(png: bytes, keyword: bytes, text: bytes) -> bytes:
    """The picture with a ``tEXt`` chunk (PNG specification, 11.3.3) behind its header, which takes 33 bytes."""
    chunk = b"tEXt" + keyword + b"\0" + text
    return (
        png[:33] + struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) + png[33:]
    )
