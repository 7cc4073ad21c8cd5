"""What a seat sees depends on nothing that it cannot see, and says all that is public."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from burraco_env import OBSERVATION_SIZE, Game, ResampleError, Rules
from burraco_env.actions import action_text
from burraco_env.cards import card_index, format_counts, parse_cards
from burraco_env.observations import SEGMENTS, describe, segment
from burraco_env.state import DRAW_PHASE
from tests.play import GAME_IDS, GAMES, choose, play_on, some_positions

pytestmark = [pytest.mark.boundscheck]

each_game = pytest.mark.parametrize(("name", "seats"), GAMES, ids=GAME_IDS)


def permuted(game: Game, me: int, rng: np.random.Generator) -> Game:
    """The game with the cards that `me` cannot see in another order, without the engine."""
    twin = game.copy()
    state = twin.state[0]
    state["generator"] = rng.integers(2**63)
    others = [seat for seat in range(game.rules.seats) if seat != me]
    unknown = {s: state["hands"][s].astype(int) - state["known"][s] for s in others}
    sizes = game.rules.pozzetto_sizes
    pozzetti = range(int(state["first_pozzetto"]), int(state["end_pozzetto"]))
    pool = [card for seat in others for card in np.repeat(np.arange(53), unknown[seat])]
    pool += [card for index in pozzetti for card in state["pozzetti"][index][: sizes[index]]]
    pool += list(state["stock"][: int(state["stock_size"])])
    cards = list(rng.permutation(pool))
    for seat in others:
        state["hands"][seat] = state["known"][seat]
        for _ in range(int(unknown[seat].sum())):
            state["hands"][seat][cards.pop()] += 1
    for index in pozzetti:
        for place in range(sizes[index]):
            state["pozzetti"][index][place] = cards.pop()
    for place in range(int(state["stock_size"])):
        state["stock"][place] = cards.pop()
    assert not cards
    return twin


@each_game
def test_permuting_hidden_cards_changes_nothing_that_a_seat_sees(name: str, seats: int) -> None:
    rng = np.random.default_rng(1)
    seen: Counter[str] = Counter()
    for seed in range(3):
        for game in some_positions(name, seats, seed):
            seen[game.phase] += 1
            for me in range(seats):
                twin = permuted(game, me, rng)
                ours, theirs = game.observation(me), twin.observation(me)
                assert ours.tobytes() == theirs.tobytes()
                assert describe(ours) == describe(theirs)
                assert game.mask(me).tobytes() == twin.mask(me).tobytes()
                if me == game.seat:
                    assert game.legal() == twin.legal()
    assert {"draw", "play", "over"} <= set(seen)


class Witness:
    """A perfect-memory player who only hears the decisions and sees the table."""

    def __init__(self, game: Game) -> None:
        self.known = [Counter[str]() for _ in range(game.rules.seats)]
        self.discards = [Counter[str]() for _ in range(game.rules.seats)]

    def hear(self, before: dict[str, Any], decision: str) -> None:
        seat, words = before["seat"], decision.split()
        word = words[0]
        pile = before["discard_pile"].split()
        if word == "pickup":
            self.known[seat].update(pile)
        elif word == "pickup-top":
            self.known[seat][pile[-1]] += 1
        elif word == "discard":
            self.discards[seat][words[1]] += 1

    def see(self, before: dict[str, Any], after: dict[str, Any]) -> None:
        """The cards that left the hand were shown."""
        seat = before["seat"]
        gone = Counter(before["hands"][seat].split())
        if after["pozzetto_taken_by"].count(seat) == before["pozzetto_taken_by"].count(seat):
            gone -= Counter(after["hands"][seat].split())
        self.known[seat] -= gone


def text_of(counter: Counter[str]) -> str:
    counts = np.zeros(53, dtype=np.int64)
    for card, count in counter.items():
        counts[card_index(card)] = count
    return format_counts(counts)


@pytest.mark.nojit
@each_game
def test_the_public_state_can_be_decoded_from_the_observation(name: str, seats: int) -> None:
    game = Game.deal(Rules.preset(name, seats), seed=17)
    rng, witness = random.Random(17), Witness(game)
    while True:
        position = game.position()
        for me in range(seats):
            check_description(game, position, witness, me)
        if game.is_over:
            break
        decision = choose(rng, game.legal(), 5.0)
        witness.hear(position, decision)
        game.play(decision)
        witness.see(position, game.position())


def check_description(game: Game, position: dict[str, Any], witness: Witness, me: int) -> None:
    seats = game.rules.seats
    told = describe(game.observation(me))
    words = {2: ["me", "next"], 3: ["me", "next", "previous"]}.get(
        seats, ["me", "next", "opposite", "previous"]
    )
    seat_of = {word: (me + index) % seats for index, word in enumerate(words)}
    assert told["phase"] == position["phase"]
    assert seat_of[told["to_act"]] == position["seat"]
    assert seat_of[told["dealer"]] == position["dealer"]
    assert told["turn"] == position["turn"]
    assert told["hand"] == position["hands"][me]
    assert told["stock"] == len(position["stock"].split())
    pile = position["discard_pile"].split()
    assert Counter(told["pile"].split()) == Counter(pile)
    assert told["top_card"] == (pile[-1] if pile else None)
    assert told["no_return"] == position["no_return"]
    assert told["must_meld"] == position["must_meld"]
    assert told["pozzetti"] == len(position["pozzetti"])
    assert told["num_sides"] == len(position["sides"])
    pending = told["pending"]
    assert (action_text(game.state[0], pending) if pending is not None else None) == position[
        "pending"
    ]
    for word, seat in seat_of.items():
        assert told["hand_sizes"][word] == len(position["hands"][seat].split())
        assert (word in told["pozzetto_taken_by"]) == (seat in position["pozzetto_taken_by"])
        if word != "me":
            assert told["known"][word] == text_of(witness.known[seat])
            assert told["discards"][word] == text_of(witness.discards[seat])
    side_of = {seat: side for side, members in enumerate(position["sides"]) for seat in members}
    assert [seat_of[word] for word in told["my_side"]] == [
        seat for seat in seat_of.values() if side_of[seat] == side_of[me]
    ]
    mine = side_of[me]
    theirs = next((side_of[s] for s in seat_of.values() if side_of[s] != mine), None)
    assert told["melds"]["mine"] == position["melds"][mine]
    assert told["melds"]["next"] == position["melds"][theirs]
    third = {0, 1, 2} - {mine, theirs} if len(position["sides"]) == 3 else set()
    assert told["melds"]["third"] == (position["melds"][third.pop()] if third else [])
    for side, taker in enumerate(position["pozzetto_taken_by"]):
        word = next((word for word, seat in seat_of.items() if seat == taker), None)
        unplayed = word in told["pozzetto_unplayed_by"]
        assert unplayed == (word is not None and position["pozzetto_unplayed"][side])


@each_game
def test_observations_are_small_integers_of_the_documented_range(name: str, seats: int) -> None:
    assert 400 <= OBSERVATION_SIZE <= 950
    assert SEGMENTS[-1].stop == OBSERVATION_SIZE
    for game in some_positions(name, seats, seed=4, every=3):
        observation = game.observation()
        assert observation.dtype == np.int8
        for part in SEGMENTS:
            values = segment(observation, part.name)
            assert values.max(initial=0) <= part.high, part.name
            assert values.min(initial=0) >= (-128 if part.name == "totals" else 0), part.name


def test_no_two_phases_look_alike() -> None:
    for game in some_positions("italian", 4, seed=5, every=1):
        assert describe(game.observation())["phase"] == game.phase


def test_wrong_input_to_describe_and_segment_is_refused() -> None:
    with pytest.raises(ValueError, match=re.escape("(3,)")):
        describe(np.zeros(3, dtype=np.int8))
    with pytest.raises(ValueError, match="no segment 'hands'; the segments are hand, pile"):
        segment(np.zeros(OBSERVATION_SIZE, dtype=np.int8), "hands")


@pytest.mark.nojit
@each_game
def test_resampling_keeps_all_that_the_seat_knows(name: str, seats: int) -> None:
    rng = np.random.default_rng(2)
    differ = total = 0
    for seed in range(2):
        for game in some_positions(name, seats, seed, every=9):
            before = game.position()
            for me in range(seats):
                twin = game.resample(me, rng)
                after = twin.position()
                assert twin.observation(me).tobytes() == game.observation(me).tobytes()
                assert twin.mask(me).tobytes() == game.mask(me).tobytes()
                assert cards_of(after) == cards_of(before)
                assert (twin.state["hands"] >= twin.state["known"]).all()
                assert twin.state["generator"] != game.state["generator"]
                if not game.is_over:
                    assert len(twin.legal()) > 0
                if game.phase == "wild":
                    assert len(twin.legal()) >= 2
                hidden = len(before["stock"].split()) > 5
                total += hidden
                differ += hidden and after["stock"] != before["stock"]
            assert game.position() == before
    assert differ > 0.95 * total


def cards_of(position: dict[str, Any]) -> Counter[int]:
    texts = [*position["hands"], position["stock"], *position["pozzetti"]]
    return Counter(card for text in texts for card in parse_cards(text))


def test_resampled_positions_can_be_played_to_the_end() -> None:
    rng = np.random.default_rng(3)
    for name, seats in GAMES:
        for game in some_positions(name, seats, seed=6, every=40):
            if not game.is_over:
                for now in play_on(game.resample(game.seat, rng), random.Random(6)):
                    assert now.is_over or now.legal()


def hidden_place_counts(
    game: Game, me: int, samples: int, rng: np.random.Generator
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """How often each card lay in each hidden place, and the sizes of the places."""
    others = [seat for seat in range(game.rules.seats) if seat != me]
    state = game.state[0]
    sizes = [int(state["hand_sizes"][s] - state["known"][s].sum()) for s in others]
    sizes += [len(text.split()) for text in game.position()["pozzetti"]] + [
        int(state["stock_size"])
    ]
    counts = np.zeros((len(sizes), 53))
    for _ in range(samples):
        twin = game.resample(me, rng)
        drawn = twin.state[0]
        for index, seat in enumerate(others):
            counts[index] += drawn["hands"][seat] - drawn["known"][seat]
        for index, text in enumerate(twin.position()["pozzetti"], start=len(others)):
            counts[index] += np.bincount(parse_cards(text), minlength=53)
        counts[-1] += np.bincount(drawn["stock"][: int(drawn["stock_size"])], minlength=53)
    return counts, np.array(sizes, dtype=float)


@pytest.mark.parametrize(("name", "seats"), [("italian", 4), ("italian", 3), ("rummyroyal", 2)])
def test_resampling_is_uniform(name: str, seats: int) -> None:
    samples = 1_500
    rng = np.random.default_rng(4)
    games = [g for g in some_positions(name, seats, seed=8, every=30) if not g.is_over]
    game = max(games, key=lambda g: (g.phase == "draw", int(g.state[0]["known"].sum())))
    counts, sizes = hidden_place_counts(game, game.seat, samples, rng)
    copies = counts.sum(axis=0) / samples  # of each card among the unseen ones
    unseen = sizes.sum()
    expected = samples * np.outer(sizes, copies) / unseen
    # Cards are drawn without replacement: the variance of a hypergeometric count.
    share = sizes / unseen
    variance = samples * np.outer(share * (1 - share), copies * (unseen - copies) / (unseen - 1))
    scores = (counts - expected)[variance > 0] / np.sqrt(variance[variance > 0])
    assert np.abs(scores).max() < 5
    assert 0.8 < scores.std() < 1.2


def test_resampling_keeps_known_cards_in_the_hand() -> None:
    rng = np.random.default_rng(5)
    found = 0
    for game in some_positions("italian", 4, seed=9, every=5):
        for seat in range(4):
            known = game.state[0]["known"][seat].copy()
            found += int(known.sum())
            twin = game.resample((seat + 1) % 4, rng)
            assert (twin.state[0]["hands"][seat] >= known).all()
    assert found > 50


def test_resampling_the_seat_to_act_keeps_it_able_to_act() -> None:
    """Another seat is in mid-turn: the redraw must give it a hand that explains its phase."""
    rng = np.random.default_rng(6)
    wilds = 0
    for seed in range(12):
        for game in some_positions("italian", 4, seed=seed, every=50):
            if game.phase != "wild":
                continue
            wilds += 1
            twin = game.resample((game.seat + 1) % 4, rng)
            assert len(twin.legal()) >= 2
            assert Game.from_position(twin.position()).legal() == twin.legal()
    assert wilds > 3


def test_resampling_that_cannot_succeed_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game.deal(Rules.preset("italian"), seed=1)
    monkeypatch.setattr("burraco_env.single.resample", lambda *_: False)
    with pytest.raises(
        ResampleError, match="no redraw in 100000 tries agrees with what seat 2 knows"
    ):
        game.resample(2, np.random.default_rng(1))
    assert game.state[0]["phase"] == DRAW_PHASE
