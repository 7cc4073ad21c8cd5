"""The parts of the documentation that are generated from the agents.

python -m agents.documentation
"""

from __future__ import annotations

import sys

from agents.parameters import PARAMETERS, TABLES, tuned
from burraco_env import documentation


def parameters_table() -> str:
    """Name, values and meaning of the parameters of `expert`."""
    lines = [
        f"| parameter | {' | '.join(TABLES)} | what is worth it |",
        "| --- |" + " --- |" * (len(TABLES) + 1),
    ]
    for (name, _, meaning), *values in zip(PARAMETERS, *tuned(), strict=True):
        lines.append(f"| `{name}` | {' | '.join(f'{v:.3g}' for v in values)} | {meaning} |")
    return "\n".join(lines)


def register() -> None:
    """Let `burraco_env.documentation` write these blocks too."""
    documentation.BLOCKS["expert-parameters"] = parameters_table


if __name__ == "__main__":
    register()
    sys.exit(documentation.main())
