"""The results of an evaluation as tables on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from agents.cells import effort_cells, match_cells, partner_cells, thinking_cell
from agents.evaluation import POINTS, Evaluation
from agents.formatting import text


def print_tables(console: Console, evaluation: Evaluation) -> None:
    """Print what the JSON holds."""
    found = evaluation.to_json()
    title = f"{found['preset']}, {found['seats']} seats, seed {found['seed']}: duplicate deals"
    rows: list[Sequence[str]] = [
        (
            *match_cells(match),
            f"{match['deals'] / max(match['seconds'], 1e-9):,.0f}",
        )
        for match in found["matches"]
    ]
    _print_table(
        console, title, ("a", "b", "deals", "points a deal", "a wins", "VP", "deals/s"), rows
    )
    _print_effort(console, found["matches"])
    for match in found["matches"]:
        behaviours = [match["behaviour"][key] for key in "ab"]
        rows = [
            (n.replace("_", " "), *(text(b[n], ".2f") for b in behaviours)) for n in behaviours[0]
        ]
        head = ("each deal", match["a"], match["b"])
        _print_table(console, f"{match['a']} v {match['b']}", head, rows, names=1)
    if evaluation.plan.agents > 2:
        rows = [
            (
                row["agent"],
                text(row["rating"], "+.0f"),
                " to ".join(text(value, "+.0f") for value in row["ci95"]),
            )
            for row in found["ratings"]
        ]
        _print_table(console, "Bradley-Terry", ("agent", "rating (Elo)", "95 %"), rows, names=1)
    if "partners" in found:
        _print_partners(console, found["partners"])


def _print_effort(console: Console, matches: list[dict[str, Any]]) -> None:
    """Print how many deals it takes to see a difference, and how long the agents think."""
    head = (
        "a",
        "b",
        "s.d.",
        "variance reduction",
        *(f"see {p}" for p in POINTS),
        "time a decision",
    )
    rows = [
        (
            *effort_cells(match),
            thinking_cell(match),
        )
        for match in matches
    ]
    title = "deals needed to see so many points (80 % power, 5 % level)"
    _print_table(console, title, head, rows)


def _print_partners(console: Console, found: list[dict[str, Any]]) -> None:
    head = ("agent", "with", "v two", "points a deal", "two of the partner", "added")
    _print_table(console, "partners", head, [partner_cells(row) for row in found], names=3)


def _print_table(
    console: Console,
    title: str,
    head: tuple[str, ...],
    rows: Sequence[Sequence[str]],
    names: int = 2,
) -> None:
    """Print a table whose first columns hold names, the others numbers."""
    table = Table(title=title)
    for column, word in enumerate(head):
        if column < names:
            table.add_column(word, overflow="fold")
        else:
            table.add_column(word, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console.print(table)
