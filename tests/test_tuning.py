"""Tuning the expert: it plays the deals of the arena, moves the right row, refuses nonsense."""

from __future__ import annotations

import itertools
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from agents import parameters
from agents.arena import Arena, Entrant, dealt, joined
from agents.expert import ExpertAgent
from agents.greedy import GreedyAgent
from agents.parameters import TABLES, UNTUNED, tuned, write_tuned
from agents.tuning import Args, Tuner, differences, tune
from burraco_env import Batch, Rules

OTHERS = np.stack([UNTUNED, UNTUNED])


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_points_are_those_of_the_arena(seats: int) -> None:
    rules, deals = Rules.preset("italian", seats), 12
    games = dealt(rules, 17, 5, deals)
    expert = Entrant("expert", ExpertAgent())
    for other, entrant in (
        (None, Entrant("greedy", GreedyAgent())),
        (OTHERS, Entrant("untuned", ExpertAgent.of(OTHERS))),
    ):
        results = joined(list(Arena(rules, 17).play(expert, entrant, deals, start=5)))
        found = differences(games, tuned(), other)
        assert found == pytest.approx(results.differences.mean(axis=1), abs=1e-9)
        assert found.std() > 0


def test_an_expert_against_itself_gets_nothing() -> None:
    assert (differences(dealt(Rules.preset("italian"), 3, 0, 5), tuned(), tuned()) == 0).all()


def test_deals_are_those_of_a_batch() -> None:
    rules = Rules.preset("italian", 2)
    for name in ("hands", "stock", "pozzetti", "dealer"):
        whole = Batch(rules, 7, seed=9).games[name]
        assert (dealt(rules, 9, 4, 3)[name] == whole[4:]).all()


def small(**changes: Any) -> Args:
    options = {"games": ("mini",), "minutes": 0.002, "population": 4, "elite": 2, "deals": 6}
    return Args(**{**options, "confirm": 8, "workers": 2, **changes})


def test_a_generation_moves_the_row_of_its_seats_and_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tuned()
    monkeypatch.setattr(parameters, "TUNED_FILE", tmp_path / "expert.json")
    for row, game in enumerate(("mini:2", "italian:3")):
        write_tuned(before)
        kept = tuned()  # as it is written, rounded
        log = tmp_path / f"{row}.jsonl"
        tune(small(games=(game,), log=log), Console(width=200))
        assert (tuned()[row] != kept[row]).mean() > 0.9
        assert (tuned()[1 - row] == kept[1 - row]).all()
        lines = log.read_text(encoding="utf-8").splitlines()
        assert json.loads(lines[-1])["next_deal"] == 6 * len(lines) > 0
        assert re.search(
            rf"{game}: [+-][0-9.]+ ± [0-9.]+ v the expert before", capsys.readouterr().out
        )
    assert len(TABLES) == 2


def test_generations_are_the_same_whatever_the_threads() -> None:
    found = []
    for workers in (1, 3):
        with ThreadPoolExecutor(workers) as pool:
            tuner = Tuner(small(workers=workers), pool)
            lines = list(itertools.islice(tuner.generations(), 2))
        found.append((lines, tuner.values.tolist()))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"elite": 5}, "elite must be at most the population, not 5"),
        ({"population": 1}, "population must be at least 2, not 1"),
        ({"deals": 2}, "deals must be at least 3, not 2"),
        ({"greedy_share": 1.5}, "greedy_share must be from 0 to 1, not 1.5"),
        ({"games": ("italian:four",)}, "such as italian:4, not 'italian:four'"),
        ({"games": ("italian:2", "italian:4")}, "games must all have two seats, or all have more"),
        ({"games": ("italien",)}, "italien"),
    ],
)
def test_nonsense_is_refused_with_what_is_right(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        small(**changes)
