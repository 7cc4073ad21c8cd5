"""Matches between agents on duplicate deals: `python evaluate.py --help`."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents import benchmark
from agents.arena import Arena, Entrant
from agents.evaluation import (
    Evaluation,
    Match,
    Plan,
    all_crossings,
    all_pairs,
    baselines,
    number,
    numbers,
)
from agents.files import write_whole
from agents.formatting import with_half_width
from agents.game_records import RecordFile
from agents.registry import make_agent
from agents.seeds import TEST
from agents.statistics import mean_over_deals
from agents.tables import print_tables
from burraco_env.rules import Rules

FAILED, REFUSED, INTERRUPTED = 1, 2, 130
"""Exit codes."""
PIPED_WIDTH = 110
"""Columns of the tables where they do not go to a terminal."""
DEALS = 2000
SAVE_SECONDS, SHOW_SECONDS = 60.0, 0.5
"""How often the JSON is written, and the progress told, while a match is going on."""


@dataclass(frozen=True)
class Args:
    """Play all pairs of agents against each other on duplicate deals.

    The deck of each deal is played once for every assignment of the two agents to the sides, and
    agents draw from generators that belong to the deal and the seat. So an agent against itself
    gets exactly 0, and swapping two names negates their result. The deal is the unit of all
    intervals. One agent alone plays against the standard baselines: random, greedy, expert.
    docs/evaluation.md says what the numbers mean, docs/benchmark.md what the benchmark is.
    """

    agents: tyro.conf.Positional[tuple[str, ...]]
    """Names (random, greedy), with options as name:option=value,option=value, or paths of run
    folders or weights. One named twice plays against itself."""
    benchmark: bool = False
    """Play the standard table of the benchmark: the agents and the baselines, italian with 4 and
    with 2 seats, on its test deals. Print it as Markdown."""
    partners: tuple[str, ...] = ()
    """Agents that each agent is to play with besides, one in each seat of a side (4 seats only),
    against two of each opponent: the other agents, or the baselines in the benchmark."""
    preset: str = "italian"
    """Rules: the name of a preset."""
    seats: int | None = None
    """Seats; the default is the first seat count that the preset allows."""
    deals: int | None = None
    """Deals of each match, each played in all seatings; default 2000."""
    seed: int | None = None
    """Seed of the deals and of the agents' random choices; default 0, or the benchmark's own."""
    until: float | None = None
    """Play on, beyond --deals, until the 95 % interval of the points a deal is this narrow: plus or
    minus so many points."""
    json: Path | None = None
    """File to write all results to."""
    report: Path | None = None
    """Folder to write a report to: index.html, which needs no other file, and its figures."""
    records: Path | None = None
    """File to write the record of every game to, one JSON object a line."""
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    """Threads. The results do not depend on it."""

    def __post_init__(self) -> None:
        """Refuse what could not be played.

        Raises:
            ValueError: a value out of range, an unknown preset or a seat count it does not have.
        """
        if not self.agents and not self.benchmark:
            raise ValueError("an evaluation needs an agent; name two to play each other")
        if self.deals is not None and self.deals < 1:
            raise ValueError(f"deals must be at least 1, not {self.deals}")
        if self.until is not None and not self.until > 0:
            raise ValueError(f"until must be above 0 points, not {self.until}")
        for file in (self.json, self.records):
            if file is not None and not file.parent.is_dir():
                raise ValueError(f"{file.parent} is no folder to write {file.name} to")
        if self.report is not None and self.report.exists() and not self.report.is_dir():
            raise ValueError(f"{self.report} is no folder to write a report to")
        fixed = (self.preset, self.seats, self.until) != (benchmark.PRESET, None, None)
        if self.benchmark and fixed:
            raise ValueError("the benchmark has its own preset, seats and number of deals")
        if self.benchmark and (self.deals or 0) > benchmark.DEALS:
            raise ValueError(f"the benchmark has {benchmark.DEALS} deals, not {self.deals}")
        seats = [arena.rules.seats for arena in self.arenas()]
        if self.partners and 4 not in seats:
            raise ValueError(f"partners need four seats, not {seats[0]}")

    @property
    def table(self) -> tuple[str, ...]:
        """The agents of the table: those named, and the baselines where they take part."""
        if len(self.agents) > 1 and not self.benchmark:
            return self.agents
        return self.agents + tuple(name for name in baselines() if name not in self.agents)

    def arenas(self) -> list[Arena]:
        """Where they meet, table by table."""
        seed = self.seed if self.seed is not None else TEST.seed if self.benchmark else 0
        counts = benchmark.SEATS if self.benchmark else (self.seats,)
        return [
            Arena(
                Rules.preset(self.preset, seats),
                seed,
                self.workers,
                keep_actions=self.records is not None,
            )
            for seats in counts
        ]

    def plans(self) -> list[Plan]:
        """What is to be played.

        Raises:
            AgentError: an unknown agent or option.
        """
        texts = (*self.table, *(name for name in self.partners if name not in self.table))
        entrants = tuple(Entrant(text, make_agent(text)) for text in texts)
        table, named = range(len(self.table)), range(len(self.agents))
        alone = len(self.agents) == 1 and not self.benchmark
        pairs = tuple((0, other) for other in table[1:]) if alone else all_pairs(len(table))
        opponents = [texts.index(name) for name in baselines()] if self.benchmark else table
        partners = [texts.index(name) for name in dict.fromkeys(self.partners)]
        crossings = all_crossings(texts, named, partners, opponents)
        if self.partners and not crossings:
            raise ValueError("there is no agent to play with the partners against another")
        deals = self.deals or (benchmark.DEALS if self.benchmark else DEALS)
        return [
            Plan(
                arena,
                entrants,
                pairs,
                deals,
                self.until,
                benchmark.SLOW_DEALS if self.benchmark else None,
                crossings if arena.rules.seats == 4 else (),
            )
            for arena in self.arenas()
        ]


class Session:
    """What a command line asks for, as far as it has been played.

    Attributes:
        args: the arguments.
        evaluations: the tables.
        interrupted: whether the user broke it off.
    """

    def __init__(self, args: Args) -> None:
        """Make the agents.

        Raises:
            AgentError: an unknown agent or option.
        """
        self.args = args
        self.evaluations = [Evaluation(plan) for plan in args.plans()]
        self.interrupted = False
        self._saved = time.monotonic()

    def run(self, progress: Progress) -> None:
        """Play all matches. An interrupt by the user keeps what has been played."""
        records = None if self.args.records is None else RecordFile(self.args.records)
        try:
            for evaluation in self.evaluations:
                self._play(evaluation, records, progress)
        except KeyboardInterrupt:
            self.interrupted = True
        self._save_json()

    def _play(self, evaluation: Evaluation, records: RecordFile | None, progress: Progress) -> None:
        shown: Match | None = None
        task, told = progress.add_task("", so_far=""), 0.0
        for match in evaluation.play(records):
            now = time.monotonic()
            if match is not shown:
                name = f"{evaluation.name(match.first)} v {evaluation.name(match.second)}"
                progress.reset(task, description=name, total=evaluation.plan.deals_of(match))
                shown, told = match, 0.0
            if now - told > SHOW_SECONDS:
                mean, done = mean_over_deals(match.means), match.deals
                so_far = with_half_width(number(mean.mean), numbers(mean.interval))
                total = max(done, evaluation.plan.deals_of(match))
                progress.update(task, completed=done, total=total, so_far=so_far)
                told = now
            if now - self._saved > SAVE_SECONDS:
                self._save_json()
        progress.update(task, visible=False)
        self._save_json()

    def _save_json(self) -> None:
        if self.args.json is not None:
            words = json.dumps(self.to_json(), indent=2) + "\n"
            write_whole(self.args.json, words)
        self._saved = time.monotonic()

    def to_json(self) -> dict[str, Any]:
        """The table; of the benchmark what it is and its tables."""
        tables = [evaluation.to_json() for evaluation in self.evaluations]
        if not self.args.benchmark:
            return tables[0]
        reasons = benchmark.unofficial(self.evaluations)
        return {"protocol": benchmark.PROTOCOL, "unofficial": reasons, "tables": tables}

    @property
    def faults(self) -> list[str]:
        """What agents did wrong, one sentence each."""
        return [fault for evaluation in self.evaluations for fault in evaluation.faults]

    def markdown(self) -> str:
        """The results of the benchmark for docs/benchmark.md."""
        return benchmark.markdown(self.evaluations, command_line(), date.today().isoformat())

    def write_report(self) -> Path | None:
        """Write the report, if one is wanted; returns the path of its page."""
        if self.args.report is None:
            return None
        from agents.report import Origin, write_report

        notes = ["Interrupted: these are the results so far."] * self.interrupted
        if self.args.benchmark:
            notes += [f"Unofficial: {why}." for why in benchmark.unofficial(self.evaluations)]
        origin = Origin(command_line(), date.today().isoformat(), tuple(notes))
        page = write_report(self.args.report, self.evaluations, origin)
        if self.args.benchmark:
            (self.args.report / "benchmark.md").write_text(self.markdown(), encoding="utf-8")
        return page


def command_line() -> str:
    """The command as it was typed."""
    return shlex.join(["python", Path(sys.argv[0]).name, *sys.argv[1:]])


def main() -> int:
    """Read the command line, play, print; returns the exit code."""
    width = None if sys.stdout.isatty() else PIPED_WIDTH
    console = Console(width=width, markup=False, emoji=False)  # names are shown as they are
    errors = Console(stderr=True, soft_wrap=True, markup=False, emoji=False, highlight=False)
    try:
        args = tyro.cli(Args)
        session = Session(args)
    except ValueError as error:
        errors.print(f"evaluate.py: {error}", style="red")
        return REFUSED
    if len(args.agents) == 1 and not args.benchmark:
        others = ", ".join(args.table[1:])
        errors.print(f"{args.agents[0]} plays against the baselines: {others}")
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[so_far]}", markup=False),
    )
    with Progress(*columns, console=errors, transient=True) as progress:
        session.run(progress)
    for evaluation in session.evaluations:
        print_tables(console, evaluation)
    if args.benchmark:
        print(session.markdown())
    page = session.write_report()
    if page is not None:
        errors.print(f"report: {page}")
    for fault in session.faults:
        errors.print(f"evaluate.py: {fault}", style="red")
    if session.interrupted:
        errors.print("evaluate.py: interrupted; these are the results so far", style="red")
        return INTERRUPTED
    return FAILED if session.faults else 0


if __name__ == "__main__":
    sys.exit(main())
