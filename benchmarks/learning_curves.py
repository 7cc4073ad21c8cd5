"""How runs with different seeds learned: `python -m benchmarks.learning_curves RUN RUN RUN`.

Reads the run folders that `train.py` writes. The runs must have the same options but for seed and
folder; a figure of one seed says little, since checkpoints swing by 20 points.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
import tyro

from agents.runs import CONFIG_FILE, METRICS_FILE

OWN = ("seed", "out", "tensorboard", "threads")
"""Options in which the runs may differ."""


@dataclass(frozen=True)
class Args:
    """Print a table of learning curves; with `--out` draw them too."""

    runs: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """Run folders."""
    agent: str = "expert"
    """Against whom."""
    rows: int = 8
    """Rows of the table, evenly spread over the time."""
    out: Path | None = None
    """PNG file to draw to."""


def read_curve(run: Path, agent: str) -> npt.NDArray[np.float64]:
    """The evaluations of a run: minutes, decisions, mean points, half-width of the interval.

    Returns:
        float64[evaluations, 4].

    Raises:
        ValueError: no such run, or it was never played against the agent.
    """
    path = run / METRICS_FILE
    if not path.is_file():
        raise ValueError(f"{run} is no run folder with {METRICS_FILE}")
    rows = []
    for text in path.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        if agent in line:
            low, high = line[agent]["ci95"]
            points = line[agent]["mean_points"]
            rows.append((line["seconds"] / 60, line["decisions"], points, (high - low) / 2))
    if not rows:
        raise ValueError(f"{run} was not played against {agent} while it was trained")
    return np.array(rows)


def check_options(runs: Sequence[Path]) -> None:
    """Refuse runs that are no seeds of one training.

    Raises:
        ValueError: they differ in more than seed, folder and threads.
    """
    found = [json.loads((run / CONFIG_FILE).read_text(encoding="utf-8")) for run in runs]
    kept = [{name: v for name, v in config.items() if name not in OWN} for config in found]
    for run, config in zip(runs, kept, strict=True):
        differing = [name for name, value in config.items() if value != kept[0].get(name)]
        if differing:
            raise ValueError(f"{run} differs from {runs[0]} in {', '.join(differing)}")


def table(curves: Sequence[npt.NDArray[np.float64]], rows: int) -> list[str]:
    """Lines of Markdown: the evaluations nearest to evenly spread times.

    Args:
        curves: as `read_curve` gives them.
        rows: how many lines at most.
    """
    end = min(curve[-1, 0] for curve in curves)
    lines = ["| minutes | million decisions | each run | mean |", "|---|---|---|---|"]
    taken: set[tuple[int, ...]] = set()
    for minutes in np.linspace(end / rows, end, rows):
        at = tuple(int(np.abs(curve[:, 0] - minutes).argmin()) for curve in curves)
        if at in taken:
            continue
        taken.add(at)
        found = np.array([curve[index] for curve, index in zip(curves, at, strict=True)])
        each = ", ".join(f"{points:+.1f} ± {half:.1f}" for points, half in found[:, 2:])
        mean = found.mean(axis=0)
        lines.append(f"| {mean[0]:.1f} | {mean[1] / 1e6:.1f} | {each} | {mean[2]:+.1f} |")
    return lines


def main(args: Args) -> None:
    """Print the table and draw the figure."""
    curves = [read_curve(run, args.agent) for run in args.runs]
    check_options(args.runs)
    print("\n".join(table(curves, args.rows)))
    if args.out is not None:
        from agents.figures import LIGHT, learning_chart, png

        args.out.parent.mkdir(parents=True, exist_ok=True)
        args.out.write_bytes(png(learning_chart(curves, args.agent, LIGHT)))


if __name__ == "__main__":
    main(tyro.cli(Args))
