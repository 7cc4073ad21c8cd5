"""The cells that terminal, report and benchmark show of the same results, as text.

They take the rows of `Evaluation.to_json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.evaluation import POINTS
from agents.formatting import duration, rate, text, with_half_width

Cells = tuple[str, ...]


def match_cells(match: Mapping[str, Any]) -> Cells:
    """Agents, deals, points a deal, wins, Victory Points."""
    return (
        match["a"],
        match["b"],
        f"{match['deals']:,}",
        with_half_width(match["mean_points"], match["ci95"]),
        rate(match["win_rate"], match["win_rate_ci95"]),
        text(match["victory_points"], ".1f"),
    )


def effort_cells(match: Mapping[str, Any]) -> Cells:
    """Agents, standard deviation, variance reduction, deals needed for each of POINTS."""
    return (
        match["a"],
        match["b"],
        text(match["sd"], ".0f"),
        text(match["variance_reduction"], ".2f"),
        *(text(match["deals_needed"][str(points)], ",") for points in POINTS),
    )


def thinking_cell(match: Mapping[str, Any]) -> str:
    """Time a decision of both agents."""
    return " / ".join(duration(match["ms_per_decision"][key]) for key in "ab")


def partner_cells(row: Mapping[str, Any]) -> Cells:
    """Agent, partner, opponent; points a deal, those of two of the partner, what was added."""
    return (
        row["agent"],
        row["partner"],
        row["opponent"],
        with_half_width(row["mean_points"], row["ci95"]),
        with_half_width(row["partner_alone"], row["partner_alone_ci95"]),
        with_half_width(row["added"], row["added_ci95"]),
    )
