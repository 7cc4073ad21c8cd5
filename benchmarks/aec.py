"""Steps a second through PettingZoo's interface: `python -m benchmarks.aec --help`.

The plain loop over `agent_iter`, with `last`, the mask, a random legal action and `step`, in the
environments as their `env()` makes them: Burraco, and two of PettingZoo's own in the same run. A
*step* is a call of `step` that plays an action. Those by which agents leave after the end, and the
resets, take their time and count as none; `steps_with_exits_per_s` counts the former too.

The repeats of all environments are interleaved, and the best of each counts, as in
`benchmarks.throughput`.
"""

from __future__ import annotations

import importlib.metadata
import itertools
import json
import random
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from pettingzoo.utils import wrappers

import burraco_env
from benchmarks.throughput import INSTALL, Results, environment, title

Make: TypeAlias = Callable[[], Any]
"""Makes an environment."""

TARGETS = {"tictactoe_v3": 2.0, "texas_holdem_v4": 10.0}
"""How many times as fast as each of these `burraco_env.env()` has to be."""


@dataclass(frozen=True)
class Args:
    """Measure the `agent_iter` loop: Burraco, `italian`, 4 seats, beside PettingZoo's own."""

    seconds: float = 0.5
    """Length of one repeat of one environment."""
    repeats: int = 15
    """Repeats of each environment; the best one counts."""
    json: Path | None = None
    """File to write all figures to."""

    def __post_init__(self) -> None:
        """Refuse values that could not be measured, before minutes are spent."""
        if not self.seconds > 0:
            raise ValueError(f"seconds must be above 0, not {self.seconds}")
        if self.repeats < 1:
            raise ValueError(f"repeats must be at least 1, not {self.repeats}")
        if self.json is not None and not self.json.parent.is_dir():
            raise ValueError(f"{self.json.parent} is no folder to write {self.json.name} to")


def tictactoe() -> Any:
    """PettingZoo's `tictactoe_v3`.

    Raises:
        ImportError: pygame is not installed.
    """
    from pettingzoo.classic import tictactoe_v3

    return tictactoe_v3.env()


def texas_holdem() -> Any:
    """PettingZoo's `texas_holdem_v4`.

    Raises:
        ImportError: RLCard or pygame is not installed.
    """
    from pettingzoo.classic import texas_holdem_v4

    return texas_holdem_v4.env()


def with_the_same_wrappers() -> Any:
    """Burraco under the three wrappers that PettingZoo's own environments have."""
    env = wrappers.TerminateIllegalWrapper(burraco_env.raw_env(), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))


ENVIRONMENTS: dict[str, Make] = {
    "burraco": burraco_env.env,
    "burraco_same_wrappers": with_the_same_wrappers,
    "tictactoe_v3": tictactoe,
    "texas_holdem_v4": texas_holdem,
}


def loop_rates(env: Any, seconds: float, rng: random.Random) -> tuple[float, float]:
    """Play random episodes through `agent_iter` for that long; the one at hand is finished.

    Returns:
        Steps a second; the same with the steps by which agents leave.
    """
    steps = exits = 0
    draw = rng.random
    start = time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        env.reset()
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                exits += 1
                continue
            # As bytes of truth values: the fastest way that NumPy has to find the legal ones.
            legal = observation["action_mask"].view(bool).nonzero()[0]
            env.step(legal[int(draw() * len(legal))])
            steps += 1
    return steps / elapsed, (steps + exits) / elapsed


def measure(args: Args, progress: Callable[[str], None] = lambda stage: None) -> Results:
    """Measure all environments; `progress` is called with a text as each stage begins."""
    envs: dict[str, Any] = {}
    progress("warm-up")
    for name, make in ENVIRONMENTS.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # PettingZoo prefers its ids
                envs[name] = make()
        except ImportError:
            continue
        envs[name].reset(seed=0)
        loop_rates(envs[name], args.seconds / 10, random.Random(0))
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in envs}
    for repeat in range(args.repeats):
        progress(f"repeat {repeat + 1} of {args.repeats}")
        for name, env in envs.items():
            samples[name].append(loop_rates(env, args.seconds, random.Random(repeat)))
    best = {name: max(taken) for name, taken in samples.items()}
    return {
        "steps_per_s": {name: best[name][0] if name in best else None for name in ENVIRONMENTS},
        "steps_with_exits_per_s": {
            name: best[name][1] if name in best else None for name in ENVIRONMENTS
        },
        "ratios": {
            ours: {
                peer: best[ours][0] / best[peer][0] if peer in best else None for peer in TARGETS
            }
            for ours in ("burraco", "burraco_same_wrappers")
        },
        "targets": TARGETS,
        "environment": {**environment(), **_versions()},
        "settings": {name: value for name, value in vars(args).items() if name != "json"},
        "samples": samples,
    }


def _versions() -> Results:
    versions: Results = {}
    for package in ("gymnasium", "pettingzoo", "pygame-ce"):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = None
    return versions


def rows(results: Results) -> list[tuple[str, str, str, str]]:
    """The table: environment, its steps a second, and how many times as fast Burraco is."""
    found = []
    for name, rate in results["steps_per_s"].items():
        figure = "not installed" if rate is None else f"{rate:,.0f}"
        cells = [
            "" if name not in TARGETS or ratio is None else f"{ratio:.1f}"
            for ratio in (
                results["ratios"][ours].get(name) for ours in ("burraco", "burraco_same_wrappers")
            )
        ]
        found.append((name, figure, cells[0], cells[1]))
    return found


def main() -> None:
    """Measure, print the table, write the file asked for."""
    try:
        import tyro
        from rich.console import Console
        from rich.progress import Progress
        from rich.table import Table
    except ImportError as error:
        sys.exit(f"{error.name} is not installed; it comes with the extra bench: {INSTALL}")
    try:
        args = tyro.cli(Args)
    except (ValueError, OSError) as error:
        sys.exit(str(error))
    console = Console()
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("", total=1 + args.repeats)
        stages = itertools.count()
        results = measure(
            args, lambda stage: bar.update(task, completed=next(stages), description=stage)
        )
    table = Table(title=title(results))
    for head in ("environment", "steps a second", "burraco / it", "same wrappers / it"):
        table.add_column(head, justify="left" if head == "environment" else "right")
    for row in rows(results):
        table.add_row(*row)
    console.print(table)
    wanted = ", ".join(f"{times:g} times {name}" for name, times in TARGETS.items())
    console.print(f"Target: burraco at least {wanted}.", markup=False)
    if args.json is not None:
        args.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
