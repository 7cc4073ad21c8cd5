"""Train an agent by self-play: `python train.py --help`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Resume:
    """Go on with an interrupted run, with the options that it was started with."""

    resume: Path
    """Its run folder."""
    minutes: float | None = None
    """New time in all, with that before; None: as planned."""
    decisions: int | None = None
    """New number of decisions in all; None: as planned."""


def run(words: Sequence[str]) -> Path:
    """Train as the command line says; returns the run folder.

    Raises:
        ValueError: options that make no training.
    """
    import tyro

    choice = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    choice.add_argument("--algo", choices=("ppo", "sb3"), default="ppo")
    chosen, rest = choice.parse_known_args(words)
    if chosen.algo == "sb3":
        from agents import sb3_training

        return sb3_training.train(tyro.cli(sb3_training.Args, args=rest))
    from agents import options, runs

    if any(word.split("=")[0] == "--resume" for word in rest):
        again = tyro.cli(Resume, args=rest)
        return runs.resume(again.resume, again.minutes, again.decisions)
    return runs.train(tyro.cli(options.Args, args=rest))


def main() -> int:
    """Read the command line, train, say where the run folder is."""
    try:
        folder = run(sys.argv[1:])
    except ImportError as error:
        print(f'{error}; install the extra: pip install -e ".[train]" -c constraints.txt')
        return 1
    except ValueError as error:
        print(f"train.py: {error}", file=sys.stderr)
        return 2
    print(f"run folder: {folder} (play it: python evaluate.py {folder} greedy expert)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
