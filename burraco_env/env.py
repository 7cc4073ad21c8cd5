"""The PettingZoo environment: one agent a seat, one step a decision.

A facade: every rule is in the engine, what a match is in `match`. `docs/environment.md` is its
card.
"""

from __future__ import annotations

import math
import operator
from typing import Any, ClassVar, Literal, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from burraco_env import engine, single
from burraco_env._jit import int64, kernel
from burraco_env.actions import NUM_ACTIONS, action_text
from burraco_env.batch import look
from burraco_env.cards import NUM_CARDS
from burraco_env.errors import IllegalActionError, RulesError
from burraco_env.explanations import explain
from burraco_env.game import Game
from burraco_env.generator import check_seed, generator_states
from burraco_env.layout import Segment, lay_out
from burraco_env.match import Match
from burraco_env.observations import OBSERVATION_SIZE, SEGMENTS
from burraco_env.rendering import table_text
from burraco_env.rules import MAX_POZZETTI, MAX_POZZETTO_SIZE, MAX_SEATS, Rules
from burraco_env.scoring import REWARD_SCALE, differences, wins
from burraco_env.state import MAX_CARDS, OUTCOMES, OVER_PHASE, PHASES, STALEMATE, new_games
from burraco_env.version import ENV_VERSION

Episode: TypeAlias = Literal["deal", "match"]
Reward: TypeAlias = Literal["points", "win", "victory_points"]
Observation: TypeAlias = dict[str, npt.NDArray[np.int8]]

EPISODES: tuple[str, ...] = ("deal", "match")
REWARDS: tuple[str, ...] = ("points", "win", "victory_points")
RENDER_MODES: tuple[str, ...] = ("human", "ansi")

MAX_DEALS = 127
"""Deals after which a match is cut short: who plays badly enough never reaches a target.

As many as `match_deals` can be.
"""


STATE_SEGMENTS: tuple[Segment, ...] = lay_out((
    ("observation", (OBSERVATION_SIZE,), "as an observation",
     "what player_0 knows, and so all that is public", 127),
    ("hands", (MAX_SEATS, NUM_CARDS), "seat; card", "copies in the hand", 4),
    ("stock", (MAX_CARDS,), "place, the next card drawn first", "card + 1, 0: none", NUM_CARDS),
    ("pozzetti", (MAX_POZZETTI, MAX_POZZETTO_SIZE),
     "untaken pozzetto, the next to be taken first; place", "card + 1, 0: none", NUM_CARDS),
))  # fmt: skip
"""Layout of `state()`, in order; the documented table is generated from it."""
STATE_SIZE: int = STATE_SEGMENTS[-1].stop
"""Length of `state()`; its dtype is int8."""


def observation_box() -> spaces.Box:
    """The space of what a seat observes, int8[OBSERVATION_SIZE]."""
    low = [np.full(part.size, -128 if part.name == "totals" else 0) for part in SEGMENTS]
    high = [np.full(part.size, part.high) for part in SEGMENTS]
    return _box(low, high)


def state_box() -> spaces.Box:
    """The space of the full state, int8[STATE_SIZE]."""
    public, hidden = observation_box(), STATE_SEGMENTS[1:]
    low = [public.low, *(np.zeros(part.size) for part in hidden)]
    high = [public.high, *(np.full(part.size, part.high) for part in hidden)]
    return _box(low, high)


def _box(low: list[npt.NDArray[Any]], high: list[npt.NDArray[Any]]) -> spaces.Box:
    return spaces.Box(
        np.concatenate(low).astype(np.int8), np.concatenate(high).astype(np.int8), dtype=np.int8
    )


@kernel
def _deal(games: Any, dealer: int) -> None:
    """Deal the one game; `dealer` -1: drawn from its generator."""
    engine.deal(games[0], dealer)


@kernel
def _look(games: Any, ids: Any, seen: Any) -> int:
    """Write observation and mask of the seat to act into `seen`, one behind the other.

    Returns seat + 4 phase + 16 turn of the one game.
    """
    game = games[0]
    look(game, ids, seen[OBSERVATION_SIZE:], seen[:OBSERVATION_SIZE])
    return int64(game["seat"] | game["phase"] << 2 | game["turn"] << 4)


@kernel
def _play(games: Any, action: int, ids: Any, seen: Any) -> int:
    """Play an action of 0 .. NUM_ACTIONS - 1 and look; -1, and nothing done, if it is illegal."""
    if seen[OBSERVATION_SIZE + action] == 0:
        return -1
    engine.apply(games[0], action)
    return _look(games, ids, seen)


class _OrderEnforcing(wrappers.OrderEnforcingWrapper):  # type: ignore[misc]
    """PettingZoo's wrapper, with the attributes that every step reads looked up directly.

    There each of them goes through `__getattr__`, which takes 1 us, eight times a step.
    """

    @property
    def agents(self) -> list[str]:
        """As of the environment; before the first reset the wrapper's own error."""
        if not self._has_reset:
            raise AttributeError  # so Python asks `__getattr__`, which says what is wrong
        agents: list[str] = self.env.agents
        return agents

    @property
    def agent_selection(self) -> str:
        """As of the environment; before the first reset the wrapper's own error."""
        if not self._has_reset:
            raise AttributeError
        agent: str = self.env.agent_selection
        return agent

    def last(
        self, observe: bool = True
    ) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """What `last` of the environment returns."""
        last = self.env.last if self._has_reset else super().last
        seen: tuple[Observation | None, float, bool, bool, dict[str, Any]] = last(observe)
        return seen

    def step(self, action: int | None) -> None:
        """As of the environment; before the first reset, or after the end, the wrapper's way."""
        if self._has_reset and self.env.agents:
            self._has_updated = True
            self.env.step(action)
        else:
            super().step(action)


def env(
    preset: str = "italian",
    seats: int | None = None,
    *,
    render_mode: str | None = None,
    episode: Episode = "deal",
    reward: Reward = "points",
    reward_scale: float = REWARD_SCALE,
    rules: Rules | None = None,
    **overrides: Any,
) -> wrappers.OrderEnforcingWrapper:
    """The environment, with the wrapper that enforces the order of calls.

    PettingZoo's `AssertOutOfBoundsWrapper` is not on it: `step` refuses every wrong action by
    itself, and says why. For a game that an illegal action loses instead, put
    `pettingzoo.utils.wrappers.TerminateIllegalWrapper` on top.

    Args:
        preset: name of the rules, one of `Rules.PRESET_NAMES`.
        seats: number of seats; None: the first that the preset allows.
        render_mode: `ansi`: `render` returns a text; `human`: it is printed after each step; None.
        episode: `deal`, or `match`: deals until the preset's match is over.
        reward: `points`: at the end of each deal, own points minus the other side's, divided by
            `reward_scale` (three seats: minus the mean of the other two). `win`: at the end of the
            episode, 1 for the seats with the most points, -1 for the others, 0 if all have the
            same. `victory_points`: at the end of a match, own Victory Points minus 10, divided by
            10.
        reward_scale: points that make a reward of 1.
        rules: the rules themselves, instead of `preset`, `seats` and overrides.
        **overrides: fields of `Rules` that differ from the preset.

    Returns:
        The wrapped `raw_env`; agents are `player_0`, `player_1`, ..; `reset` it first.

    Raises:
        RulesError: rules that cannot be used.
        ValueError: another option out of range.
    """
    return _OrderEnforcing(
        raw_env(
            preset,
            seats,
            render_mode=render_mode,
            episode=episode,
            reward=reward,
            reward_scale=reward_scale,
            rules=rules,
            **overrides,
        )
    )


class raw_env(AECEnv[str, Observation, int | None]):  # type: ignore[misc]  # noqa: N801 (PettingZoo's name for it)
    """The environment without wrappers; its arguments and errors are those of `env`.

    The same agent acts until its turn ends. `observe` gives any agent what its seat knows, as
    `{"observation": int8[916], "action_mask": int8[985]}`, new arrays each time; the mask is all
    zero for an agent that is not to act. When a deal ends all agents are paid. When the episode
    ends each agent has one `last()` left: terminated, or truncated where `max_turns` or `MAX_DEALS`
    cut it short.

    `infos` of the agent to act: `phase` (`draw`, `play`, `wild`), `turn` (completed turns of the
    deal) and `deal` (completed deals); of all agents at the end: `phase` `over`, `turn`, `deal` and
    `outcome` (`closed`, `exhausted`, `stalemate`). Nothing in them is hidden from anyone.

    A copy (`copy.deepcopy`) and a pickle continue the same game.

    Attributes:
        rules: the rules; in a match those of a deal may differ, see `game.rules`.
        episode: `deal` or `match`.
        reward: what is paid.
        reward_scale: points that make a reward of 1.
        render_mode: `human`, `ansi` or None.
        observation_spaces: by agent.
        action_spaces: by agent.
        state_space: the space of `state()`.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": f"burraco_v{ENV_VERSION}",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        preset: str = "italian",
        seats: int | None = None,
        *,
        render_mode: str | None = None,
        episode: Episode = "deal",
        reward: Reward = "points",
        reward_scale: float = REWARD_SCALE,
        rules: Rules | None = None,
        **overrides: Any,
    ) -> None:
        super().__init__()
        self.rules = _chosen_rules(preset, seats, rules, overrides)
        self.render_mode = _checked("render_mode", render_mode, (*RENDER_MODES, None))
        self.episode: str = _checked("episode", episode, EPISODES)
        self.reward: str = _checked("reward", reward, REWARDS)
        self.reward_scale = _checked_scale(reward_scale, self.reward)
        if self.reward == "victory_points":
            _check_victory_points(self.rules, self.episode)
        self.possible_agents = [f"player_{seat}" for seat in range(self.rules.seats)]
        self.agents: list[str] = []
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": observation_box(),
                    "action_mask": spaces.Box(0, 1, (NUM_ACTIONS,), dtype=np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(NUM_ACTIONS) for agent in self.possible_agents}
        self.state_space = state_box()
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._episode_seeds: np.random.Generator | None = None
        self._match: Match | None = None  # of episode match
        self._undealt = new_games(self.rules, 1)
        self._ids = np.zeros(NUM_ACTIONS, dtype=np.int16)
        self._seen = np.zeros(OBSERVATION_SIZE + NUM_ACTIONS, dtype=np.int8)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new episode.

        Args:
            seed: whole number >= 0; it fixes this episode, and those that later calls without a
                seed begin. The first deal is that of `Game.deal(rules, seed)`.
            options: `dealer`: seat of the first dealer, otherwise drawn from the seed. Other keys
                are ignored.

        Raises:
            ValueError: a seed or a dealer out of range; the episode goes on as before.
        """
        seeds = self._episode_seeds
        if seed is not None or seeds is None:
            seeds = np.random.default_rng(None if seed is None else check_seed(seed))
        if seed is None:
            seed = int(seeds.integers(2**63))
        dealer = (options or {}).get("dealer")
        match = Match(self.rules, seed, dealer) if self.episode == "match" else None
        games = self._dealt(seed, dealer) if match is None else match.game.state
        self._episode_seeds = seeds
        self._match = match
        self._points: list[list[float]] = []
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection: str | None = None
        self._paid = False  # whether `rewards` holds something
        self._begin_deal(games)
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Play the action of the agent to act; None removes an agent whose episode has ended.

        Args:
            action: id of a legal action, an integer of any kind.

        Raises:
            IllegalActionError: it is not legal; the message names the agent, the decision, the rule
                that forbids it and what is legal. Nothing has changed.
            ValueError: an action for an agent whose episode has ended.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        try:
            index = operator.index(action)  # type: ignore[arg-type]
        except TypeError:
            index = -1
        if not 0 <= index < NUM_ACTIONS:
            raise self._illegal(action)
        seen = _play(self._games, index, self._ids, self._seen)
        if seen < 0:
            raise self._illegal(index)
        self._cumulative_rewards[agent] = 0.0
        if self._paid:
            self._clear_rewards()
            self._paid = False
        if seen >> 2 & 3 == OVER_PHASE:
            self._end_deal(seen)
        else:
            self._show(agent, seen)
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """What the agent's seat knows now, and its mask.

        Args:
            agent: any of `possible_agents`.

        Returns:
            `observation`: int8[916], see `burraco_env.observations`; `action_mask`: int8[985], all
            zero if it is not to act. Both are the caller's to keep.

        Raises:
            ValueError: no such agent.
        """
        try:
            seat = self._seats[agent]
        except KeyError:
            raise ValueError(
                f"no agent {agent!r}; the agents are {', '.join(self.possible_agents)}"
            ) from None
        if seat == self._seat:
            seen = self._seen.copy()
            if self.terminations.get(agent, True):  # a wrapper may have ended the episode
                seen[OBSERVATION_SIZE:] = 0
        else:
            seen = np.zeros_like(self._seen)
            single.observe(self._games, seat, seen[:OBSERVATION_SIZE])
        return {"observation": seen[:OBSERVATION_SIZE], "action_mask": seen[OBSERVATION_SIZE:]}

    def state(self) -> npt.NDArray[np.int8]:
        """The full state, for centralised critics: int8[STATE_SIZE], laid out as STATE_SEGMENTS."""
        game, out = self._games[0], np.zeros(STATE_SIZE, dtype=np.int8)
        public, hands, stock, pozzetti = (out[part.start : part.stop] for part in STATE_SEGMENTS)
        single.observe(self._games, 0, public)
        hands[:] = game["hands"].ravel()
        size = int(game["stock_size"])
        stock[:size] = game["stock"][:size][::-1] + 1
        sizes = game["rules"]["pozzetto_sizes"]
        rows = pozzetti.reshape(MAX_POZZETTI, MAX_POZZETTO_SIZE)
        untaken = range(int(game["first_pozzetto"]), int(game["end_pozzetto"]))
        for row, index in enumerate(untaken):
            rows[row, : sizes[index]] = game["pozzetti"][index][: sizes[index]] + 1
        return out

    def render(self) -> str | None:
        """The table with all cards open: returned with `ansi`, printed with `human`.

        `burraco_env.rendering.table_text(env.unwrapped.game, seat)` shows what one seat sees.
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode: human or ansi")
            return None
        text = table_text(self.game)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Nothing is held open."""

    def observation_space(self, agent: str) -> spaces.Dict:
        """The observation space of an agent, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The action space of an agent, always the same object."""
        return self.action_spaces[agent]

    @property
    def game(self) -> Game:
        """The deal being played, or the one that ended the episode, as an independent copy.

        It holds all cards: an agent must not see it. Search agents get `game.resample(seat, rng)`.
        """
        rules = self.rules if self._match is None else self._match.game.rules
        return Game(rules, single.copy(self._games))

    @property
    def deals(self) -> int:
        """Deals of this episode that are over."""
        return len(self._points)

    @property
    def points(self) -> list[list[float]]:
        """Points of each seat in each deal of this episode that is over."""
        return [list(points) for points in self._points]

    def text(self, action: int) -> str:
        """Text of an action id, as notation.md writes it.

        Raises:
            ValueError: no id, or a lay-off on a meld that is not there.
        """
        return action_text(self._games[0], action)

    def id(self, decision: str) -> int:
        """Id of a legal decision, given as text.

        Raises:
            IllegalActionError: it is not legal; the message says which rule forbids it.
        """
        return self.game.id(decision)

    def _dealt(self, seed: int, dealer: int | None) -> npt.NDArray[np.void]:
        games = single.copy(self._undealt)
        games["generator"] = generator_states(seed)
        _deal(games, -1 if dealer is None else self.rules.check_seat(dealer, "dealer"))
        return games

    def _begin_deal(self, games: npt.NDArray[np.void]) -> None:
        self._games = games
        seen = _look(games, self._ids, self._seen)
        self._show(self.possible_agents[seen & 3], seen)

    def _show(self, previous: str, seen: int) -> None:
        """Let the seat to act be selected and informed; `seen` is from the kernel."""
        self._seat = seat = seen & 3
        agent = self.possible_agents[seat]
        if agent is not previous:
            self.infos[previous] = {}
        self.infos[agent] = {
            "phase": PHASES[seen >> 2 & 3],
            "turn": seen >> 4,
            "deal": len(self._points),
        }
        self.agent_selection = agent

    def _end_deal(self, seen: int) -> None:
        """Pay; then end the episode, or begin the next deal of the match."""
        match, outcome = self._match, OUTCOMES[int(self._games[0]["outcome"])]
        if match is None:
            self._points = [self.game.seat_points()]
        else:
            match.next_deal()
            self._points = match.points
        unfinished = match is not None and not match.is_over
        over = not unfinished or len(self._points) >= MAX_DEALS
        self._pay(over)
        if match is not None and not over:
            self.infos = {agent: {} for agent in self.agents}
            self._begin_deal(match.game.state)
            return
        self._seat = seen & 3
        cut = unfinished or outcome == OUTCOMES[STALEMATE]
        (self.truncations if cut else self.terminations).update(dict.fromkeys(self.agents, True))
        self.infos = {
            agent: {
                "phase": PHASES[OVER_PHASE],
                "turn": seen >> 4,
                "deal": len(self._points),
                "outcome": outcome,
            }
            for agent in self.agents
        }
        self.agent_selection = self.agents[0]

    def _pay(self, over: bool) -> None:
        if self.reward == "points":
            paid = (differences(np.array(self._points[-1])) / self.reward_scale).tolist()
        elif not over:
            return
        elif self.reward == "win":
            paid = wins(np.array(self._points).sum(axis=0)).tolist()
        else:
            assert self._match is not None
            sides = self._match.victory_points
            paid = [(sides[seat % 2] - 10) / 10 for seat in range(self.rules.seats)]
        self.rewards = dict(zip(self.agents, paid, strict=True))
        self._accumulate_rewards()
        self._paid = True

    def _illegal(self, action: Any) -> IllegalActionError:
        game, known = self.game, isinstance(action, int) and 0 <= action < NUM_ACTIONS
        legal = ", ".join(f"{index} ({game.text(index)})" for index in game.legal_ids())
        if not known:
            why = f"actions are the whole numbers from 0 to {NUM_ACTIONS - 1}"
            return IllegalActionError(
                f"{self.agent_selection} cannot play {action!r}: {why}; legal: {legal}"
            )
        try:
            decision = game.text(action)
            why = f"{decision}): {explain(game.state, decision)}"
        except ValueError as error:
            why = f"no such decision): {error}"
        return IllegalActionError(
            f"{self.agent_selection} cannot play {action} ({why}; legal: {legal}"
        )

    def __getstate__(self) -> dict[str, Any]:
        """All but the array that a match shares."""
        saved = dict(vars(self))
        if self._match is not None and self._match.game.state is self._games:
            del saved["_games"]
        return saved

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self.__dict__.update(saved)
        if self._match is not None and "_games" not in saved:
            self._games = self._match.game.state


def _chosen_rules(
    preset: str, seats: int | None, rules: Rules | None, overrides: dict[str, Any]
) -> Rules:
    if rules is None:
        return Rules.preset(preset, seats, **overrides)
    if not isinstance(rules, Rules):
        raise RulesError(f"rules must be a Rules object, not {rules!r}")
    if preset != "italian" or seats is not None or overrides:
        raise RulesError("give either rules, or preset, seats and fields to override, not both")
    return rules


def _checked(name: str, value: Any, choices: tuple[Any, ...]) -> Any:
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(str, choices))}, not {value!r}")
    return value


def _checked_scale(scale: Any, reward: str) -> float:
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not 0 < scale < math.inf:
        raise ValueError(f"reward_scale must be a number above 0, not {scale!r}")
    if reward != "points" and scale != REWARD_SCALE:
        raise ValueError(f"reward_scale divides points; with reward={reward!r} it has no effect")
    return float(scale)


def _check_victory_points(rules: Rules, episode: str) -> None:
    if episode != "match":
        raise ValueError("reward='victory_points' is paid for a match; it needs episode='match'")
    if not rules.victory_points:
        raise ValueError(
            f"reward='victory_points' needs a match that is scored in them; "
            f"{rules.preset_name} with {rules.seats} seats is not"
        )
