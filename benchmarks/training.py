"""Decisions learned a second: our trainer beside MaskablePPO: `python -m benchmarks.training`.

Both train the same network (two perceptrons over the observation, no prior, the critic sees what
the policy sees) against greedy and themselves, one after the other on the same threads.
"""

from __future__ import annotations

import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import torch
import tyro
from rich.console import Console

from agents import options, sb3_training
from agents.ppo import Trainer


@dataclass(frozen=True)
class Args:
    """Measure how many decisions a second each of the trainers learns from."""

    seconds: float = 60.0
    """Time for each of them."""
    threads: int = 1
    """Threads of PyTorch; of ours also of the games."""
    hidden: tuple[int, ...] = (256, 256)
    """Sizes of the hidden layers."""
    epochs: int = 2
    """Passes over each batch."""
    minibatch: int = 4096
    """Decisions of a step of the optimiser."""


def ours(args: Args, folder: Path) -> float:
    """Decisions learned a second by `agents.ppo`."""
    trainer = Trainer(
        options.Args(
            minutes=args.seconds / 60,
            out=folder,
            inputs="observation",
            prior="none",
            critic_sees_all=False,
            hidden=args.hidden,
            epochs=args.epochs,
            minibatch=args.minibatch,
            threads=args.threads,
            mixture=("snapshots=0.5", "greedy=0.5"),
        )
    )
    trainer.update()  # the first batch warms up
    trainer.seconds, before = 0.0, trainer.decisions
    while trainer.progress < 1:
        trainer.update()
    return (trainer.decisions - before) / trainer.seconds


def of_sb3(args: Args, folder: Path) -> float:
    """Decisions learned a second by MaskablePPO on `BurracoVecEnv`."""
    torch.set_num_threads(args.threads)
    start = time.monotonic()
    sb3_training.train(
        sb3_training.Args(
            minutes=args.seconds / 60,
            out=folder,
            hidden=args.hidden,
            epochs=args.epochs,
            batch_size=args.minibatch,
            opponents=("self", "greedy"),
            watch_seconds=10 * args.seconds,
            watch_deals=1,
        )
    )
    line = json.loads((folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    assert time.monotonic() - start >= args.seconds
    return float(line["decisions"] / line["seconds"])


def main() -> None:
    """Measure both and print the ratio."""
    args, console = tyro.cli(Args), Console()
    with tempfile.TemporaryDirectory() as folder:
        rates = {
            "agents.ppo": ours(args, Path(folder) / "ours"),
            "MaskablePPO": of_sb3(args, Path(folder) / "sb3"),
        }
    for name, rate in rates.items():
        console.print(f"{name}: {rate:,.0f} decisions learned a second")
    first, second = rates.values()
    console.print(f"ratio: {first / second:.1f}")


if __name__ == "__main__":
    main()
