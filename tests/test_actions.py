"""The action space: lossless, documented, the same for all."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from burraco_env import NUM_ACTIONS, Game, Rules
from burraco_env.actions import SEGMENTS, action_text, all_texts
from burraco_env.state import MAX_RUNS, MAX_SETS
from tests.play import GAME_IDS, GAMES, play_on

pytestmark = [pytest.mark.nojit, pytest.mark.boundscheck]


def test_at_most_a_thousand_ids_in_segments_without_a_gap() -> None:
    assert NUM_ACTIONS <= 1_000
    assert SEGMENTS[0].start == 0
    for before, after in pairwise(SEGMENTS):
        assert before.stop == after.start
    assert SEGMENTS[-1].stop == NUM_ACTIONS


@pytest.mark.parametrize(("name", "seats"), GAMES, ids=GAME_IDS)
def test_every_legal_decision_has_one_id_and_back(name: str, seats: int) -> None:
    game = Game.deal(Rules.preset(name, seats), seed=21)
    for now in play_on(game, random.Random(21), bias=6.0):
        ids = now.legal_ids().tolist()
        texts = now.legal()
        assert len(set(ids)) == len(ids)
        assert len(set(texts)) == len(texts)
        for action, text in zip(ids, texts, strict=True):
            assert now.id(text) == action
            assert now.text(action) == text


def test_ids_without_a_lay_off_read_the_same_in_every_state() -> None:
    first, other = (Game.deal(Rules.preset("italian"), seed=seed) for seed in (1, 2))
    melds_end = next(segment.start for segment in SEGMENTS if segment.name == "layoff_run")
    texts = [action_text(first.state[0], action) for action in range(melds_end)]
    assert len(set(texts)) == melds_end
    assert texts == [action_text(other.state[0], action) for action in range(melds_end)]
    for action in range(melds_end, NUM_ACTIONS):
        with pytest.raises(ValueError, match="which is not there"):
            first.text(action)
    for wrong in (-1, NUM_ACTIONS):
        with pytest.raises(ValueError, match=f"{wrong} is no action; actions are 0 to 984"):
            first.text(wrong)


def test_two_ids_read_the_same_only_on_twin_melds() -> None:
    game = Game.deal(Rules.preset("app-2005"), seed=3)
    for now in play_on(game, random.Random(3), bias=6.0):
        if now.is_over:
            assert all_texts(now.state[0]) == {}
            continue
        position = now.position()
        side = next(i for i, seats in enumerate(position["sides"]) if now.seat in seats)
        melds = position["melds"][side]
        texts = []
        for action in range(NUM_ACTIONS):
            try:
                texts.append(now.text(action))
            except ValueError:
                continue
        if len(set(melds)) == len(melds):
            assert len(set(texts)) == len(texts)
        assert set(texts) == set(all_texts(now.state[0]))


def test_slot_bounds_are_the_bounds_of_the_deck() -> None:
    """`state.py` proves them; here the proof is run for every split of the twos of a suit."""
    most = 0
    for natural_twos in range(3):
        wilds = 4 + 6 + (2 - natural_twos)
        for runs in range(1, 20):
            for with_wild in range(min(runs, wilds) + 1):
                if 3 * runs - with_wild <= 24 + natural_twos:
                    most = max(most, runs)
    assert most == MAX_RUNS
    assert MAX_SETS == 8 // 2
