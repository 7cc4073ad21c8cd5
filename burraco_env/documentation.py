"""The parts of the documentation that are generated from the code.

    python -m burraco_env.documentation            # rewrite them
    python -m burraco_env.documentation --check    # exit with 1 where one is stale

A generated block stands in a Markdown file between `<!-- begin: NAME -->` and
`<!-- end: NAME -->`; `BLOCKS` has the names, and blocks with other names are left to other scripts.
The files are `README.md` and `docs/*.md` of the repository that holds the package.
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import itertools
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from burraco_env import actions, observations
from burraco_env.env import (
    MAX_DEALS,
    STATE_SEGMENTS,
    STATE_SIZE,
    env,
    observation_box,
    raw_env,
)
from burraco_env.layout import Segment
from burraco_env.registration import environment_ids
from burraco_env.rules import MAX_SEATS, Rules, Value, seat_counts

ROOT = Path(__file__).resolve().parents[1]
"""The repository."""

_BLOCK = re.compile(
    r"(?P<begin><!-- begin: (?P<name>\S+) -->\n)(?P<body>.*?)(?P<end><!-- end: (?P=name) -->)",
    re.DOTALL,
)
_MARKER = re.compile(r"<!-- (?:begin|end): \S+ -->")


def presets_table() -> str:
    """Fields in which some preset differs from `italian` with four seats; empty: as `italian`."""
    presets = {name: Rules.preset(name) for name in Rules.PRESET_NAMES}
    default = Rules()
    rows = [["seats", *(_value(seat_counts(name)) for name in presets)]]
    for field in _fields():
        if any(getattr(rules, field.name) != field.default for rules in presets.values()):
            cells = (_cell(rules, default, field.name) for rules in presets.values())
            rows.append([f"`{field.name}`", *cells])
    lines = [_table(["field", *(f"`{name}`" for name in presets)], rows), ""]
    return "\n".join([*lines, *_seat_lines(presets)])


def fields_table() -> str:
    """Name, default, meaning and section of each field of `Rules` that can be overridden."""
    rows = [
        [
            f"`{field.name}`",
            _value(field.default),
            field.metadata["doc"],
            field.metadata["spec"],
        ]
        for field in _fields()
    ]
    return _table(["field", "default", "meaning", "section"], rows)


def actions_table() -> str:
    """Segments of the action space."""
    rows = [
        [
            f"`{segment.name}`",
            str(segment.start),
            str(segment.size),
            _shape(segment.shape),
            segment.indices,
            segment.meaning,
        ]
        for segment in actions.SEGMENTS
    ]
    total = f"{actions.NUM_ACTIONS} ids in all."
    head = ["segment", "first id", "ids", "shape", "indices", "decisions"]
    return f"{_table(head, rows)}\n\n{total}"


def observation_table() -> str:
    """Segments of the observation."""
    total = f"{observations.OBSERVATION_SIZE} numbers in all."
    return f"{_segments_table(observations.SEGMENTS)}\n\n{total}"


def state_table() -> str:
    """Segments of the full state."""
    return f"{_segments_table(STATE_SEGMENTS)}\n\n{STATE_SIZE} numbers in all."


def environment_table() -> str:
    """The facts of the PettingZoo environment."""
    vector = observation_box()
    low, high = int(vector.low.min()), int(vector.high.max())
    spaces = f"`Box({low}, {high}, ({observations.OBSERVATION_SIZE},), int8)`"
    mask = f"`Box(0, 1, ({actions.NUM_ACTIONS},), int8)`"
    default = Rules()
    rows = [
        ["made by", '`burraco_env.env(...)`, `pettingzoo.make("aec", id)`'],
        ["interface", "AEC, one agent at a time; the same agent acts until its turn ends"],
        ["agents", f"`player_0` to `player_{MAX_SEATS - 1}`, one a seat"],
        ["action space", f"`Discrete({actions.NUM_ACTIONS})`"],
        ["observation space", f"`Dict`: `observation` {spaces}, `action_mask` {mask}"],
        ["state space", f"`Box({low}, {high}, ({STATE_SIZE},), int8)`"],
        ["reward", "at the end of a deal, own points minus the other side's, divided by 100"],
        ["termination", "the deal (or the match) is over"],
        [
            "truncation",
            f"stalemate after `max_turns` turns ({default.max_turns} by default); "
            f"a match after {MAX_DEALS} deals",
        ],
        ["render modes", ", ".join(f"`{mode}`" for mode in raw_env.metadata["render_modes"])],
        ["version", f"`{raw_env.metadata['name']}`"],
    ]
    return _table(["", ""], rows)


def arguments_table() -> str:
    """The arguments of `burraco_env.env`, from its signature and its docstring."""
    meanings = _documented_arguments(inspect.getdoc(env) or "")
    rows = []
    for name, parameter in inspect.signature(env).parameters.items():
        many = parameter.kind is inspect.Parameter.VAR_KEYWORD
        default = "" if many else f"`{parameter.default!r}`"
        rows.append([f"`{'**' if many else ''}{name}`", default, meanings[name]])
    return _table(["argument", "default", "meaning"], rows)


def ids_table() -> str:
    """The registered ids."""
    rows = [
        [f"`{name}`", f"`{arguments['preset']}`", str(arguments["seats"])]
        for name, arguments in environment_ids().items()
    ]
    return _table(["id", "preset", "seats"], rows)


def versions_table() -> str:
    """The table of environment versions, from the changelog."""
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    start = lines.index("## Environment versions") + 1
    section = itertools.takewhile(lambda line: not line.startswith("## "), lines[start:])
    return "\n".join(line for line in section if line.startswith("|"))


BLOCKS: dict[str, Callable[[], str]] = {
    "presets": presets_table,
    "fields": fields_table,
    "actions": actions_table,
    "observation": observation_table,
    "environment": environment_table,
    "state": state_table,
    "arguments": arguments_table,
    "ids": ids_table,
    "versions": versions_table,
}
"""The generated blocks, by the name in their markers."""


def rewritten(text: str) -> str:
    """A Markdown text with its generated blocks brought up to date.

    Raises:
        ValueError: a marker without its counterpart.
    """
    if lone := _MARKER.search(_BLOCK.sub("", text)):
        raise ValueError(f"{lone.group()} has no counterpart")
    return _BLOCK.sub(_fresh, text)


def documented_files(root: Path = ROOT) -> list[Path]:
    """`README.md`, if there is one, and the pages of `docs`."""
    readme = root / "README.md"
    return [path for path in (readme, *sorted((root / "docs").glob("*.md"))) if path.exists()]


def stale_files(files: Iterable[Path]) -> dict[Path, str]:
    """The files with a block that is not up to date, and what they should be.

    Raises:
        ValueError: broken markers; it names the file.
    """
    stale = {}
    for path in files:
        text = path.read_text(encoding="utf-8")
        try:
            wanted = rewritten(text)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        if wanted != text:
            stale[path] = wanted
    return stale


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Rewrite or check the generated blocks; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m burraco_env.documentation",
        description="Rewrite the generated tables in README.md and docs/*.md.",
    )
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if stale")
    check = parser.parse_args(arguments).check
    try:
        stale = stale_files(documented_files(root))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    for path, text in stale.items():
        name = path.relative_to(root)
        if check:
            print(f"{name} is stale; run python -m burraco_env.documentation", file=sys.stderr)
        else:
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"{name} rewritten")
    return 1 if check and stale else 0


def _fresh(block: re.Match[str]) -> str:
    if block["name"] not in BLOCKS:
        return block.group()
    return f"{block['begin']}{BLOCKS[block['name']]()}\n{block['end']}"


def _fields() -> list[dataclasses.Field[Value]]:
    """The fields of `Rules` but the preset and the seats."""
    return [f for f in dataclasses.fields(Rules) if f.name not in ("preset_name", "seats")]


def _cell(rules: Rules, default: Rules, name: str) -> str:
    value = getattr(rules, name)
    plain = value == getattr(default, name) and rules.preset_name != default.preset_name
    return "" if plain else _value(value)


def _seat_lines(presets: dict[str, Rules]) -> list[str]:
    """What differs with another seat count of a preset than its first."""
    lines = []
    for name, rules in presets.items():
        for seats in seat_counts(name)[1:]:
            other = Rules.preset(name, seats)
            changes = [
                f"`{field.name}` {_value(getattr(other, field.name))}"
                for field in _fields()
                if getattr(other, field.name) != getattr(rules, field.name)
            ]
            if changes:
                lines.append(f"* `{name}` with {seats} seats: {', '.join(changes)}.")
    return lines


def _segments_table(segments: Iterable[Segment]) -> str:
    rows = [
        [
            f"`{segment.name}`",
            str(segment.start),
            str(segment.size),
            _shape(segment.shape),
            segment.indices,
            segment.meaning,
            str(segment.high),
        ]
        for segment in segments
    ]
    head = ["segment", "first", "numbers", "shape", "indices", "meaning", "largest"]
    return _table(head, rows)


def _documented_arguments(docstring: str) -> dict[str, str]:
    """Meaning of each argument in the section Args of a docstring in Google style."""
    section = docstring.partition("\nArgs:\n")[2].partition("\n\n")[0]
    entries = re.split(r"^    (?=\S)", section, flags=re.MULTILINE)[1:]
    pairs = (entry.partition(":") for entry in entries)
    return {name.strip("* "): " ".join(meaning.split()) for name, _, meaning in pairs}


def _value(value: object) -> str:
    """A value of a field as the tables write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if value is None or value == "":
        return "none"
    return str(value)


def _shape(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
