"""The figures of a report, drawn with matplotlib, for a light and for a dark page.

Names stand beside the marks or above them, never turned or overlapping, and are shortened in the
middle where there is no room. matplotlib is imported with this module, so import it only to draw.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from matplotlib.textpath import text_to_path

from agents.formatting import shortened, text
from agents.statistics import Interval, mean_over_deals, running_mean

Values = npt.NDArray[np.float64]
DPI = 192
"""Two dots a CSS pixel, so that figures are sharp on a phone."""
FONT = 9.0
BINS = 40


@dataclass(frozen=True)
class Theme:
    """Colours of a page.

    Attributes:
        name: its name.
        page: the background.
        ink: text.
        faint: axes and help lines.
        first: for the first agent, and what is above 0.
        second: for the second agent, and what is below 0.
    """

    name: str
    page: str
    ink: str
    faint: str
    first: str
    second: str


LIGHT = Theme("light", "#ffffff", "#1d2430", "#c3c9d2", "#1f6fb2", "#c2571a")
DARK = Theme("dark", "#171b21", "#e4e8ee", "#434b57", "#62b0f0", "#f0935a")


def png(figure: Figure) -> bytes:
    """The figure as a PNG file."""
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=DPI, metadata={"Software": None})
    return out.getvalue()


def _figure(theme: Theme, width: float, height: float) -> Figure:
    """An empty figure of so many inches."""
    figure = Figure(figsize=(width, height), facecolor=theme.page)
    FigureCanvasAgg(figure)
    return figure


def _width(words: str, bold: bool = False) -> float:
    """Width of a text in inches."""
    font = FontProperties(size=FONT, weight="bold" if bold else "normal")
    width: float = text_to_path.get_text_width_height_descent(words, font, ismath=False)[0]
    return width / 72


def _fitting(name: str, inches: float, bold: bool = False) -> str:
    """The name, shortened until it is no wider than that."""
    length = min(len(name), 80)
    while length > 3 and _width(shortened(name, length), bold) > inches:
        length -= 1
    return shortened(name, length)


def _panel(figure: Figure, theme: Theme, left: float, bottom: float, height: float) -> Any:
    """Axes so many inches from the left and the bottom, up to the right edge."""
    width, whole = figure.get_size_inches()
    axes = figure.add_axes(
        (left / width, bottom / whole, (width - left - 0.12) / width, height / whole)
    )
    _plain(axes, theme)
    return axes


def _write(axes: Any, theme: Theme, x: float, y: float, words: str, **options: Any) -> None:
    """Write text as it is; a dollar in the name of an agent begins no formula."""
    options = {"color": theme.ink, "fontsize": FONT, "parse_math": False, **options}
    axes.text(x, y, words, **options)


def _plain(axes: Any, theme: Theme) -> None:
    axes.set_facecolor(theme.page)
    for side, spine in axes.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(theme.faint)
    axes.tick_params(colors=theme.ink, labelsize=FONT - 1, length=0)
    axes.xaxis.label.set(color=theme.ink, fontsize=FONT)


def cross_table(names: Sequence[str], means: Values, halves: Values, theme: Theme) -> Figure:
    """Points a deal of the agent of the row against that of the column, as a heat map.

    Args:
        names: of the agents, best first.
        means: float64[agents, agents]; NaN: did not meet.
        halves: half-widths of their intervals; NaN: unknown.
        theme: the colours.
    """
    count, cell, height = len(names), 0.82, 0.5
    labels = [f"{_fitting(name, 1.5)}  {place}" for place, name in enumerate(names, start=1)]
    label = 0.25 + max(map(_width, labels))
    figure = _figure(theme, label + count * cell + 0.1, (count + 1) * height + 0.1)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(-label / cell, count + 0.1 / cell)
    axes.set_ylim(count + 0.1 / height, -1)
    colours = LinearSegmentedColormap.from_list("points", [theme.second, theme.page, theme.first])
    top = float(np.nanmax(np.abs(means))) if np.isfinite(means).any() else 0.0
    for row, line in enumerate(labels):
        _write(axes, theme, -0.12, row + 0.5, line, ha="right", va="center")
        _write(axes, theme, row + 0.5, -0.3, f"v {row + 1}", ha="center", va="center")
        for column in range(count):
            mean, half = float(means[row, column]) + 0.0, float(halves[row, column])
            known = top > 0 and not math.isnan(mean)
            shade = colours(0.5 + 0.42 * mean / top if known else 0.5)
            _cell(axes, theme, (column, row), shade, (mean, half))
    return figure


def _cell(
    axes: Any, theme: Theme, corner: tuple[int, int], shade: Any, result: tuple[float, float]
) -> None:
    """A cell of the cross table with a mean and its half-width, each left out where it is NaN."""
    (x, y), (mean, half) = corner, result
    box = Rectangle((x + 0.02, y + 0.03), 0.96, 0.94, fc=shade, ec=theme.faint, lw=0.5)
    axes.add_patch(box)
    options = {"ha": "center", "va": "center", "color": _ink_on(shade)}
    if not math.isnan(mean):
        _write(axes, theme, x + 0.5, y + 0.37, f"{mean:+.1f}", fontweight="bold", **options)
    if not math.isnan(half):
        _write(axes, theme, x + 0.5, y + 0.7, f"± {half:.1f}", fontsize=FONT - 1.5, **options)


def _ink_on(shade: Any) -> str:
    """Black or white, whichever reads better on a colour."""
    red, green, blue = (
        part / 12.92 if part <= 0.04 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(shade)
    )
    return "#000000" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 else "#ffffff"


def rating_chart(
    names: Sequence[str], ratings: Sequence[float], intervals: Sequence[Interval], theme: Theme
) -> Figure:
    """Ratings with their intervals, the name above each; NaN is left out."""
    count = len(names)
    figure = _figure(theme, 4.4, 0.56 * count + 0.6)
    axes = _panel(figure, theme, 0.12, 0.5, 0.56 * count + 0.1)
    axes.axvline(0, color=theme.faint, lw=1)
    for row, (rating, interval) in enumerate(zip(ratings, intervals, strict=True)):
        if not math.isnan(rating):
            axes.plot(interval, [row, row], color=theme.first, lw=2.5, solid_capstyle="round")
            axes.plot([rating], [row], "o", color=theme.first, ms=6)
    for row, name in enumerate(names):
        words = f"{_fitting(name, 3.5)}  {text(_known(ratings[row]), '+.0f')}"
        box = {"facecolor": theme.page, "edgecolor": "none", "pad": 1}
        at = axes.get_yaxis_transform()
        _write(axes, theme, 0.0, row - 0.27, words, transform=at, bbox=box)
    axes.set_ylim(count - 0.5, -0.85)
    axes.margins(x=0.08)
    axes.set_yticks([])
    axes.set_xlabel("Elo points, 0 is the mean of the table; 95 % intervals")
    return figure


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def pair_chart(names: tuple[str, str], values: Values, theme: Theme) -> Figure:
    """How the difference a deal is distributed, and its mean as deals are played.

    Args:
        names: the two teams.
        values: points of the first minus points of the second, float64[deals].
        theme: the colours.
    """
    figure = _figure(theme, 4.4, 4.3)
    above = _panel(figure, theme, 0.5, 2.4, 1.4)
    below = _panel(figure, theme, 0.5, 0.45, 1.4)
    title = f"{_fitting(names[0], 3.7, bold=True)}\nv {_fitting(names[1], 3.5, bold=True)}"
    _write(above, theme, 0, 1.06, title, transform=above.transAxes, fontweight="bold")
    _histogram(above, values, theme)
    _running(below, values, theme)
    return figure


def _histogram(axes: Any, values: Values, theme: Theme) -> None:
    axes.set_xlabel("points a deal, first minus second")
    axes.set_yticks([])
    if not len(values):
        return
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    width = max(high - low, 1.0) / BINS
    edges = width * np.arange(math.floor(low / width), math.ceil(high / width) + 1)  # one at 0
    if len(edges) > 1:
        for wanted, colour in ((values > 0, theme.first), (values < 0, theme.second)):
            counts, _ = np.histogram(values[wanted], edges)
            axes.stairs(counts, edges, fill=True, color=colour, alpha=0.85)
    ties = [-width / 3, width / 3]
    axes.stairs([int((values == 0).sum())], ties, fill=True, color=theme.ink, alpha=0.45)
    axes.set_ylim(bottom=0)
    axes.axvline(0, color=theme.ink, lw=0.8)
    axes.axvline(values.mean(), color=theme.ink, lw=1.2, ls="--")


def _running(axes: Any, values: Values, theme: Theme) -> None:
    axes.set_xlabel("deals played: mean of the points a deal, 95 % interval")
    axes.grid(axis="y", color=theme.faint, lw=0.5)
    counts, means, halves = running_mean(values)
    if not len(counts):
        return
    axes.axhline(0, color=theme.ink, lw=0.8)
    axes.fill_between(counts, means - halves, means + halves, color=theme.first, alpha=0.25, lw=0)
    axes.plot(counts, means, color=theme.first, lw=1.6)
    end = mean_over_deals(values)
    room = 6 * max(end.interval.half_width, float(np.abs(values).max()) * 1e-3, 0.5)
    ends = [end.mean - room, end.mean + room, *([0.0] if abs(end.mean) < 2 * room else [])]
    axes.set_ylim(min(ends), max(ends))
    axes.set_xlim(0, len(values))


def learning_chart(curves: Sequence[Values], agent: str, theme: Theme) -> Figure:
    """Points a deal against an agent while runs with different seeds learned.

    Args:
        curves: of each run, float64[evaluations, 4]: minutes, decisions, mean points, half-width of
            their interval.
        agent: against whom.
        theme: the colours.
    """
    figure = _figure(theme, 6.4, 4.8)
    for bottom, column, unit, label in (
        (2.75, 1, 1e6, "million decisions learned from"),
        (0.45, 0, 1.0, "minutes, evaluations within"),
    ):
        axes = _panel(figure, theme, 0.6, bottom, 1.75)
        axes.grid(axis="y", color=theme.faint, lw=0.5)
        axes.axhline(0, color=theme.ink, lw=0.8)
        for curve in curves:
            at, means, halves = curve[:, column] / unit, curve[:, 2], curve[:, 3]
            low, high = means - halves, means + halves
            axes.fill_between(at, low, high, color=theme.first, alpha=0.12, lw=0)
            axes.plot(at, means, color=theme.first, lw=1.4)
        axes.set_xlim(left=0)
        axes.set_xlabel(label)
        title = f"points a deal v {agent}, 95 % intervals of each run"
        _write(axes, theme, 0, 1.05, title, transform=axes.transAxes)
    return figure
