"""How `expert` plays, and the numbers that it judges by."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import documentation, parameters
from agents.expert import ExpertAgent, score_actions
from agents.parameters import NUM_PARAMETERS, PARAMETERS, TABLES, UNTUNED, tuned, write_tuned
from agents.rollout import GREEDY, decide, new_desk, play_out, write_leads
from agents.valuation import NOTES_DTYPE, take_notes
from agents.views import MINE, THEIRS
from burraco_env import Batch, Game, Rules, scoring
from burraco_env import documentation as blocks
from burraco_env.actions import DISCARD, DRAW_STOCK
from burraco_env.cards import card_index
from burraco_env.observations import segment
from tests.play import GAME_IDS, GAMES, INTERPRETED
from tests.positions import CLEAN, SIX, game
from tests.test_agents import ask

pytestmark = [pytest.mark.boundscheck]

UNTUNED_EXPERT = ExpertAgent.of(np.stack([UNTUNED, UNTUNED]))
"""Its judgement does not change when `expert` is tuned again."""


def expert(start: Game) -> str:
    """What the untuned expert decides."""
    return start.text(ask(UNTUNED_EXPERT, [start])[0])


def notes_on(start: Game) -> np.void:
    """The untuned expert's notes on a position."""
    notes = np.zeros(1, dtype=NOTES_DTYPE)
    take_notes(start.observation(), UNTUNED, notes[0])
    return notes[0]


@pytest.mark.nojit
def test_it_completes_a_burraco() -> None:
    assert expert(game(hand="9h 4c 8d Kc", melds=[SIX])) == f"layoff 9h to {SIX}"


@pytest.mark.nojit
def test_it_puts_no_wild_on_a_clean_burraco() -> None:
    assert expert(game(hand="Jo 4c 8d Kc", melds=[CLEAN])).startswith("discard")


@pytest.mark.nojit
def test_it_does_not_waste_a_wild_on_a_short_meld_while_its_hand_is_full() -> None:
    start = game(hand="Jo 8s Kc Th 6d Jd Qs 3c", melds=["4c-4d-4h"])
    for agent in (UNTUNED_EXPERT, ExpertAgent()):
        assert start.text(ask(agent, [start])[0]).startswith("discard")


@pytest.mark.nojit
def test_it_keeps_what_belongs_together_and_discards_the_rest() -> None:
    assert expert(game(hand="5c 6c 9d 9s Kh")) == "discard Kh"


@pytest.mark.nojit
def test_it_does_not_discard_what_the_others_can_lay_off() -> None:
    choice = expert(game(hand="5c 6c 9d 9s Kh Jd", opponents=["Kc-Ks-Kd-Ks-Kh-Kc"]))
    assert choice == "discard Jd"


@pytest.mark.nojit
def test_it_picks_up_a_pile_that_fits_its_melds_and_leaves_a_useless_card() -> None:
    hand = "5c 7c 9d 9s Kh"
    assert expert(game(hand=hand, phase="draw", pile="9h Th 3s", melds=[SIX])) == "pickup"
    assert expert(game(hand=hand, phase="draw", pile="Qd")) == "draw"


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("named", "choice"),
    [
        ({"seats": 2}, "pickup"),
        ({"seats": 2, "turn": 99}, "pickup"),
        ({"seats": 2, "turn": 100}, "draw"),
        ({"seats": 2, "pile": "Qd Jh"}, "draw"),
        ({"seats": 2, "turn": 199, "pile": "Jo"}, "pickup"),
        ({"seats": 2, "turn": 200, "pile": "Jo"}, "draw"),
        ({"seats": 2, "stock": 15}, "draw"),  # the deal is short now
        ({"seats": 3}, "draw"),
        ({"seats": 4}, "draw"),
        ({"preset": "international", "seats": 2}, "draw"),
        ({"preset": "rummyroyal"}, "draw"),
        ({"preset": "mini", "hand": "5c 7d", "pile": "3d"}, "draw"),
    ],
)
def test_when_it_takes_a_single_card(named: dict[str, Any], choice: str) -> None:
    given = {"hand": "5c 7c 9d 9s Kh", "phase": "draw", "pile": "Qd", **named}
    assert expert(game(**given)) == choice


def test_two_experts_who_take_each_others_discards_come_to_an_end() -> None:
    rules = Rules.preset("italian", 2)
    batch, agent = Batch(rules, 2 if INTERPRETED else 40, seed=3), ExpertAgent()
    while not batch.over.all():
        live = np.flatnonzero(~batch.over)
        states = np.zeros(len(live), dtype=np.uint64)
        batch.step(agent.act(batch.observations[live], batch.masks[live], states), live)
    assert (batch.games["turn"] > 100).any()
    assert (batch.games["turn"] < 300).all()  # the stock has 63 cards


@pytest.mark.nojit
def test_it_chooses_a_two_before_a_joker() -> None:
    start = game(hand="Jo 2c 2s 4c 8d Kc", melds=[SIX])
    start.play(f"layoff *(2h) to {SIX}")
    assert start.phase == "wild"
    assert expert(start) == "wild 2c"


@pytest.mark.nojit
def test_notes_count_what_is_unseen() -> None:
    notes = notes_on(game(hand="5c 5c 9d Jo", melds=[SIX], opponents=["Kc-Ks-2d"]))
    unseen = {
        card: int(notes["unseen"][card_index(card)])
        for card in ("5c", "9d", "Jo", "Kc", "2d", "5h", "Ah")
    }
    assert unseen == {"5c": 0, "9d": 1, "Jo": 3, "Kc": 1, "2d": 1, "5h": 1, "Ah": 2}


@pytest.mark.nojit
def test_notes_say_what_fits_whose_melds() -> None:
    notes = notes_on(game(hand="5c 9d", melds=[SIX], opponents=["Kc-Ks-Kd"]))
    assert notes["gains"][MINE, card_index("9h")] > 100  # it makes a burraco
    assert notes["gains"][THEIRS, card_index("9h")] == 0
    assert notes["gains"][THEIRS, card_index("Kh")] > 0
    assert notes["near"][MINE, card_index("Th")] == 1


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("hand", "left"),
    [
        ("4c 4d 4h 9h", 0),  # a new set, and a lay-off on the run
        ("4c 4d 4h 9h Th", 0),
        ("4c 4d 4h Kd", 1),
        ("4c 4d Jo", 0),  # the wild makes a set of the pair
        ("5s 6s 7s 8s Kd Qd", 2),
        ("Jo Jo Jo 4s", 3),  # one wild fits the run, the others fit nothing
    ],
)
def test_notes_say_how_many_cards_would_be_left(hand: str, left: int) -> None:
    assert notes_on(game(hand=hand, melds=[SIX]))["left"] == left


@pytest.mark.parametrize(("preset", "seats"), GAMES, ids=GAME_IDS)
def test_notes_leave_hand_and_pile_as_they_are(preset: str, seats: int) -> None:
    """Judging an action takes cards out of the hand on trial; all must be back."""
    batch = Batch(Rules.preset(preset, seats), 4, seed=5)
    notes = np.zeros(1, dtype=NOTES_DTYPE)
    table = np.stack([UNTUNED, UNTUNED])
    for _ in range(20 if INTERPRETED else 150):
        for row in np.flatnonzero(batch.counts > 0):
            observation = batch.observations[row]
            best = score_actions(observation, batch.masks[row], table, notes[0])
            assert batch.masks[row, best] == 1
            if batch.games[row]["phase"] < 2:
                assert (notes[0]["hand"] == batch.games[row]["hands"][batch.seats[row]]).all()
                assert (notes[0]["pile"] == segment(observation, "pile")).all()
                assert (notes[0]["unseen"] >= 0).all()
        batch.step_random()


@pytest.mark.nojit
def test_the_best_discard_and_the_stock_score_0() -> None:
    notes = np.zeros(1, dtype=NOTES_DTYPE)
    table = np.stack([UNTUNED, UNTUNED])
    start = game(hand="5c 6c 9d 9s Kh")
    score_actions(start.observation(), start.mask(), table, notes[0])
    scores = notes[0]["scores"][[i for i in start.legal_ids() if i >= DISCARD]]
    assert scores.max() == 0
    start = game(hand="5c 6c 9d", phase="draw", pile="Kh")
    score_actions(start.observation(), start.mask(), table, notes[0])
    assert notes[0]["scores"][DRAW_STOCK] == 0


def test_a_rollout_plays_as_the_agents_do() -> None:
    """`decide` and the agents answer the same, for `expert` and for `greedy`."""
    from agents.greedy import GreedyAgent

    desk, table = new_desk(), tuned()[None]
    agents = {0: ExpertAgent(), GREEDY: GreedyAgent()}
    for policy, agent in agents.items():
        now = Game.deal(Rules.preset("italian"), seed=8)
        while not now.is_over:
            chosen = ask(agent, [now])[0]
            assert decide(now.copy()._game, policy, table, desk[0]) == chosen
            now.play(now.text(chosen))
        again = Batch(Rules.preset("italian"), 1, seed=8).games
        play_out(again[0], np.full(4, policy), table, desk[0])
        assert again[0]["phase"] == 3


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_leads_are_the_differences_of_the_rewards(seats: int) -> None:
    batch, desk = Batch(Rules.preset("italian", seats), 6, seed=4), new_desk()
    for _ in range(40 if INTERPRETED else 400):
        batch.step_random()
    for row, wanted in enumerate(scoring.differences(batch.points())):
        write_leads(batch.games[row], desk[0])
        assert desk[0]["leads"][:seats] == pytest.approx(wanted)
        assert desk[0]["points"][:seats] == pytest.approx(batch.points()[row])


def test_every_parameter_has_a_name_of_its_own_and_a_meaning() -> None:
    names = [name for name, _, _ in PARAMETERS]
    assert len(set(names)) == NUM_PARAMETERS
    for index, name in enumerate(names):
        assert getattr(parameters, name.upper()) == index
    with pytest.raises(AttributeError, match="no attribute 'TWINN'"):
        _ = parameters.TWINN
    sources = "".join(
        Path(f"agents/{module}.py").read_text(encoding="utf-8")
        for module in ("expert", "valuation")
    )
    shared = {
        f"{kind}_{n}"
        for kind in ("run_clean", "run_dirty", "set_clean", "set_dirty")
        for n in (2, 3, 4)
    }
    for name in set(names) - shared:
        assert re.search(rf"\bat\.{name.upper()}\b", sources), name


def test_every_parameter_is_tuned_for_both_tables() -> None:
    found = json.loads(parameters.TUNED_FILE.read_text(encoding="utf-8"))
    assert tuple(found) == TABLES
    for table in TABLES:
        assert list(found[table]) == [name for name, _, _ in PARAMETERS]
    assert tuned().shape == (2, NUM_PARAMETERS)
    assert np.isfinite(tuned()).all()


def test_the_documented_parameters_are_those_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[1] / "docs" / "agents.md").read_text(encoding="utf-8")
    assert f"{documentation.parameters_table()}\n<!-- end: expert-parameters -->" in page
    monkeypatch.setattr(blocks, "BLOCKS", dict(blocks.BLOCKS))
    documentation.register()
    assert blocks.rewritten(page) == page


def test_tuned_values_are_written_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parameters, "TUNED_FILE", tmp_path / "expert.json")
    values = np.arange(2 * NUM_PARAMETERS, dtype=np.float64).reshape(2, -1) / 8
    write_tuned(values)
    assert (tuned() == values).all()
    assert [path.name for path in tmp_path.iterdir()] == ["expert.json"]


def test_parameters_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match=rf"shape \(2, {NUM_PARAMETERS}\), not \(3,\)"):
        ExpertAgent.of(np.zeros(3))
