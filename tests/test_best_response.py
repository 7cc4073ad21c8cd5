"""The exact best response, against whole deals and a recursion that only knows the environment."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from agents import best_response
from agents.best_response import BestResponseError, exploitability, value
from agents.learned import LearnedAgent, Policy
from agents.options import Args, training_rules
from agents.registry import make_agent
from agents.small_games import GAMES, count_deals, starts
from burraco_env import NUM_ACTIONS, OBSERVATION_SIZE, Game, Rules
from burraco_env.agent import Agent, RandomAgent
from burraco_env.cards import CARD_TEXTS

TINY = Rules.preset(
    "mini", ranks="345", suits="c", jokers=2, hand_size=1, pozzetto_sizes=[2, 2],
    burraco_size=3, dead_stock=0, max_turns=4,
)  # fmt: skip
"""Eight cards, hands of one: a meld needs a pick-up first."""
SHORT = Rules.preset(
    "mini", ranks="345", suits="c", jokers=4, hand_size=2, pozzetto_sizes=[2, 2],
    burraco_size=3, dead_stock=0, max_turns=3,
)  # fmt: skip
"""Ten cards, hands of two: melds and pozzetti; one card of stock."""
SHORTEST = Rules.preset("mini", **(SHORT.overrides | {"max_turns": 2}))
"""The same with a turn for each seat, so that whole deals can be played."""

Deal = tuple[tuple[str, ...], ...]
Node = list[tuple[Game, float]]


def learner(sample: bool = False) -> LearnedAgent:
    """A policy that prefers something by what it sees."""
    rng = np.random.default_rng(1)
    weight = rng.normal(0, 0.3, (NUM_ACTIONS, OBSERVATION_SIZE)).astype(np.float32)
    return LearnedAgent(Policy([(weight, np.zeros(NUM_ACTIONS, np.float32))]), sample)


AGENTS: dict[str, Callable[[], Agent]] = {
    "greedy": lambda: make_agent("greedy"),
    "random": RandomAgent,
    "learner": learner,
    "drawn": lambda: learner(sample=True),
}


def deck(rules: Rules) -> list[str]:
    cards = [rank + suit for rank in rules.ranks for suit in rules.suits] * rules.copies
    return cards + ["Jo"] * rules.jokers


def orders(left: Counter[str]) -> Iterator[tuple[str, ...]]:
    """All orders of the cards that look different; they are equally likely."""
    if not left:
        yield ()
    for card in left:
        for order in orders(left - Counter([card])):
            yield (card, *order)


def all_deals(rules: Rules) -> Counter[Deal]:
    """Hands, pozzetti, upcard, stock: how many orders of the deck give each deal."""
    hand = rules.hand_size
    found: Counter[Deal] = Counter()
    for order in orders(Counter(deck(rules))):
        piles = [order[:hand], order[hand : 2 * hand], order[2 * hand : 2 * hand + 2],
                 order[2 * hand + 2 : 2 * hand + 4]]  # fmt: skip
        rest = order[2 * hand + 4 :]
        found[(*(tuple(sorted(pile)) for pile in piles), rest[:1], rest[1:])] += 1
    return found


def games_of(rules: Rules, deals: Counter[Deal]) -> Node:
    games = []
    for (first, second, *rest), ways in deals.items():
        hands = [card for pair in zip(first, second, strict=True) for card in pair]
        order = hands + [card for pile in rest for card in pile]
        games.append((Game.from_deck(rules, " ".join(order), 1), ways / sum(deals.values())))
    return games


class Naive:
    """Plays whole deals; states with the same history of the viewer stay together."""

    def __init__(self, agents: tuple[Agent | None, Agent | None], viewer: int, sees_all: bool):
        self.agents, self.viewer, self.sees_all = agents, viewer, sees_all
        self.known: dict[bytes, list[tuple[int, float]]] = {}

    def split(self, node: Node) -> list[Node]:
        nodes = defaultdict(list)
        for game, weight in node:
            seen = game.state.tobytes() if self.sees_all else b""
            nodes[seen + game.observation(self.viewer).tobytes()].append((game, weight))
        return list(nodes.values())

    def worth(self, node: Node) -> float:
        first = node[0][0]
        if first.is_over:
            return sum(weight * self.lead(game) for game, weight in node)
        if self.agents[first.seat] is None:
            return max(self.after(node, lambda _, a=action: [(a, 1.0)]) for action in
                       first.legal_ids())  # fmt: skip
        return self.after(node, self.policy)

    def after(self, node: Node, choices: Callable[[Game], list[tuple[int, float]]]) -> float:
        following = []
        for game, weight in node:
            for action, share in choices(game):
                twin = game.copy()
                twin.play_id(int(action))
                following.append((twin, weight * share))
        return sum(self.worth(part) for part in self.split(following))

    def policy(self, game: Game) -> list[tuple[int, float]]:
        agent, seen = self.agents[game.seat], game.observation()
        assert agent is not None
        key = bytes([game.seat]) + seen.tobytes()
        if key not in self.known:
            self.known[key] = choices_of(agent, seen[None], game.mask()[None])
        return self.known[key]

    def lead(self, game: Game) -> float:
        points = game.seat_points()
        return points[self.viewer] - points[1 - self.viewer]


def choices_of(
    agent: Agent, seen: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]
) -> list[tuple[int, float]]:
    legal = np.flatnonzero(masks[0])
    if isinstance(agent, RandomAgent):
        return [(int(action), 1 / len(legal)) for action in legal]
    if isinstance(agent, LearnedAgent) and agent.sample:
        odds = np.exp(agent.logits(seen, masks)[0, legal].astype(np.float64))
        return list(zip(legal.tolist(), (odds / odds.sum()).tolist(), strict=True))
    return [(int(agent.act(seen, masks, np.zeros(1, np.uint64))[0]), 1.0)]


def naive(
    rules: Rules, first: Agent | None, second: Agent | None, viewer: int, sees_all: bool = False
) -> float:
    tree = Naive((first, second), viewer, sees_all)
    return sum(tree.worth(node) for node in tree.split(games_of(rules, all_deals(rules))))


def test_every_deal_is_counted() -> None:
    assert count_deals(TINY) == len(all_deals(TINY))
    assert count_deals(Rules.preset("mini")) > 4e22


def test_the_starts_are_the_deals_without_what_is_hidden() -> None:
    wanted: Counter[tuple[tuple[str, ...], ...]] = Counter()
    deals = all_deals(TINY)
    for (first, second, *hidden, upcard, stock), ways in deals.items():
        unseen = tuple(sorted(card for pile in (*hidden, stock) for card in pile))
        wanted[first, second, upcard, unseen] += ways
    found = starts(TINY, viewer=0)
    assert len(found.games) == len(wanted)
    for game, weight in zip(found.games, found.weights, strict=True):
        piles = [game["hands"][seat].nonzero()[0] for seat in range(2)]
        hidden_cards = [*game["stock"][: game["stock_size"] + 4]]
        first, second, upcard, unseen = (
            tuple(sorted(CARD_TEXTS[card] for card in cards))
            for cards in (*piles, game["pile"][:1], hidden_cards)
        )
        assert weight == pytest.approx(wanted[first, second, upcard, unseen] / deals.total())


@pytest.mark.parametrize("viewer", [0, 1])
def test_hidden_cards_make_no_other_information_set(viewer: int) -> None:
    found = starts(SHORT, viewer)
    hands, upcards = found.games["hands"][:, viewer], found.games["pile"][:, :1]
    seen = {(*hand, *upcard) for hand, upcard in zip(hands, upcards, strict=True)}
    assert len(np.unique(found.keys[:, 0])) == len(seen) < len(found.games)


@pytest.mark.parametrize("viewer", [0, 1])
@pytest.mark.parametrize(
    ("rules", "name"), [*((TINY, name) for name in AGENTS), (SHORTEST, "greedy")]
)
def test_best_response_is_that_of_a_naive_recursion(rules: Rules, name: str, viewer: int) -> None:
    seats: list[Any] = [None, None]
    seats[1 - viewer] = AGENTS[name]()
    found = value(rules, *seats, viewer)
    assert found.points == pytest.approx(naive(rules, *seats, viewer), abs=1e-9)
    assert found.decisions > 0


@pytest.mark.parametrize("other", ["greedy", "random"])
@pytest.mark.parametrize("name", ["random", "drawn"])
def test_value_of_two_policies_is_that_of_a_naive_recursion(name: str, other: str) -> None:
    agents = AGENTS[name](), AGENTS[other]()
    found = value(TINY, *agents)
    assert found.points == pytest.approx(naive(TINY, *agents, 0), abs=1e-9)
    assert value(TINY, *agents, viewer=1).points == pytest.approx(-found.points)
    assert found.decisions == 0


def test_who_sees_all_cards_wins_more() -> None:
    greedy = AGENTS["greedy"]()
    best = value(SHORTEST, greedy, None, viewer=1).points
    assert naive(SHORTEST, greedy, None, 1, sees_all=True) > best + 0.5


@pytest.mark.parametrize("name", AGENTS)
def test_nobody_wins_more_than_the_best_response(name: str) -> None:
    agent = AGENTS[name]()
    best = exploitability(SHORT, agent)
    for make in AGENTS.values():
        rival = make()
        assert value(SHORT, rival, agent, 0).points <= best.starting.points + 1e-9
        assert value(SHORT, agent, rival, 1).points <= best.following.points + 1e-9
    own = value(SHORT, agent, agent, 0).points + value(SHORT, agent, agent, 1).points
    assert own == pytest.approx(0, abs=1e-9)
    assert best.points > 0


def test_small_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = value(SHORT, None, AGENTS["random"]())
    monkeypatch.setattr(best_response, "BLOCK", 40)
    parts = value(SHORT, None, AGENTS["random"]())
    assert parts.points == pytest.approx(whole.points, abs=1e-9)


@pytest.mark.parametrize(
    ("rules", "first", "second", "viewer", "sentence"),
    [
        (Rules.preset("italian"), None, "greedy", 0, "two seats"),
        (Rules.preset("rummyroyal"), None, "greedy", 0, "do not refill"),
        (TINY, None, "greedy", 1, "the responder must be the viewer"),
        (TINY, None, None, 0, "the responder must be the viewer"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    rules: Rules, first: str | None, second: str | None, viewer: int, sentence: str
) -> None:
    agents = [None if name is None else make_agent(name) for name in (first, second)]
    with pytest.raises(BestResponseError, match=sentence):
        value(rules, *agents, viewer)


def test_an_agent_with_unknown_probabilities_is_refused() -> None:
    class Gambler:
        name = "gambler"

        def act(self, seen: Any, masks: Any, rng: Any) -> Any:
            return RandomAgent().act(seen, masks, rng)

    with pytest.raises(BestResponseError, match="gambler draws at random"):
        value(TINY, None, Gambler())


def test_the_small_games_can_be_trained_on() -> None:
    assert training_rules(Args(preset="micro")) == [GAMES["micro"]]
    with pytest.raises(ValueError, match="micro is for 2 seats, not 4"):
        Args(preset="micro", seats=4)


def test_the_command_line_refuses_what_it_cannot_measure() -> None:
    with pytest.raises(ValueError, match="name at least one agent"):
        best_response.main(best_response.Args(()))
    with pytest.raises(ValueError, match="unknown game 'poker'; the games are micro"):
        best_response.main(best_response.Args(("greedy",), game="poker"))
