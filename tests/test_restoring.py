"""Rebuilding a game from an observation: it says the same again, and can be played on."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from agents.greedy import GreedyAgent
from burraco_env import NUM_ACTIONS, Batch, Game, Rules
from burraco_env.generator import generator_states
from burraco_env.resampling import resample
from burraco_env.restoring import restore
from burraco_env.state import (
    GAME_DTYPE,
    NO_CARD,
    OVER_PHASE,
    RULES_DTYPE,
    WILD_PHASE,
    rules_record,
)
from tests.play import GAME_IDS, GAMES, INTERPRETED
from tests.positions import SIX, game
from tests.test_invariants import all_cards

pytestmark = [pytest.mark.boundscheck]

Games = npt.NDArray[np.void]

OTHER_RULES: dict[str, Rules] = {
    "three pozzetti": Rules.preset("italian", 3, pozzetto_sizes=(11, 11, 11)),
    "three short suits": Rules.preset("mini", ranks="A23456", suits="cdh", jokers=2),
    "one copy": Rules.preset("fitab", 2, copies=1, hand_size=6, pozzetto_sizes=(5, 7)),
    "no low cards": Rules.preset("reale", 2, ranks="A789TJQK", hand_size=7, set_ranks="A79K"),
    "no pozzetti": Rules.preset(
        "rummyroyal", pozzetto_sizes=(), max_turns=250, unplayed_pozzetto_penalty=130
    ),
    "refill with three seats": Rules.preset(
        "coppie-2000", 3, pozzetti_refill_stock=True, pickup_top=True, dead_stock=0
    ),
}
"""Rules that no preset has."""

PUBLIC = (
    "seat", "phase", "dealer", "turn", "num_sides", "side_of", "hand_sizes", "stock_size",
    "pile_size", "first_pozzetto", "end_pozzetto", "taken_by", "unplayed", "num_runs",
    "num_sets", "no_return", "must_meld", "pending", "outcome", "closed_by", "totals",
)  # fmt: skip
"""Fields that seat 0 knows exactly."""


def restored(seen: npt.NDArray[np.int8]) -> Games:
    """One game for each observation."""
    games = np.zeros(len(seen), GAME_DTYPE)
    for index, observation in enumerate(seen):
        restore(observation, games[index])
    return games


def played(rules: Rules, games: int, steps: int, seed: int) -> Any:
    """The batch every few decisions: half the games are played by `greedy`, half at random."""
    dealt = Batch(rules, games, seed=seed).games
    dealt["totals"][:, : rules.seats] = 5 * np.array([402, -91, 641, 7])[: rules.seats]
    batch = Batch.of(rules, dealt)
    rng, agent = generator_states(seed, games), GreedyAgent()
    random = np.random.default_rng(seed)
    for step in range(steps):
        if step % 7 == 0:
            yield batch
        acting = ~batch.over
        greedy = np.flatnonzero(acting & (batch.rows % 2 == 0))
        others = np.flatnonzero(acting & (batch.rows % 2 == 1))
        if step % 50 == 0:
            greedy, others = others, greedy  # so that deals of random play end too
        if len(greedy):
            states = rng[greedy]
            batch.step(agent.act(batch.observations[greedy], batch.masks[greedy], states), greedy)
            rng[greedy] = states
        if len(others):
            batch.step(drawn(batch.masks[others], random), others)
        if step % 7 == 0:
            batch.deal(rows=np.flatnonzero(batch.over))


def drawn(masks: npt.NDArray[np.int8], random: np.random.Generator) -> npt.NDArray[np.int64]:
    """A random legal action in each row."""
    assert masks.any(axis=1).all(), "a seat has no legal action"
    return np.asarray((masks * random.random(masks.shape)).argmax(axis=1))


def check(batch: Batch, me: int) -> Batch:
    """Restore what seat `me` of each game sees; returns the restored games."""
    rules, seats = batch.rules, batch.rules.seats
    seen = batch.observe(np.full(len(batch.games), me))
    twin = Batch.of(rules, restored(seen))
    assert twin.observe(np.zeros(len(twin.games), np.int64)).tobytes() == seen.tobytes()
    acting = batch.seats == me
    assert (twin.seats == 0).tolist() == acting.tolist()
    assert (twin.masks[acting] == batch.masks[acting]).all()
    assert (twin.games["outcome"] == batch.games["outcome"]).all()
    closed_by = batch.games["closed_by"]
    assert (
        twin.games["closed_by"] == np.where(closed_by < 0, closed_by, (closed_by - me) % seats)
    ).all()
    twin_points = with_hands(twin, np.roll(batch.games["hands"][:, :seats], -me, axis=1)).points()
    assert np.array_equal(np.roll(batch.points(), -me, axis=1), twin_points)
    if me == 0:
        for name in PUBLIC:
            assert (twin.games[name] == batch.games[name]).all(), name
    return twin


def with_hands(batch: Batch, hands: npt.NDArray[np.int8]) -> Batch:
    """The same games with other hands."""
    games = batch.games.copy()
    games["hands"][:, : batch.rules.seats] = hands
    return Batch.of(batch.rules, games)


def check_possible(rules: Rules, games: Games, me_acts: npt.NDArray[np.bool_]) -> None:
    """All cards are there, the hands can be as they are, and the whole is a possible position."""
    deck = all_cards(Game.deal(rules, seed=1))
    record = rules_record(rules)
    for index, state in enumerate(games):
        now = Game(rules, games[index : index + 1])
        assert all_cards(now) == deck
        assert (state["hands"].sum(axis=1) == state["hand_sizes"]).all()
        assert (state["hands"] >= state["known"]).all()
        assert all((state["rules"][name] == record[name]).all() for name in RULES_DTYPE.names or ())
        if me_acts[index]:
            again = Game.from_position(now.position())
            assert again.legal() == now.legal()


def redrawn(games: Games, rows: npt.NDArray[np.int64], seed: int) -> Games:
    """Copies of the games in which all that seat 0 does not see is drawn anew."""
    twins, ids = games[rows].copy(), np.zeros(NUM_ACTIONS, np.int16)
    for index, state in enumerate(generator_states(seed, len(rows))):
        assert resample(twins[index], 0, state, ids)
    return twins


def play_out(rules: Rules, games: Games, seed: int) -> None:
    """Play at random to the end: no seat is ever without a decision, no card is lost."""
    batch, random = Batch.of(rules, games), np.random.default_rng(seed)
    deck = all_cards(Game.deal(rules, seed=1))
    while not batch.over.all():
        rows = np.flatnonzero(~batch.over)
        batch.step(drawn(batch.masks[rows], random), rows)
    for index in range(len(games)):
        assert all_cards(Game(rules, batch.games[index : index + 1])) == deck


def happenings(batch: Batch) -> Counter[str]:
    """How many of the games are in a state that is hard to restore."""
    now, rules = batch.games, batch.rules
    return Counter({
        "wild": int((now["phase"] == WILD_PHASE).sum()),
        "over": int((now["phase"] == OVER_PHASE).sum()),
        "must_meld": int(now["must_meld"].sum()),
        "no_return": int((now["no_return"] != NO_CARD).sum()),
        "known": int((now["known"].sum(axis=(1, 2)) > 0).sum()),
        "taken": int((now["first_pozzetto"] > 0).sum()),
        "unplayed": int((now["unplayed"].sum(axis=1) > 0).sum()),
        "refill": int((now["end_pozzetto"] < len(rules.pozzetto_sizes)).sum()),
        "soloist": int((now["num_sides"] == 2).sum()) if rules.seats == 3 else 0,
        "three sides": int((now["num_sides"] == 3).sum()),
    })  # fmt: skip


def expected(rules: Rules) -> set[str]:
    """What must be among the games that are checked."""
    wanted = {"over", "known", "no_return"}
    if "2" in rules.ranks:
        wanted.add("wild")
    if rules.pozzetto_sizes:
        wanted |= {"taken", "unplayed"}
        if rules.seats == 3 and len(rules.pozzetto_sizes) < 3:
            wanted.add("soloist")
    if rules.seats == 3:
        wanted.add("three sides")
    if rules.pickup_needs_meld:
        wanted.add("must_meld")
    if rules.pozzetti_refill_stock and rules.pozzetto_sizes:
        wanted.add("refill")
    return wanted


def check_games(rules: Rules) -> None:
    size, steps = (2, 29) if INTERPRETED else (12, 500)
    found: Counter[str] = Counter()
    for number, batch in enumerate(played(rules, size, steps, seed=5)):
        found += happenings(batch)
        for me in range(rules.seats):
            twin = check(batch, me)
            if number % (4 if INTERPRETED else 9) == me:
                acting = batch.seats == me
                check_possible(rules, twin.games, acting)
                rows = np.flatnonzero(acting if INTERPRETED else np.full(size, True))
                again = redrawn(twin.games, rows, seed=number)
                check(Batch.of(rules, again), 0)
                check_possible(rules, again, acting[rows])
                if not INTERPRETED:
                    play_out(rules, again, seed=number)
    assert INTERPRETED or not expected(rules) - set(+found)


@pytest.mark.nojit
@pytest.mark.parametrize(("name", "seats"), GAMES, ids=GAME_IDS)
def test_each_seat_of_each_game_can_restore_it(name: str, seats: int) -> None:
    check_games(Rules.preset(name, seats))


@pytest.mark.nojit
@pytest.mark.parametrize("name", list(OTHER_RULES))
def test_games_of_other_rules_can_be_restored(name: str) -> None:
    check_games(OTHER_RULES[name])


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("pending", "melds"),
    [
        ("meld 5d-6d-*(7d)", []),
        ("meld 9c-9d-*", []),
        ("layoff *(9h) to 3h-4h-5h-6h-7h-8h", [SIX]),
        ("layoff * to Kc-Kd-Kh", ["Kc-Kd-Kh"]),
    ],
)
def test_each_kind_of_pending_decision_is_restored(pending: str, melds: list[str]) -> None:
    start = game(hand="2c Jo 5d 6d 9c 9d 4s", melds=melds, phase="wild", pending=pending)
    now = Game(start.rules, restored(start.observation()[None]))
    assert now.position()["pending"] == pending
    assert now.legal() == start.legal() == ["wild 2c", "wild Jo"]


@pytest.mark.nojit
def test_what_a_record_held_before_does_not_matter() -> None:
    observation = game(hand="2c Jo 5d", melds=[SIX], seat=1).observation()
    used, fresh = np.zeros(1, GAME_DTYPE), np.zeros(1, GAME_DTYPE)
    used.view(np.uint8)[:] = 85
    for games in (used, fresh):
        restore(observation, games[0])
    for name in RULES_DTYPE.names or ():
        assert np.array_equal(used["rules"][name], fresh["rules"][name]), name
    for name in GAME_DTYPE.names or ():
        assert name == "rules" or np.array_equal(used[name], fresh[name]), name
    assert fresh["generator"] == 0


@pytest.mark.nojit
def test_what_observations_only_say_roughly_is_rounded_down() -> None:
    rules = Rules.preset("clean-3000", 2, unplayed_pozzetto_penalty=55)
    batch = Batch(rules, 1)
    batch.games["totals"][0, :2] = 1_234_567, -1_234_567
    state = restored(batch.observe(np.zeros(1, np.int64)))[0]
    assert state["rules"]["unplayed_pozzetto_penalty"] == 50
    assert state["totals"].tolist() == [63_995, -64_000, 0, 0]
    batch.games["totals"][0, :2] = 2 * 1_505, 5 * 7 + 3
    state = restored(batch.observe(np.zeros(1, np.int64)))[0]
    assert state["totals"].tolist() == [2 * 1_505, 5 * 7, 0, 0]


@pytest.mark.nojit
def test_the_top_of_the_pile_is_restored_and_what_others_know_of_me_is_not() -> None:
    start = game("rummyroyal", hand="Kd 5h", pile="9s 3c Kc 4d", phase="draw")
    start.play("pickup-top")
    start.play("discard Kd")
    me = 1 - start.seat
    assert start.state["known"][0, me].sum() == start.state["discards"][0, me].sum() == 1
    state = restored(start.observation(me)[None])[0]
    pile = start.state["pile"][0, : int(start.state["pile_size"][0])]
    assert state["pile"][: len(pile)].tolist() == [*sorted(pile[:-1]), pile[-1]]
    assert not state["known"][0].any()
    assert not state["discards"][0].any()
