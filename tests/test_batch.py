"""Batches: the same games whatever their number and the number of threads."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from burraco_env import Batch, Game, IllegalActionError, Rules
from tests.play import GAME_IDS, GAMES, INTERPRETED, some_positions

pytestmark = [pytest.mark.boundscheck]


def play(rules: Rules, num_games: int, steps: int) -> list[bytes]:
    """The states, masks and observations of a batch after so many random steps, game by game."""
    batch = Batch(rules, num_games, seed=31)
    for _ in range(steps):
        batch.step_random()
    return [
        batch.games[b].tobytes() + batch.masks[b].tobytes() + batch.observations[b].tobytes()
        for b in range(num_games)
    ]


@pytest.mark.parametrize(("name", "seats"), GAMES, ids=GAME_IDS)
def test_a_game_is_the_same_in_batches_of_1_7_and_1024_on_1_and_2_threads(
    name: str, seats: int
) -> None:
    rules = Rules.preset(name, seats)
    sizes, steps = ((1, 3, 5), 40) if INTERPRETED else ((1, 7, 1_024), 300)
    results = {}
    try:
        for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
            numba.set_num_threads(threads)
            for num_games in sizes:
                results[threads, num_games] = play(rules, num_games, steps)
    finally:
        numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    reference = results[1, sizes[-1]]
    assert len(set(reference)) == sizes[-1]
    for (_, num_games), games in results.items():
        assert games == reference[:num_games]


@pytest.mark.nojit
def test_a_batch_plays_what_single_games_play() -> None:
    rules = Rules.preset("italian", 2)
    batch = Batch(rules, 5, seed=8)
    games = [Game(rules, batch.games[b : b + 1].copy()) for b in range(5)]
    rng = np.random.default_rng(8)
    for _ in range(150):
        for b, game in enumerate(games):
            assert (game.mask() == batch.masks[b]).all()
            assert (game.observation() == batch.observations[b]).all()
            assert game.seat == batch.seats[b]
            assert game.is_over == batch.over[b]
            assert len(game.legal_ids()) == batch.counts[b]
        actions = np.array(
            [rng.choice(ids) if len(ids := game.legal_ids()) else 0 for game in games]
        )
        batch.step(actions)
        for game, action in zip(games, actions, strict=True):
            if not game.is_over:
                game.play_id(int(action))


@pytest.mark.nojit
def test_an_illegal_action_is_named_and_no_game_changes() -> None:
    batch = Batch(Rules.preset("italian"), 3, seed=1)
    before = batch.games.copy()
    with pytest.raises(
        IllegalActionError,
        match=r"game 1: action 900 .* is not legal for seat \d; legal: draw, pickup",
    ):
        batch.step(np.array([0, 900, 0]))
    with pytest.raises(IllegalActionError, match=r"game 2: action -1 .* is no action"):
        batch.step(np.array([0, 0, -1]))
    with pytest.raises(ValueError, match=r"actions must have the shape \(3,\), not \(2,\)"):
        batch.step(np.array([0, 0]))
    assert (batch.games == before).all()
    with pytest.raises(ValueError, match="num_games must be at least 1, not 0"):
        Batch(Rules.preset("italian"), 0)


@pytest.mark.nojit
def test_finished_games_stay_as_they_are_until_dealt_anew() -> None:
    batch = Batch(Rules.preset("mini", max_turns=2), 4, seed=2)
    while not batch.over.all():
        batch.step(batch.masks.argmax(axis=1))
    before = batch.games.copy()
    assert not batch.masks.any()
    batch.step(np.zeros(4, dtype=np.int64))
    assert (batch.games == before).all()
    batch.deal()
    assert not batch.over.any()
    first = batch.games.copy()
    batch.deal(seed=2, dealer=1)
    assert (batch.games["dealer"] == 1).all()
    assert not (batch.games["hands"] == first["hands"]).all()


@pytest.mark.nojit
def test_rows_are_stepped_dealt_and_observed_alone() -> None:
    batch = Batch(Rules.preset("italian"), 6, seed=3)
    before = batch.games.copy()
    rows = np.array([4, 1])
    batch.step(np.array([0, 0]), rows)
    assert (batch.games["phase"] == np.array([0, 1, 0, 0, 1, 0])).all()
    others = np.array([0, 2, 3, 5])
    assert (batch.games[others] == before[others]).all()
    seats = np.array([0, 3])
    seen = batch.observe(seats, rows)
    for row, seat, observation in zip(rows, seats, seen, strict=True):
        game = Game(batch.rules, batch.games[row : row + 1].copy())
        assert (observation == game.observation(int(seat))).all()
    batch.deal(rows=rows)
    assert (batch.games["phase"] == 0).all()
    assert (batch.games[others] == before[others]).all()
    batch.deal(seed=3)
    assert (batch.games["hands"] == before["hands"]).all()


@pytest.mark.nojit
@pytest.mark.parametrize(("name", "seats"), GAMES, ids=GAME_IDS)
def test_a_batch_of_finished_games_knows_their_points(name: str, seats: int) -> None:
    finished = [list(some_positions(name, seats, seed, every=10_000))[-1] for seed in range(3)]
    batch = Batch.of(finished[0].rules, np.concatenate([game.state for game in finished]))
    assert batch.over.all()
    assert not batch.masks.any()
    points = batch.points()
    assert points.tolist() == [game.seat_points() for game in finished]
    assert batch.points(np.array([2])).tolist() == points[2:].tolist()
