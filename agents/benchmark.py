"""The benchmark: what an agent has to play, and the table of results.

docs/benchmark.md says how to enter an agent and what may be claimed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.cells import partner_cells, thinking_cell
from agents.evaluation import Evaluation
from agents.formatting import text, with_half_width
from agents.provenance import machine, versions
from agents.seeds import TEST

PROTOCOL = "burraco-benchmark/2"
"""Rises whenever results of the same agent might change."""


PRESET = "italian"
DEALS = 2_000
"""Test deals of a match."""
SLOW_DEALS = 200
"""Those of a match with a slow agent: one that declares `deals_at_once`."""
SEATS = (4, 2)
"""Seat counts of the tables, in order."""


def unofficial(evaluations: Sequence[Evaluation]) -> list[str]:
    """Why these are no results of the benchmark; empty: they are."""
    others = {e.plan.arena.seed for e in evaluations} - {TEST.seed}
    reasons = [f"seed {seed} instead of {TEST.seed}" for seed in others]
    fewer = {e.plan.deals for e in evaluations} - {DEALS}
    reasons += [f"{deals:,} deals a match instead of {DEALS:,}" for deals in fewer]
    if any(match.deals < e.plan.deals_of(match) for e in evaluations for match in e.matches):
        reasons.append("not all matches were played to the end")
    return reasons


def markdown(evaluations: Sequence[Evaluation], command: str, date: str) -> str:
    """The results as Markdown: the table, the cross-play if any, and what they rest on.

    Args:
        evaluations: one for each seat count.
        command: the command line.
        date: the day of the measurement.
    """
    tables = [evaluation.to_json() for evaluation in evaluations]
    reasons = unofficial(evaluations)
    threads = {e.plan.arena.workers for e in evaluations}
    lines = [
        f"Unofficial: {'; '.join(reasons)}.\n" if reasons else f"Protocol {PROTOCOL}.\n",
        "| seats | agent | opponent | deals | points a deal | wins | time a decision |",
        "|---:|---|---|---:|---:|---:|---:|",
    ]
    for table in tables:
        lines += [
            f"| {table['seats']} | {code(match['a'])} | {code(match['b'])} "
            f"| {match['deals']:,} | {with_half_width(match['mean_points'], match['ci95'])} "
            f"| {text(match['win_rate'], '.1%')} | {thinking_cell(match)} |"
            for match in table["matches"]
        ]
    for table in tables:
        lines += _partner_lines(table.get("partners", []))
    whole = tables[0]["commit"] or "unknown"
    commit = whole[:12] + "+" * whole.endswith("+")
    lines += [
        "",
        f"Measured {date}, commit {commit}, {machine()}, workers {max(threads)}, "
        + ", ".join(f"{name} {version}" for name, version in versions().items())
        + f", seed {tables[0]['seed']}: `{command}`",
    ]
    return "\n".join(lines) + "\n"


def _partner_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if not rows:
        return []
    lines = [
        "",
        "| agent | with | against two | deals | points a deal | two of the partner | added |",
        "|---|---|---|---:|---:|---:|---:|",
    ]
    for row in rows:
        names, points = partner_cells(row)[:3], partner_cells(row)[3:]
        cells = (*map(code, names), f"{row['deals']:,}", *points)
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def code(name: str) -> str:
    """A name as code in a cell of a table."""
    return "`" + name.replace("|", r"\|").replace("`", "'") + "`"
