"""Train an agent by self-play: `python train.py --help`."""

from __future__ import annotations

import sys


def main() -> int:
    """Read the command line, train, say where the run folder is."""
    try:
        import tyro

        from agents.sb3_training import Args, train
    except ImportError as error:
        print(f'{error}; install the extra: pip install -e ".[train]" -c constraints.txt')
        return 1
    try:
        args = tyro.cli(Args)
    except ValueError as error:
        print(f"train.py: {error}", file=sys.stderr)
        return 2
    folder = train(args)
    print(f"run folder: {folder} (play it: python evaluate.py {folder} greedy random)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
