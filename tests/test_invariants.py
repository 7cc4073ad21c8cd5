"""What holds after every decision, whatever is played."""

from __future__ import annotations

import copy
import os
import pickle
import random
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from burraco_env import NUM_ACTIONS, Game, IllegalActionError, Match, Rules
from burraco_env.cards import format_counts, parse_cards
from burraco_env.rules import RulesError
from burraco_env.scoring import points_table
from burraco_env.state import NO_CARD
from tests.play import GAME_IDS, GAMES, play_on

pytestmark = [pytest.mark.nojit, pytest.mark.boundscheck]

each_game = pytest.mark.parametrize(("name", "seats"), GAMES, ids=GAME_IDS)


def printed_cards(meld: str) -> list[int]:
    return parse_cards(" ".join(card.partition("(")[0] for card in meld.split("-")))


def all_cards(game: Game) -> Counter[int]:
    """Every card of the position, counted from its text."""
    position = game.position()
    texts = [*position["hands"], position["stock"], position["discard_pile"], *position["pozzetti"]]
    cards = Counter(card for text in texts for card in parse_cards(text))
    for side in position["melds"]:
        for meld in side:
            cards.update(printed_cards(meld))
    return cards


@each_game
def test_cards_are_conserved_and_derived_values_are_right(name: str, seats: int) -> None:
    game = Game.deal(Rules.preset(name, seats), seed=11)
    deck = all_cards(game)
    assert sum(deck.values()) == game.rules.num_cards
    for now in play_on(game, random.Random(11)):
        assert all_cards(now) == deck
        state = now.state[0]
        assert (state["hands"].sum(axis=1) == state["hand_sizes"]).all()
        assert (state["hands"] >= state["known"]).all()
        assert (state["hands"] >= 0).all()
        assert now.is_over == (len(now.legal()) == 0)
        if state["no_return"] != NO_CARD:
            assert state["hands"][now.seat, state["no_return"]] == 1


@each_game
def test_mask_is_the_legal_set_and_zero_for_the_others(name: str, seats: int) -> None:
    game = Game.deal(Rules.preset(name, seats), seed=12)
    for now in play_on(game, random.Random(12)):
        mask = now.mask()
        assert mask.dtype == np.int8
        assert mask.shape == (NUM_ACTIONS,)
        assert set(np.flatnonzero(mask)) == set(now.legal_ids().tolist())
        for seat in range(seats):
            if seat != now.seat:
                assert not now.mask(seat).any()


@each_game
def test_points_of_the_deal_are_their_parts(name: str, seats: int) -> None:
    game = Game.deal(Rules.preset(name, seats), seed=13)
    for now in play_on(game, random.Random(13)):
        for side, points in enumerate(points_table(now.state[0])):
            parts = [value for part, value in points.items() if part != "total"]
            assert points["total"] == sum(parts)
            assert points["melds"] == sum(
                card_points(card)
                for meld in now.position()["melds"][side]
                for card in printed_cards(meld)
            )


def card_points(card: int) -> int:
    """Spec 1, written again."""
    if card == 52:
        return 30
    rank = card % 13
    return 15 if rank == 0 else 20 if rank == 1 else 5 if rank <= 6 else 10


def test_a_policy_that_always_picks_up_and_never_melds_ends_at_the_turn_cap() -> None:
    for name, seats in GAMES:
        if name == "international":
            continue  # there a pick-up obliges to meld
        rng = random.Random(5)
        game = Game.deal(Rules.preset(name, seats, max_turns=60), seed=5)
        while not game.is_over:
            legal = game.legal()
            wanted = [d for d in legal if d.startswith(("pickup", "discard"))]
            game.play(rng.choice(wanted))
        assert (game.outcome, game.turn) == ("stalemate", 60)
        assert not any(game.position()["melds"])


def test_a_policy_that_always_picks_up_ends_at_the_turn_cap_at_the_latest() -> None:
    outcomes = Counter()
    for name, seats in GAMES:
        rng = random.Random(6)
        game = Game.deal(Rules.preset(name, seats, max_turns=80), seed=6)
        while not game.is_over:
            legal = game.legal()
            wanted = [d for d in legal if d.startswith("pickup")] or legal
            game.play(rng.choice(wanted))
        outcomes[game.outcome] += 1
        assert game.turn <= 80
    assert outcomes["stalemate"] > 0


def test_a_policy_that_never_melds_ends() -> None:
    for name, seats in GAMES:
        rng = random.Random(7)
        game = Game.deal(Rules.preset(name, seats), seed=7)
        while not game.is_over:
            legal = game.legal()
            wanted = [d for d in legal if not d.startswith(("meld", "layoff"))]
            game.play(rng.choice(wanted or legal))
        assert game.outcome in ("exhausted", "stalemate")


def test_different_seeds_and_deals_have_different_decks() -> None:
    rules = Rules.preset("italian", match_target=5, match_deals=None, victory_points=False)
    decks = [Game.deal(rules, seed=seed).deck for seed in range(200)]
    assert len(set(decks)) == 200
    assert len({Game.deal(rules, seed=seed).dealer for seed in range(50)}) == 4
    match = Match(Rules.preset("italian"), seed=3)
    seen = []
    while not match.is_over:
        seen.append(match.game.deck)
        for _ in play_on(match.game, random.Random(len(seen))):
            pass
        match.next_deal()
    assert len(seen) == len(set(seen)) == 4


def test_the_deck_of_a_deal_is_uniformly_shuffled() -> None:
    """Where the joker and the aces of clubs lie in 2,000 decks of 29 cards, within 5 s.d."""
    decks = 2_000
    counts = np.zeros((2, 29))
    rules = Rules.preset("mini")
    for seed in range(decks):
        game = Game.deal(rules, seed=seed)
        stock = game.position()["stock"].split()
        hands = game.position()["hands"]
        counts[0, len(stock)] += sum(hand.count("Jo") for hand in hands)
        for index, card in enumerate(stock):
            counts[1, index] += card == "Ac"
    in_hands = counts[0].sum() / decks
    assert abs(in_hands - 8 / 29) < 5 * np.sqrt(8 / 29 * 21 / 29 / decks)
    stock_size = 14
    expected = 2 * decks / 29
    chi2 = ((counts[1, :stock_size] - expected) ** 2 / expected).sum()
    assert chi2 < stock_size + 5 * np.sqrt(2 * stock_size)


def test_the_same_seed_gives_the_same_deal_in_another_process() -> None:
    code = (
        "from burraco_env import Game, Rules; "
        "print(Game.deal(Rules.preset('italian'), seed=7).deck)"
    )
    decks = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for hash_seed in ("1", "2")
    ]
    assert decks == [Game.deal(Rules.preset("italian"), seed=7).deck] * 2


def test_other_generators_do_not_disturb_a_game() -> None:
    def play(disturb: bool) -> list[str]:
        game, other = (Game.deal(Rules.preset("italian"), seed=seed) for seed in (4, 5))
        rng, other_rng = random.Random(4), random.Random(5)
        while not game.is_over:
            if disturb:
                random.random()
                np.random.default_rng().random()
                if not other.is_over:
                    other.play(other_rng.choice(other.legal()))
            game.play(rng.choice(game.legal()))
        return list(game.decisions)

    assert play(False) == play(True)


@pytest.mark.parametrize(
    "duplicate",
    [copy.deepcopy, copy.copy, Game.copy, lambda game: pickle.loads(pickle.dumps(game))],
)
def test_copies_go_on_independently(duplicate: object) -> None:
    assert callable(duplicate)
    game = Game.deal(Rules.preset("fitab"), seed=9)
    rng = random.Random(9)
    for _ in range(40):
        game.play(rng.choice(game.legal()))
    twin = duplicate(game)
    before = game.position()
    assert twin.position() == before
    assert twin.decisions == game.decisions
    twin.play(twin.legal()[0])
    assert game.position() == before
    game.play(game.legal()[0])
    assert game.position() == twin.position()


def test_an_illegal_decision_changes_nothing() -> None:
    game = Game.deal(Rules.preset("italian"), seed=2)
    for number, now in enumerate(play_on(game, random.Random(2))):
        if number % 12 and not now.is_over:
            continue
        before, state = now.position(), now.state.copy()
        for decision in (
            "draw",
            "discard Jo",
            "meld 3c-4c-5c",
            "layoff * to 3c-4c-5c",
            "wild Jo",
            "fold",
            "",
            None,
        ):
            if decision not in now.legal():
                with pytest.raises(IllegalActionError):
                    now.play(decision)
        for action in (
            -1,
            NUM_ACTIONS,
            *(a for a in range(0, NUM_ACTIONS, 97) if not now.mask()[a]),
        ):
            with pytest.raises(IllegalActionError):
                now.play_id(action)
        assert now.position() == before
        assert (now.state == state).all()


def test_bad_arguments_are_refused_with_a_sentence() -> None:
    rules = Rules.preset("italian")
    with pytest.raises(ValueError, match="seed must be a whole number >= 0, not -1"):
        Game.deal(rules, seed=-1)
    with pytest.raises(ValueError, match="dealer must be a seat from 0 to 3, not 4"):
        Game.deal(rules, seed=1, dealer=4)
    with pytest.raises(RulesError, match="unknown preset 'burrako'; the presets are italian, "):
        Rules.preset("burrako")
    with pytest.raises(ValueError, match="the deck must hold 108 cards; too many: none; missing: "):
        Game.from_deck(rules, "Ac Ac", 0)
    with pytest.raises(ValueError, match="points are counted when the deal is over"):
        Game.deal(rules, seed=1).points()


def test_hands_are_written_in_canonical_order() -> None:
    counts = np.zeros(53, dtype=np.int8)
    counts[[52, 13, 0, 51]] = [2, 1, 2, 1]
    assert format_counts(counts) == "Ac Ac Ad Ks Jo Jo"
