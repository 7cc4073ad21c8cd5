"""Decisions a second, beside two public environments: `python -m benchmarks.throughput --help`.

Every rate is the best of several repeats. Other work on the machine can only slow a repeat down, so
the best one is nearest to what the code can do. The repeats of all rates are interleaved: one of
each, then the next of each, so that ratios compare what ran under the same conditions.
"""

from __future__ import annotations

import importlib.metadata
import itertools
import json
import math
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, TypeAlias

import numba
import numpy as np
import numpy.typing as npt

from benchmarks import peers
from burraco_env import Batch, Game, Rules, single

ROOT = Path(__file__).parents[1]
INSTALL = 'make bench, or pip install -e ".[bench]" -c constraints.txt'
BEGIN, END = "<!-- begin: throughput -->", "<!-- end: throughput -->"

Rate: TypeAlias = Callable[[float], float]
"""Measures for that many seconds and returns how often a second something was done."""
Results: TypeAlias = dict[str, Any]
"""What the run found, as it goes into the JSON file; a rate that could not be measured is None."""


@dataclass(frozen=True)
class Args:
    """Measure the engine: `italian`, 4 seats, random legal play, mask and observation included."""

    seconds: float = 0.2
    """Length of one repeat of one rate."""
    repeats: int = 30
    """Repeats of each rate; the best one counts."""
    games: int = 1024
    """Batch size of the main figures."""
    batch_sizes: tuple[int, ...] = (1, 16, 256, 4096)
    """Batch sizes to compare on one thread."""
    warm_up: int = 600
    """Decisions in each game before the clock starts: code is compiled then, and the games stand at
    different points of their deals."""
    deals: int = 1000
    """Whole deals from which the mean number of decisions of a deal is taken."""
    peers: bool = True
    """Time RLCard and OpenSpiel too, if they are installed."""
    start: bool = True
    """Time the first decision of a new process, with an empty compile cache and with a full one."""
    json: Path | None = None
    """File to write all figures to."""
    docs: Path | None = None
    """Markdown file whose table, between two markers, is replaced by the one of this run."""

    def __post_init__(self) -> None:
        """Refuse values that could not be measured, before minutes are spent."""
        if not self.seconds > 0:
            raise ValueError(f"seconds must be above 0, not {self.seconds}")
        for name in ("repeats", "games", "deals"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.json is not None and not self.json.parent.is_dir():
            raise ValueError(f"{self.json.parent} is no folder to write {self.json.name} to")
        if self.docs is not None:
            with_table(self.docs.read_text(encoding="utf-8"), "")


def batch_rate(rules: Rules, games: int, threads: int, warm_up: int) -> Rate:
    """Decisions a second of `Batch.step_random`; a step that deals anew takes time, but is none."""
    numba.set_num_threads(threads)
    batch = Batch(rules, games)
    for _ in range(warm_up):
        batch.step_random()

    def rate(seconds: float) -> float:
        numba.set_num_threads(threads)
        decisions, elapsed = 0, 0.0
        while elapsed < seconds:
            decisions += int(np.count_nonzero(batch.counts))
            start = time.perf_counter()
            batch.step_random()
            elapsed += time.perf_counter() - start
        return decisions / elapsed

    return rate


def decisions_per_deal(rules: Rules, deals: int) -> float:
    """Mean number of decisions of a deal of random play; the same whenever the rules are."""
    batch = Batch(rules, deals)
    running = np.ones(deals, dtype=np.bool_)
    decisions = 0
    while running.any():
        decisions += int(np.count_nonzero(running))
        batch.step_random()
        running &= ~batch.over
    return decisions / deals


def positions(rules: Rules, games: int, steps: int) -> npt.NDArray[np.void]:
    """Up to `games` states in the middle of a deal, after `steps` random decisions in each."""
    batch = Batch(rules, games)
    for _ in range(steps):
        batch.step_random()
    return batch.games[~batch.over]


def copy_rate(states: npt.NDArray[np.void]) -> Rate:
    """Copies a second of the state of one game."""

    def copy_all() -> int:
        for index in range(len(states)):
            single.copy(states[index : index + 1])
        return len(states)

    return lambda seconds: peers.per_second(copy_all, seconds)


def resample_rate(states: npt.NDArray[np.void]) -> Rate:
    """Redraws a second of all that the seat to act cannot see, each into a new copy."""
    rng = np.random.default_rng(0)
    seats = states["seat"].tolist()

    def resample_all() -> int:
        for index, seat in enumerate(seats):
            single.resampled(states[index : index + 1], seat, rng)
        return len(states)

    return lambda seconds: peers.per_second(resample_all, seconds)


def text_rate(rules: Rules) -> Rate:
    """Decisions a second of whole deals in text: `Game.legal` and `Game.play`."""
    seeds, rng = itertools.count(), random.Random(0)

    def play_deal() -> int:
        game = Game.deal(rules, seed=next(seeds))
        while not game.is_over:
            game.play(rng.choice(game.legal()))
        return len(game.decisions)

    return lambda seconds: peers.per_second(play_deal, seconds)


def game_rate(rules: Rules) -> Rate:
    """Decisions a second of one `Game` driven as the peers are: ids, mask and observation."""
    seeds, rng = itertools.count(), random.Random(0)

    def play_deal() -> int:
        game = Game.deal(rules, seed=next(seeds))
        while not game.is_over:
            legal = game.legal_ids()
            game.mask()
            game.observation()
            game.play_id(int(legal[rng.randrange(len(legal))]))
        return len(game.decisions)

    return lambda seconds: peers.per_second(play_deal, seconds)


_START = """\
import time
start = time.perf_counter()
import burraco_env
rules = burraco_env.Rules.preset("italian", seats=4)
game = burraco_env.Game.deal(rules, seed=0)
game.play(game.legal()[0])
print(time.perf_counter() - start, time.process_time())
burraco_env.Batch(rules, 2).step_random()
print(time.perf_counter() - start)
"""


def start_up(cache: Path | None = None) -> tuple[float, float, float, float]:
    """How long a new process takes.

    Args:
        cache: folder for numba's compiled code; None: the one that the package uses by itself.

    Returns:
        Seconds from `import burraco_env` to the first decision of a `Game`; CPU seconds until then;
        seconds from the import to the first step of a `Batch` made next; seconds of the whole
        process.
    """
    variables = dict(os.environ)
    if cache is not None:
        variables["NUMBA_CACHE_DIR"] = str(cache)
    command = [sys.executable, "-c", _START]
    start = time.perf_counter()
    done = subprocess.run(
        command, cwd=ROOT, env=variables, check=True, stdout=subprocess.PIPE, text=True
    )
    process = time.perf_counter() - start
    decision, cpu, batch = (float(word) for word in done.stdout.split())
    return decision, cpu, batch, process


_START_KEYS = {
    name: [f"{name}_{what}_s" for what in ("start", "start_cpu", "batch", "process")]
    for name in ("cold", "warm")
}


def _measure_start(progress: Callable[[str], None]) -> Results:
    results: Results = {}
    with tempfile.TemporaryDirectory() as cache:
        for name, runs in (("cold", 1), ("warm", 3)):
            progress(f"{name} start")
            best = min(start_up(Path(cache)) for _ in range(runs))
            results.update(zip(_START_KEYS[name], best, strict=True))
    return results


def _rates(args: Args, rules: Rules) -> dict[str, Rate]:
    """The rates to measure, by their key in the results."""
    rates = {
        _size_key(size): batch_rate(rules, size, 1, args.warm_up)
        for size in sorted({*args.batch_sizes, args.games})
    }
    if numba.config.NUMBA_NUM_THREADS >= 2:
        rates["decisions_per_s_2_threads"] = batch_rate(rules, args.games, 2, args.warm_up)
    numba.set_num_threads(1)
    states = positions(rules, 64, args.warm_up)
    rates["copies_per_s"] = copy_rate(states)
    rates["resamples_per_s"] = resample_rate(states)
    rates["game_text_decisions_per_s"] = text_rate(rules)
    rates["game_decisions_per_s"] = game_rate(rules)
    if args.peers:
        for key, peer in (
            ("openspiel_gin_rummy_per_s", peers.openspiel_gin_rummy),
            ("rlcard_gin_rummy_per_s", peers.rlcard_gin_rummy),
        ):
            try:
                peer(0.0)
            except ImportError:
                continue
            rates[key] = peer
    return rates


def _size_key(games: int) -> str:
    return f"decisions_per_s_batch_{games}"


def number_of_stages(args: Args) -> int:
    """How often `measure` reports progress."""
    return 1 + args.repeats + 2 * args.start


def measure(args: Args, progress: Callable[[str], None] = lambda stage: None) -> Results:
    """Measure all that `args` asks for; `progress` is called with a text as each stage begins."""
    rules = Rules.preset("italian", seats=4)
    threads = numba.get_num_threads()
    samples: dict[str, list[dict[str, float]]] = {}
    try:
        progress("warm-up")
        rates = _rates(args, rules)
        mean_decisions = decisions_per_deal(rules, args.deals)
        for repeat in range(args.repeats):
            progress(f"repeat {repeat + 1} of {args.repeats}")
            for key, rate in rates.items():
                samples.setdefault(key, []).append(_sample(rate, args.seconds))
    finally:
        numba.set_num_threads(threads)
    best = {key: max(taken, key=lambda one: one["rate"]) for key, taken in samples.items()}
    results = _summary(args, best)
    results["decisions_per_deal"] = mean_decisions
    for name in ("1_thread", "2_threads"):
        results[f"deals_per_s_{name}"] = _ratio(results[f"decisions_per_s_{name}"], mean_decisions)
    if args.start:
        results.update(_measure_start(progress))
    else:
        results.update(dict.fromkeys(itertools.chain(*_START_KEYS.values())))
    results["environment"] = environment()
    results["settings"] = {
        name: value for name, value in vars(args).items() if name not in ("json", "docs")
    }
    results["samples"] = samples
    return results


def _sample(rate: Rate, seconds: float) -> dict[str, float]:
    """A rate, and how many cores this process got meanwhile."""
    cpu, start = time.process_time(), time.perf_counter()
    value = rate(seconds)
    return {
        "rate": value,
        "cores": (time.process_time() - cpu) / (time.perf_counter() - start),
    }


def _summary(args: Args, best: dict[str, dict[str, float]]) -> Results:
    """The best rates, and their ratios."""
    one = best[_size_key(args.games)]
    results: Results = {
        "decisions_per_s_1_thread": one["rate"],
        "decisions_per_s_2_threads": _of(best, "decisions_per_s_2_threads", "rate"),
        "cores_1_thread": one["cores"],
        "cores_2_threads": _of(best, "decisions_per_s_2_threads", "cores"),
    }
    results["ratio_2_threads"] = _ratio(results["decisions_per_s_2_threads"], one["rate"])
    for peer in ("openspiel_gin_rummy", "rlcard_gin_rummy"):
        results[f"{peer}_per_s"] = _of(best, f"{peer}_per_s", "rate")
        results[f"ratio_{peer}"] = _ratio(one["rate"], results[f"{peer}_per_s"])
    others = {key: sample["rate"] for key, sample in best.items() if key not in results}
    return {**results, **others}


def _of(best: dict[str, dict[str, float]], key: str, what: str) -> float | None:
    return best[key][what] if key in best else None


def _ratio(value: float | None, other: float | None) -> float | None:
    return None if value is None or other is None else value / other


def environment() -> Results:
    """The machine and the versions that the figures belong to."""
    versions: Results = {}
    for package in ("numpy", "numba", "open_spiel", "rlcard"):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = None
    return {
        "date": date.today().isoformat(),
        "commit": _commit(),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **versions,
    }


def _cpu() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _commit() -> str | None:
    """Short name of the commit, and `+` if files have changed since; None outside a repository."""
    try:
        name, changes = (
            subprocess.run(
                ["git", *words], cwd=ROOT, check=True, capture_output=True, text=True
            ).stdout.strip()
            for words in (["rev-parse", "--short", "HEAD"], ["status", "--porcelain"])
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return name + "+" if changes else name


def rows(results: Results) -> list[tuple[str, str]]:
    """The table: what was measured, and the figure as text."""
    games = results["settings"]["games"]
    sizes = sorted({*results["settings"]["batch_sizes"], games})
    return [
        (
            f"decisions a second, 1 thread, {games} games",
            _per_s(results, "decisions_per_s_1_thread"),
        ),
        (
            f"decisions a second, 2 threads, {games} games",
            _per_s(results, "decisions_per_s_2_threads"),
        ),
        ("2 threads / 1 thread", _times(results["ratio_2_threads"])),
        ("deals a second, 1 thread", _per_s(results, "deals_per_s_1_thread")),
        ("deals a second, 2 threads", _per_s(results, "deals_per_s_2_threads")),
        ("decisions of a deal, mean", f"{results['decisions_per_deal']:.0f}"),
        *(
            (f"decisions a second, 1 thread, batch of {size:,}", _per_s(results, _size_key(size)))
            for size in sizes
        ),
        ("`copy` of a state, a second", _per_s(results, "copies_per_s")),
        ("`resample` of a state, a second", _per_s(results, "resamples_per_s")),
        (
            "decisions a second, `Game`, ids, mask and observation",
            _per_s(results, "game_decisions_per_s"),
        ),
        ("decisions a second, `Game`, text", _per_s(results, "game_text_decisions_per_s")),
        ("decisions a second, OpenSpiel gin_rummy", _per_s(results, "openspiel_gin_rummy_per_s")),
        ("this engine, 1 thread / OpenSpiel", _times(results["ratio_openspiel_gin_rummy"])),
        ("decisions a second, RLCard gin-rummy", _per_s(results, "rlcard_gin_rummy_per_s")),
        ("this engine, 1 thread / RLCard", _times(results["ratio_rlcard_gin_rummy"])),
        *(
            (f"start, {cache} compile cache: {what}", _seconds(results[key]))
            for name, cache in (("cold", "empty"), ("warm", "full"))
            for key, what in zip(
                _START_KEYS[name],
                ("first decision", "its CPU time", "then a `Batch`", "whole process"),
                strict=True,
            )
        ),
    ]


def _per_s(results: Results, key: str) -> str:
    """A rate to three digits: the fourth is noise."""
    value = results.get(key)
    if value is None:
        return "not measured"
    digits = 2 - math.floor(math.log10(value)) if value > 0 else 0
    return f"{round(value, min(digits, 0)):,.0f}"


def _times(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.3g} times"


def _seconds(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.2f} s"


_FREE_REPEATS = 5
"""So many repeats must have had the cores to themselves for the best one to be trusted."""


def notes(results: Results) -> list[str]:
    """What a reader must know to judge the figures."""
    found = []
    lacking = [name for name in ("open_spiel", "rlcard") if results["environment"][name] is None]
    if lacking:
        found.append(f"Not installed: {', '.join(lacking)}. To compare: {INSTALL}")
    one_thread = _size_key(results["settings"]["games"])
    for key, threads in ((one_thread, 1), ("decisions_per_s_2_threads", 2)):
        samples = results["samples"].get(key, [])
        free = sum(sample["cores"] > 0.95 * threads for sample in samples)
        if free < min(len(samples), _FREE_REPEATS):
            found.append(
                f"The machine was busy: only {free} of {len(samples)} repeats with threads = "
                f"{threads} got as many cores, so the rate may be too low."
            )
    start, cpu = results["cold_start_s"], results["cold_start_cpu_s"]
    if start is not None and cpu < 0.9 * start:
        found.append(
            f"The machine was busy: the start with an empty cache waited for a core in "
            f"{start - cpu:.0f} of {start:.0f} seconds."
        )
    return found


def title(results: Results) -> str:
    """One line that says where the figures come from."""
    where = results["environment"]
    versions = ", ".join(
        f"{name} {where[name]}"
        for name in ("python", "numpy", "numba", "open_spiel", "rlcard")
        if where[name]
    )
    commit = where["commit"] or "unknown"
    return (
        f"{where['date']}, commit {commit}, {where['cpu']} with {where['cores']} cores, {versions}"
    )


def markdown(results: Results) -> str:
    """The table for the documentation."""
    lines = [f"Measured {title(results)}.", "", "| | |", "|---|---:|"]
    lines += [f"| {what} | {figure} |" for what, figure in rows(results)]
    for note in notes(results):
        lines += ["", note]
    return "\n".join(lines)


def with_table(text: str, table: str) -> str:
    """The text with what stands between the markers replaced.

    Raises:
        ValueError: not exactly one pair of markers.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in rest or END in after:
        raise ValueError(f"the file must have one {BEGIN} and one {END} behind it")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def main() -> None:
    """Measure, print the table, write the files asked for."""
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
        task = bar.add_task("", total=number_of_stages(args))
        stages = itertools.count()
        results = measure(
            args, lambda stage: bar.update(task, completed=next(stages), description=stage)
        )
    table = Table(title=title(results), show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for what, figure in rows(results):
        table.add_row(what.replace("`", ""), figure)
    console.print(table)
    for note in notes(results):
        console.print(note, markup=False)
    if args.json is not None:
        args.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    if args.docs is not None:
        text = args.docs.read_text(encoding="utf-8")
        args.docs.write_text(with_table(text, markdown(results)), encoding="utf-8")


if __name__ == "__main__":
    main()
