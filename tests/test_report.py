"""The report: one page that needs nothing else, for any number of agents and any names."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import numba
import numpy as np
import pytest
from matplotlib.text import Text

from agents import figures, report
from agents.arena import Arena, Entrant
from agents.evaluation import Evaluation, Plan, all_crossings, all_pairs
from agents.figures import DARK, LIGHT
from agents.formatting import duration, shortened, with_half_width
from agents.registry import make_agent
from agents.statistics import Interval
from burraco_env import Rules
from tests.test_evaluate import Faulty

plays_deals = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="too many deals without the compiler"
)
PNG = b"\x89PNG\r\n\x1a\n"
NASTY = '<script>alert("x")</script> $a_{b}$ & ' + "long" + " long" * 20
ORIGIN = report.Origin("python evaluate.py 'a<b' --deals 3", "2026-01-02", ("Take <care>.",))


class Page(HTMLParser):
    """What is on a page."""

    VOID = ("meta", "img", "source", "br")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        assert self.open == [], "a tag is not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for key, value in attrs if key in ("src", "srcset", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())


def evaluation(names: list[str], deals: int, seats: int = 4, partners: bool = False) -> Evaluation:
    """A table that is played: the first agent is `greedy`, the others are `random`."""
    agents = [make_agent("greedy" if place == 0 else "random") for place in range(len(names))]
    entrants = tuple(map(Entrant, names, agents))
    crossings = all_crossings(names, [0], [1], [1]) if partners else ()
    arena = Arena(Rules.preset("italian", seats), seed=1)
    played = Evaluation(Plan(arena, entrants, all_pairs(len(names)), deals, None, crossings))
    for _ in played.play():
        pass
    return played


@plays_deals
def test_the_page_needs_nothing_else_and_says_what_the_json_says(tmp_path: Path) -> None:
    played = evaluation(["one", "two"], 6)
    path = report.write_report(tmp_path / "new" / "folder", [played], ORIGIN)
    page = Page(path.read_text(encoding="utf-8"))
    assert page.links, "there are figures"
    for link in page.links:
        kind, data = link.split(",", 1)
        assert kind == "data:image/png;base64"
        assert base64.b64decode(data).startswith(PNG)
    assert not {"script", "link", "iframe"} & set(page.tags)
    style = path.read_text(encoding="utf-8").partition("</style>")[0]
    assert not re.search(r"@import|url\(", style)
    assert "prefers-color-scheme: dark" in style
    assert 'name="viewport"' in style
    words = "\n".join(page.texts)
    (match,) = played.to_json()["matches"]
    for value in (
        with_half_width(match["mean_points"], match["ci95"]),
        f"{match['deals_needed']['10']:,}",
        f"{match['variance_reduction']:.2f}",
        f"{match['behaviour']['a']['decisions']:.2f}",
        duration(match["ms_per_decision"]["b"]),
        ORIGIN.command,
        ORIGIN.date,
        *ORIGIN.notes,
    ):
        assert value in words
    pngs = sorted(file.name for file in path.parent.glob("*.png"))
    assert pngs == ["italian-4-pair-1.png", "italian-4-points.png", "italian-4-ratings.png"]
    assert all((path.parent / name).read_bytes().startswith(PNG) for name in pngs)


@plays_deals
def test_names_are_shown_as_they_are_and_never_run(tmp_path: Path) -> None:
    played = evaluation([NASTY, "two", "<b>"], 3, partners=True)
    path = report.write_report(tmp_path, [played], ORIGIN)
    page = Page(path.read_text(encoding="utf-8"))
    assert not {"script", "b"} & set(page.tags)
    assert shortened(NASTY, report.NAME) in page.texts
    assert "<b>" in page.texts


@plays_deals
@pytest.mark.parametrize("deals", [0, 1, 2])
def test_few_deals_make_a_page_too(tmp_path: Path, deals: int) -> None:
    faulty = Entrant("faulty", Faulty("raises", jokers=0)) if deals == 0 else None
    entrants = (Entrant("one", make_agent("random")), faulty or Entrant("b", make_agent("greedy")))
    played = Evaluation(Plan(Arena(Rules.preset("italian")), entrants, ((0, 1),), max(1, deals)))
    for _ in played.play():
        pass
    path = report.write_report(tmp_path, [played, played], ORIGIN)
    page = Page(path.read_text(encoding="utf-8"))
    assert page.tags.count("h2") == 3
    faults = [text for text in page.texts if text.startswith("agent faulty, deal 0, decision ")]
    assert len(faults) == (2 if deals == 0 else 0)


def drawn(figure: figures.Figure) -> list[Text]:
    """All texts that are drawn."""
    found: list[Text] = []
    for axes in figure.axes:
        found += axes.texts
        if not axes.axison:
            continue
        found += [axes.xaxis.label, axes.yaxis.label]
        for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            ticks = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=True)
            found += [label for place, label in ticks if low <= place <= high]
    return [text for text in found if text.get_text().strip()]


def overlaps(figure: figures.Figure) -> list[tuple[str, str]]:
    """Texts that lie on one another, or beyond the edge of the figure."""
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    figure.draw(renderer)
    texts = [(text, text.get_window_extent(renderer)) for text in drawn(figure)]
    edge = figure.bbox
    found = [
        (text.get_text(), "the edge")
        for text, box in texts
        if box.x0 < -1 or box.y0 < -1 or box.x1 > edge.x1 + 1 or box.y1 > edge.y1 + 1
    ]
    for index, (one, a) in enumerate(texts):
        for other, b in texts[index + 1 :]:
            across = min(a.x1, b.x1) - max(a.x0, b.x0)
            along = min(a.y1, b.y1) - max(a.y0, b.y0)
            if across > 1 and along > 1:
                found.append((one.get_text(), other.get_text()))
    return found


RNG = np.random.default_rng(4)
Draw = Callable[[list[str], figures.Theme], figures.Figure]
DRAW: dict[str, Draw] = {
    "cross table": lambda names, theme: figures.cross_table(
        names,
        RNG.normal(0, 900, (len(names), len(names))),
        np.full((len(names), len(names)), 188.8),
        theme,
    ),
    "ratings": lambda names, theme: figures.rating_chart(
        names,
        [-1000.0 + 190 * place for place in range(len(names))],
        [Interval(-1100.0 + 190 * place, -900.0 + 190 * place) for place in range(len(names))],
        theme,
    ),
    "pair": lambda names, theme: figures.pair_chart(
        (names[0], names[-1]), RNG.normal(-1000, 3000, 300), theme
    ),
}


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("what", list(DRAW))
@pytest.mark.parametrize("names", [["a", "b"], ["a", NASTY], [f"WWW{i}" * 15 for i in range(6)]])
def test_no_labels_overlap(names: list[str], what: str, theme: figures.Theme) -> None:
    figure = DRAW[what](names, theme)
    assert overlaps(figure) == []


def test_the_same_results_make_the_same_picture() -> None:
    values = np.array([1.0, 0.0, -3.0, 250.0])
    one, other = (figures.png(figures.pair_chart(("a", "b"), values, LIGHT)) for _ in range(2))
    assert one == other
    assert one != figures.png(figures.pair_chart(("a", "b"), values, DARK))


def test_short_texts() -> None:
    assert shortened("greedy", 6) == "greedy"
    assert shortened("0123456789", 6) == "01…789"
    assert [duration(ms) for ms in (None, 1500.0, 12.34, 0.0015, 0.0001234)] == [
        "-", "1.5 s", "12.3 ms", "1.5 µs", "123 ns",
    ]  # fmt: skip
    assert with_half_width(12.34, [10.34, 14.34]) == "+12.3 ± 2.0"
    assert with_half_width(12.34, [None, None]) == "+12.3"
    assert with_half_width(None, [None, None]) == "-"
