"""The worked cases of the rules: each position with the right answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from burraco_env import Game, IllegalActionError

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "cases.json").read_text(encoding="utf-8")
)


@pytest.mark.nojit
@pytest.mark.boundscheck
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    game = Game.from_position(case["position"])
    assert game.position() == case["position"]
    if "points" in case:
        assert [side["total"] for side in game.points()] == case["points"], case["why"]
        return
    assert (case["decision"] in game.legal()) == case["legal"], case["why"]
    if not case["legal"]:
        with pytest.raises(IllegalActionError):
            game.play(case["decision"])
        assert game.position() == case["position"]
        return
    game.play(case["decision"])
    after = game.position()
    assert {key: after[key] for key in case["after"]} == case["after"], case["why"]
