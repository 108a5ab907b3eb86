"""In the report, too, what other people's texts would do is seen: escape sequences and marks that turn the order."""

from __future__ import annotations

import re
from pathlib import Path

from biascore.report import write_charts, write_report
from biascore.results.coverage import LostWord

from ..builders.runs import measurement, run_of, table

ACTS = "\x1b[31mred\x07\u202eturned\u2066\x85"
SEEN = r"␛[31mred␇\u202eturned\u2066\u0085"
LETTERS = "שלום مرحبا می‌خواهم 👩‍🚀"
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def test_page_and_charts(tmp_path: Path) -> None:
    text = f"{ACTS} {LETTERS}"
    hostile = measurement(
        test=text,
        title=text,
        model=text,
        items=table([(text, f"{n}{text}", n / 10) for n in range(12)], {text: [text] * 12}),
        warnings=(text,),
        lost=(LostWord(word=text, role=text, reason=text),),
        conventions={text: text},
    )
    run = run_of(hostile)
    page = write_report(run, tmp_path / "report.html").read_text(encoding="utf-8")
    charts = write_charts(run, tmp_path / "charts", ("svg",))
    assert charts
    for content in (page, *(path.read_text(encoding="utf-8") for path in charts)):
        own = re.sub(r"<script(?! type=\"application/json\")[^>]*>.*?</script>", "", content, flags=re.DOTALL)
        assert ACTING.findall(own) == []
    assert SEEN in page
    assert LETTERS in page
