"""The report of an evaluation: one HTML page that needs nothing else, and its figures beside it.

All that comes from outside, such as the names of agents, goes into the page through `escape`.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from agents import figures
from agents.cells import effort_cells, match_cells, partner_cells, thinking_cell
from agents.evaluation import POINTS, Evaluation, Match
from agents.figures import DARK, LIGHT
from agents.formatting import shortened, text
from agents.provenance import machine, versions
from agents.statistics import Interval

PAGE = "index.html"
"""The page in the folder of a report."""
TEMPLATE = Path(__file__).with_name("report.html")
CSS_DPI = 96
NAME = 30
"""Characters of a name in a table; the whole name shows when one points at it."""


@dataclass(frozen=True)
class Origin:
    """What a report says about where it comes from.

    Attributes:
        command: the exact command.
        date: the day.
        notes: what the reader must know first, such as that a benchmark is unofficial.
    """

    command: str
    date: str
    notes: tuple[str, ...] = ()


def write_report(folder: Path, evaluations: Sequence[Evaluation], origin: Origin) -> Path:
    """Write the page and its figures; returns the path of the page.

    Args:
        folder: where; made if it is not there.
        evaluations: the tables, in order.
        origin: where they come from.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sections = [_Section(folder, evaluation) for evaluation in evaluations]
    found = sections[0].found
    titles = [f"{section.found['preset']}, {section.found['seats']} seats" for section in sections]
    notes = [f'<p class="fault">{escape(note)}</p>' for note in origin.notes]
    faults = [fault for evaluation in evaluations for fault in evaluation.faults]
    notes += [f'<p class="fault">{escape(fault)}</p>' for fault in faults]
    arena = evaluations[0].plan.arena
    facts = {
        "date": origin.date,
        "commit": found["commit"] or "unknown",
        "machine": machine(),
        "threads": arena.workers,
        "seed of the deals": found["seed"],
    } | versions(("numpy", "numba", "scipy", "choix", "matplotlib"))
    page = Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        title=escape(f"Burraco: {'; '.join(titles)}"),
        heading="Burraco evaluation",
        subtitle="Duplicate deals: each deck is played once for every assignment of the agents to "
        "the sides. The deal is the unit of every interval, all of them 95 %.",
        body="\n".join([*notes, *(section.html() for section in sections)]),
        command=escape(origin.command),
        facts="\n".join(f"<dt>{escape(k)}</dt><dd>{escape(str(v))}</dd>" for k, v in facts.items()),
    )
    path = folder / PAGE
    path.write_text(page, encoding="utf-8")
    return path


class _Section:
    """What the page says about one table."""

    def __init__(self, folder: Path, evaluation: Evaluation) -> None:
        self.found = evaluation.to_json()
        self._folder, self._evaluation = folder, evaluation
        self._prefix = f"{self.found['preset']}-{self.found['seats']}"
        self._names: list[str] = self.found["agents"]
        self._order = self._best_first()

    def _best_first(self) -> list[int]:
        """Numbers of the agents by rating; in the given order where there is none."""
        ratings = [row["rating"] for row in self.found["ratings"]]
        return sorted(range(len(ratings)), key=lambda i: -(ratings[i] or 0.0))

    def html(self) -> str:
        """The section."""
        found = self.found
        pairs = "".join(map(self._pair, self._evaluation.table))
        parts = [
            f"<h2>{escape(found['preset'])}, {found['seats']} seats</h2>",
            f'<p class="agents">{escape("; ".join(self._names))}</p>',
            "<h3>Points a deal</h3>",
            "<p>The agent of the row against that of the column.</p>",
            f'<div class="scroll">{self._cross_table()}</div>',
            "<h3>Ratings</h3>",
            "<p>Bradley-Terry on deals won; intervals by bootstrap over deals.</p>",
            f'<div class="one">{self._ratings()}</div>',
            "<h3>Ladder of wins</h3>",
            "<p>Deals won, tied and lost against everybody the agent has met.</p>",
            self._ladder(),
            "<h3>Matches</h3>",
            self._matches(),
            "<h3>Partners it has never met</h3>" + self._partners() if "partners" in found else "",
            "<h3>How they play</h3>",
            "<p>A deal and seating, all seats of the agent together; mean over all its deals.</p>",
            self._behaviour(),
            "<h3>Deals needed</h3>",
            "<p>Deals until so many points a deal are told from 0 with a chance of 80 %, at the "
            "two-sided level of 5 %. Duplicate deals replace so many times as many independent "
            "games.</p>",
            self._deals_needed(),
            "<h3>Each pair</h3>",
            "<p>Above, the difference a deal, its mean dashed. Below, the mean as deals are "
            "played.</p>",
            f'<div class="pairs">{pairs}</div>',
        ]
        return "\n".join(part for part in parts if part)

    def _picture(self, name: str, alt: str, draw: Any) -> str:
        """The figure for light and dark pages; the light one is written to the folder too."""
        light, dark = (draw(theme) for theme in (LIGHT, DARK))
        data = figures.png(light)
        (self._folder / f"{self._prefix}-{name}.png").write_bytes(data)
        width, height = (round(inches * CSS_DPI) for inches in light.get_size_inches())
        night = f'<source media="(prefers-color-scheme: dark)" srcset="{_uri(figures.png(dark))}">'
        size = f'width="{width}" height="{height}"'
        image = f'<img {size} alt="{escape(alt)}" src="{_uri(data)}">'
        return f"<picture>{night}{image}</picture>"

    def _cross_table(self) -> str:
        place = {agent: place for place, agent in enumerate(self._order)}
        means = np.full((len(place), len(place)), math.nan)
        halves = means.copy()
        for match, row in zip(self._evaluation.table, self.found["matches"], strict=True):
            first, second = place[match.first[0]], place[match.second[0]]
            mean = math.nan if row["mean_points"] is None else row["mean_points"]
            means[first, second], means[second, first] = mean, -mean
            low, high = row["ci95"]
            half = math.nan if low is None else (high - low) / 2
            halves[first, second] = halves[second, first] = half
        names = [self._names[index] for index in self._order]
        return self._picture(
            "points",
            "Points a deal of each agent against each",
            lambda theme: figures.cross_table(names, means, halves, theme),
        )

    def _ratings(self) -> str:
        rows = [self.found["ratings"][index] for index in self._order]
        values = [_float(row["rating"]) for row in rows]
        intervals = [Interval(*map(_float, row["ci95"])) for row in rows]
        names = [row["agent"] for row in rows]
        return self._picture(
            "ratings",
            "Ratings with 95 % intervals",
            lambda theme: figures.rating_chart(names, values, intervals, theme),
        )

    def _pair(self, match: Match) -> str:
        names = self._evaluation.name(match.first), self._evaluation.name(match.second)
        number = self._evaluation.table.index(match) + 1
        values = match.means
        return self._picture(
            f"pair-{number}",
            f"{names[0]} v {names[1]}: differences and running mean",
            lambda theme: figures.pair_chart(names, values, theme),
        )

    def _matches(self) -> str:
        return _table(
            ("agent", "opponent", "deals", "points a deal", "wins", "VP", "time a decision"),
            [(*match_cells(match), thinking_cell(match)) for match in self.found["matches"]],
            names=2,
        )

    def _ladder(self) -> str:
        rows = []
        for agent in range(len(self._names)):
            signs = np.concatenate(
                [np.zeros(0)]
                + [np.sign(m.means) for m in self._evaluation.table if m.first[0] == agent]
                + [-np.sign(m.means) for m in self._evaluation.table if m.second[0] == agent]
            )
            counts = [int((signs == sign).sum()) for sign in (1, 0, -1)]
            rows.append(
                (self._names[agent], counts, (counts[0] + counts[1] / 2) / max(1, len(signs)))
            )
        rows.sort(key=lambda row: -row[2])
        return _table(
            ("agent", "won", "tied", "lost", "rate", ""),
            [
                (
                    f"{place}  {name}",
                    *(f"{count:,}" for count in counts),
                    f"{rate:.1%}" if sum(counts) else "-",
                    _Raw(_bar(counts)),
                )
                for place, (name, counts, rate) in enumerate(rows, start=1)
            ],
        )

    def _behaviour(self) -> str:
        """Mean of each count over the agent's matches, a deal as much as any other."""
        means: dict[str, list[tuple[int, dict[str, float | None]]]] = {}
        keys = list(self.found["matches"][0]["behaviour"]["a"]) if self.found["matches"] else []
        for match in self.found["matches"]:
            for key in "ab":
                means.setdefault(match[key], []).append((match["deals"], match["behaviour"][key]))
        rows = []
        for name, counted in means.items():
            deals = sum(count for count, _ in counted)
            cells = [
                text(sum(n * (values[key] or 0) for n, values in counted) / deals, ".2f")
                if deals
                else "-"
                for key in keys
            ]
            rows.append((name, *cells))
        return _table(("agent", *(key.replace("_", " ") for key in keys)), rows)

    def _deals_needed(self) -> str:
        return _table(
            (
                "agent",
                "opponent",
                "s.d. a deal",
                "variance reduction",
                *(f"{p} points" for p in POINTS),
            ),
            [effort_cells(match) for match in self.found["matches"]],
            names=2,
        )

    def _partners(self) -> str:
        explanation = (
            "<p>The agent with a partner, in either seat, against two of the opponent; beside it "
            "two of the partner on the same deals, and what the agent adds.</p>"
        )
        return explanation + _table(
            ("agent", "with", "against two", "points a deal", "two of the partner", "added"),
            [partner_cells(row) for row in self.found["partners"]],
            names=3,
        )


class _Raw(str):
    """HTML that is to be left as it is."""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], names: int = 1) -> str:
    """A table that scrolls by itself where it is too wide; its first columns hold names."""

    def cell(tag: str, column: int, words: str) -> str:
        if isinstance(words, _Raw):
            return f"<{tag}>{words}</{tag}>"
        if column >= names:
            return f"<{tag}>{escape(words)}</{tag}>"
        whole = f' title="{escape(words)}"' if len(words) > NAME else ""
        return f'<{tag} class="name"{whole}>{escape(shortened(words, NAME))}</{tag}>'

    lines = [
        "<tr>" + "".join(cell(tag, column, words) for column, words in enumerate(row)) + "</tr>"
        for tag, row in [("th", head), *(("td", row) for row in rows)]
    ]
    body = "\n".join(lines[1:])
    return (
        f'<div class="scroll"><table><thead>{lines[0]}</thead>\n<tbody>{body}</tbody></table></div>'
    )


def _bar(counts: Sequence[int]) -> str:
    total = max(1, sum(counts))
    parts = (
        f'<i class="{kind}" style="width:{count / total:.2%}"></i>'
        for kind, count in zip(("won", "tied", "lost"), counts, strict=True)
    )
    return f'<span class="bar">{"".join(parts)}</span>'


def _float(value: float | None) -> float:
    return math.nan if value is None else value


def _uri(data: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(data).decode("ascii")
