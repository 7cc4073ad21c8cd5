"""How far an agent can be exploited: the exact best response to it in a small game of two seats.

    python -m agents.best_response AGENT [AGENT ...]

The agent holds one seat. The *responder* holds the other, knows the agent's policy and plays what
is best against it, but sees only what a seat sees. It has perfect recall: an information set is a
whole history of the seat's observations, one after each decision of anybody, and of its own
decisions. Its value is worked out backwards through all of them, nothing is sampled or pruned.

The *exploitability* of a policy is the mean, over the responder starting and not, of the points a
deal that the best response wins from it: responder's minus agent's. The policy itself in the
responder's place would win 0 in that mean, by symmetry, so the number is what the best response
gains over it, and half of what is called NashConv. 0 is an equilibrium.

The hidden cards are drawn when they show (`agents.small_games`). A *node* is an information set
with the probability of each state in it. Histories that leave the responder with the same states
and probabilities have the same value from there on, so they are one node: probabilities that
differ by less than 1e-12 count as the same, and a digest of 64 bits stands for a node.

Of `mini` there are 4.7e22 deals, and in a deal about 1e7 sequences of decisions (the median; the
mean is above 1e16) against a fixed agent: too many. `agents.small_games.GAMES` holds a smaller one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from agents.learned import LearnedAgent
from agents.registry import make_agent
from agents.small_games import (
    GAMES,
    SEEN_WORDS,
    STATE_WORDS,
    Decisions,
    Following,
    Rows,
    Values,
    Words,
    carry_out,
    count_deals,
    count_outcomes,
    legal_rows,
    look_rows,
    same_choice,
    starts,
)
from burraco_env import NUM_ACTIONS, OBSERVATION_SIZE, Rules
from burraco_env.agent import Agent, RandomAgent, agent_name
from burraco_env.state import GAME_DTYPE, OVER_PHASE

if TYPE_CHECKING:
    from rich.table import Table

BLOCK = 16_384
"""States that are looked at together; with more of them fewer nodes are met again, and more memory
is needed, at last some gigabytes."""

_PARTS = float(1 << 40)
"""Probabilities count as the same if they are of the same part of 1."""
_GAMMA, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


class BestResponseError(ValueError):
    """A game or an agent for which there is no exact best response here. Says why."""


def _answers(
    agent: Agent, seen: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]
) -> tuple[Rows, Rows, Values]:
    """The actions that an agent may choose: row, action and probability of each, by row."""
    if isinstance(agent, RandomAgent):
        rows, actions = np.nonzero(masks)
        return rows, actions, 1.0 / masks.sum(axis=1)[rows]
    if isinstance(agent, LearnedAgent) and agent.sample:
        logits = agent.logits(seen, masks).astype(np.float64)
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        rows, actions = np.nonzero(shares)
        return rows, actions, shares[rows, actions]
    generators = np.zeros(len(masks), dtype=np.uint64)
    chosen = agent.act(seen, masks, generators)
    if generators.any():
        raise BestResponseError(
            f"{agent_name(agent)} draws at random, and with which probabilities is not known; "
            "only random, trained agents and those that always do the same can be measured"
        )
    return np.arange(len(masks)), chosen, np.ones(len(masks))


@dataclass
class _Nodes:
    """Nodes of the tree with their states, which go by node."""

    words: Words
    """uint64[states, STATE_WORDS]."""
    weights: Values
    """Probability of each state in its node, float64[states]."""
    groups: Rows
    """The node of each state, 0, 1, .., int64[states]."""

    @property
    def count(self) -> int:
        """Number of nodes."""
        return int(self.groups[-1]) + 1 if len(self.groups) else 0

    @property
    def games(self) -> npt.NDArray[np.void]:
        """The states, `GAME_DTYPE`[states]."""
        return self.words.view(GAME_DTYPE)[:, 0]

    def parts(self) -> Iterator[_Nodes]:
        """Whole nodes, up to a block of states at a time, or one node."""
        begin, size = 0, len(self.groups)
        while begin < size:
            end = min(begin + BLOCK, size)
            if end < size:  # not in the middle of a node
                end = int(np.searchsorted(self.groups, self.groups[end]))
            if end <= begin:
                end = int(np.searchsorted(self.groups, self.groups[begin], side="right"))
            part = slice(begin, end)
            groups = self.groups[part]
            yield _Nodes(self.words[part], self.weights[part], groups - groups[0])
            begin = end


@dataclass
class _Reached:
    """What follows the decisions of a block: ways into nodes, the same ones only once."""

    slots: Rows
    """Where the value of each way belongs, int64[ways]."""
    weights: Values
    """Probability of each way, float64[ways]."""
    node_of: Rows
    """The node that it leads to, int64[ways]."""
    keys: list[int]
    """What stands for each node."""
    first: Rows
    """First row of `states` of each node, int64[nodes]."""
    sizes: Rows
    """Number of its states, int64[nodes]."""
    states: Rows
    """Row of `Following` of each state, int64[states]."""
    shares: Values
    """Probability of each state in its node, float64[states]."""

    def nodes(self, which: Rows, words: Words) -> _Nodes:
        """Some of the nodes, with the states of `Following`."""
        sizes = self.sizes[which]
        rows = np.repeat(self.first[which], sizes) + _places(sizes)
        groups = np.repeat(np.arange(len(which)), sizes)
        return _Nodes(words[self.states[rows]], self.shares[rows], groups)


def _stirred(words: Words) -> Words:
    """Other words, one for each, uint64."""
    words = (words ^ (words >> np.uint64(30))) * _MIX
    return (words ^ (words >> np.uint64(27))) * _GAMMA


def _reached(after: Following) -> _Reached:
    """Sort what follows by slot and by what the viewer sees; like states are added up."""
    live = np.flatnonzero(after.games["phase"] != OVER_PHASE)
    order = live[np.lexsort((after.keys[live, 1], after.keys[live, 0], after.slots[live]))]
    slots, seen, states = after.slots[order], after.keys[order, 0], after.keys[order, 1]
    new_way = np.ones(len(order), dtype=np.bool_)
    new_way[1:] = (slots[1:] != slots[:-1]) | (seen[1:] != seen[:-1])
    new_state = new_way.copy()
    new_state[1:] |= states[1:] != states[:-1]
    at = np.flatnonzero(new_state)
    weights = np.add.reduceat(after.weights[order], at)
    way_of = np.cumsum(new_way)[at] - 1
    ways = np.flatnonzero(np.diff(way_of, prepend=-1))
    totals = np.add.reduceat(weights, ways)
    shares = weights / totals[way_of]
    parts = np.rint(shares * _PARTS).astype(np.uint64)
    keys = np.add.reduceat(_stirred(states[at] ^ _stirred(parts + _GAMMA)), ways)
    keys, first, node_of = np.unique(keys, return_index=True, return_inverse=True)
    sizes = np.diff(ways, append=len(at))
    return _Reached(
        slots[new_way], totals, node_of, keys.tolist(), ways[first], sizes[first], order[at], shares
    )


@dataclass(frozen=True)
class Solution:
    """What `value` found.

    Attributes:
        points: points a deal of the viewer minus the other seat's.
        decisions: nodes in which the responder has to decide; 0 without a responder.
        states: states in all nodes, those in which the agent decides too.
        seconds: how long it took.
    """

    points: float
    decisions: int
    states: int
    seconds: float


class _Tree:
    """The tree of a game in which one seat at most, the viewer, has no agent."""

    def __init__(self, agents: tuple[Agent | None, Agent | None], viewer: int) -> None:
        self.agents = agents
        self.viewer = viewer
        self.decisions = 0
        self.states = 0
        self._known: dict[int, float] = {}
        self._trial = np.zeros(1, dtype=GAME_DTYPE)

    def values(self, nodes: _Nodes) -> Values:
        """Value of each node."""
        if len(nodes.groups) <= BLOCK:
            return self._values(nodes)
        return np.concatenate([self._values(part) for part in nodes.parts()])

    def _values(self, nodes: _Nodes) -> Values:
        self.states += len(nodes.groups)
        first_slots, slots, decisions = self._decisions(nodes)
        after = self._after(nodes, decisions)
        del nodes, decisions
        return np.maximum.reduceat(self.followed(after, slots), first_slots)

    def followed(self, after: Following, slots: int) -> Values:
        """What follows is worth, added up by slot."""
        over = after.games["phase"] == OVER_PHASE
        found = np.zeros(slots)
        np.add.at(found, after.slots[over], after.weights[over] * after.leads[over])
        if over.all():
            return found
        reached = _reached(after)
        known, keys = self._known, reached.keys
        new = np.array([index for index, key in enumerate(keys) if key not in known], np.int64)
        if len(new):
            nodes = reached.nodes(new, after.words)
            del after
            values = self.values(nodes).tolist()
            known.update(zip((keys[index] for index in new), values, strict=True))
        values = np.array([known[key] for key in keys])[reached.node_of]
        np.add.at(found, reached.slots, reached.weights * values)
        return found

    def _decisions(self, nodes: _Nodes) -> tuple[Rows, int, Decisions]:
        """The first slot of each node, the number of slots, and all decisions.

        A node of the responder has a slot for each legal action, any other node has one.
        """
        games, groups = nodes.games, nodes.groups
        ids = np.zeros((len(groups), NUM_ACTIONS), dtype=np.int16)
        counts = np.zeros(len(groups), dtype=np.int64)
        legal_rows(games, ids, counts)
        firsts = np.searchsorted(groups, np.arange(nodes.count))
        seats = games["seat"]
        widths = np.ones(nodes.count, dtype=np.int64)
        parts: list[tuple[Rows, Rows, Values, Rows]] = []
        for seat, agent in enumerate(self.agents):
            rows = np.flatnonzero(seats == seat)
            if not len(rows):
                continue
            if agent is not None:
                parts.append(_asked(agent, games, rows, ids, counts))
                continue
            if not same_choice(ids, counts, rows, groups):
                raise AssertionError("an information set has states with other legal actions")
            here = firsts[seats[firsts] == seat]
            widths[groups[here]] = counts[here]
            self.decisions += int((counts[here] > 1).sum())
            repeated, places = np.repeat(rows, counts[rows]), _places(counts[rows])
            chosen = ids[repeated, places].astype(np.int64)
            parts.append((repeated, chosen, np.ones(len(places)), places))
        rows, actions, shares, places = (np.concatenate(a) for a in zip(*parts, strict=True))
        first_slots = np.cumsum(widths) - widths
        outcomes = np.zeros((len(rows), 2), dtype=np.int64)
        count_outcomes(games, rows, actions, self._trial, outcomes)
        slots = first_slots[groups[rows]] + places
        decisions = Decisions(rows, actions, nodes.weights[rows] * shares, slots, outcomes)
        return first_slots, int(widths.sum()), decisions

    def _after(self, nodes: _Nodes, decisions: Decisions) -> Following:
        """The states that may follow the decisions."""
        size = int(decisions.outcomes[:, 0].sum())
        after = Following.blank(np.zeros((size, STATE_WORDS), dtype=np.uint64))
        seen = np.zeros(SEEN_WORDS, dtype=np.uint64)
        forget = self.agents[self.viewer] is None
        carry_out(nodes.games, nodes.words, decisions, self.viewer, forget,
                  (seen.view(np.int8)[:OBSERVATION_SIZE], seen), after)  # fmt: skip
        return after


def _asked(
    agent: Agent, games: Any, rows: Rows, ids: Any, counts: Rows
) -> tuple[Rows, Rows, Values, Rows]:
    """What an agent does: states, actions, their probabilities, and 0 for the place of the slot."""
    words = np.zeros((len(rows), SEEN_WORDS), dtype=np.uint64)
    seen = words.view(np.int8)
    keys = np.zeros(len(rows), dtype=np.uint64)
    look_rows(games, rows, seen, words, keys)
    _, asked, same = np.unique(keys, return_index=True, return_inverse=True)
    masks = np.zeros((len(asked), NUM_ACTIONS), dtype=np.int8)
    numbers = counts[rows[asked]]
    lines = np.repeat(np.arange(len(asked)), numbers)
    masks[lines, ids[rows[asked]][lines, _places(numbers)]] = 1
    observations = np.ascontiguousarray(seen[asked, :OBSERVATION_SIZE])
    of, actions, shares = _answers(agent, observations, masks)
    choices = np.bincount(of, minlength=len(asked))
    repeats = choices[same]
    at = np.repeat((np.cumsum(choices) - choices)[same], repeats) + _places(repeats)
    return np.repeat(rows, repeats), actions[at], shares[at], np.zeros(len(at), np.int64)


def _places(counts: Rows) -> Rows:
    """0, 1, .. below each count, one after the other."""
    first = np.cumsum(counts) - counts
    return np.arange(int(counts.sum())) - np.repeat(first, counts)


def value(rules: Rules, first: Agent | None, second: Agent | None, viewer: int = 0) -> Solution:
    """The exact value of a game between two policies, or between one and its best response.

    Args:
        rules: a small game of two seats.
        first: the agent of the seat that begins; None: the responder.
        second: the other agent; None: the responder.
        viewer: whose points count, 0 the first or 1 the second; the responder if there is one.

    Raises:
        BestResponseError: no game or agent for this.
    """
    if rules.seats != 2 or rules.pozzetti_refill_stock:
        raise BestResponseError("needs two seats, and pozzetti that do not refill the stock")
    if (first, second)[1 - viewer] is None:
        raise BestResponseError("the responder must be the viewer, and the other seat an agent")
    began = time.perf_counter()
    tree = _Tree((first, second), viewer)
    points = float(tree.followed(starts(rules, viewer), 1)[0])
    return Solution(points, tree.decisions, tree.states, time.perf_counter() - began)


@dataclass(frozen=True)
class Exploitability:
    """How far an agent can be exploited in a game.

    Attributes:
        starting: the best response when the responder begins.
        following: the best response when the agent begins.
    """

    starting: Solution
    following: Solution

    @property
    def points(self) -> float:
        """Points a deal that the best response wins, the mean of the two."""
        return (self.starting.points + self.following.points) / 2

    @property
    def decisions(self) -> int:
        """Nodes in which the responder has to decide."""
        return self.starting.decisions + self.following.decisions

    @property
    def states(self) -> int:
        """States that were looked at."""
        return self.starting.states + self.following.states

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.starting.seconds + self.following.seconds


def exploitability(rules: Rules, agent: Agent) -> Exploitability:
    """The best responses to an agent.

    Raises:
        BestResponseError: no game or agent for this.
    """
    return Exploitability(value(rules, None, agent, 0), value(rules, agent, None, 1))


@dataclass(frozen=True)
class Args:
    """Measure exactly by how many points a deal agents can be exploited, in a small game."""

    agents: tuple[str, ...]
    """Names, with options as name:option=value, or paths of run folders or weights."""
    game: str = "micro"
    """Name of the game."""
    sample: bool = False
    """Trained agents draw from their policy, instead of doing what is most probable."""


def table(
    title: str, measured: Sequence[tuple[str, Exploitability]], first: str = "agent"
) -> Table:
    """A table of results, one line each; `first` is the head of the column of names."""
    from rich.table import Table

    found = Table(title=title)
    found.add_column(first, overflow="fold")
    head = (
        "exploitability",
        "responder starts",
        "agent starts",
        "responder nodes",
        "states",
        "seconds",
    )
    for word in head:
        found.add_column(word, justify="right")
    for name, result in measured:
        numbers = (result.points, result.starting.points, result.following.points)
        sizes = (f"{result.decisions:,}", f"{result.states:,}", f"{result.seconds:.0f}")
        found.add_row(name, *(f"{number:+.1f}" for number in numbers), *sizes)
    return found


def main(args: Args) -> None:
    """Measure the agents and print a table.

    Raises:
        ValueError: no such game or agent, or an agent that cannot be measured.
    """
    from rich.console import Console

    if not args.agents:
        raise ValueError("name at least one agent")
    if args.game not in GAMES:
        raise ValueError(f"unknown game {args.game!r}; the games are {', '.join(GAMES)}")
    rules, console = GAMES[args.game], Console()
    agents = [make_agent(name) for name in args.agents]
    measured = []
    for name, agent in zip(args.agents, agents, strict=True):
        if isinstance(agent, LearnedAgent):
            agent.sample = args.sample
        with console.status(f"the best response to {name}"):
            measured.append((name, exploitability(rules, agent)))
    title = f"{args.game}, {count_deals(rules):,} deals: points a deal of the best response"
    console.print(table(title, measured))


if __name__ == "__main__":
    import sys

    import tyro

    try:
        main(tyro.cli(Args, config=(tyro.conf.PositionalRequiredArgs,)))
    except ValueError as error:
        sys.exit(f"best_response: {error}")
