"""`search`: plays out what a decision leads to, in many redraws of all that its seat cannot see."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.collection import NETWORK
from agents.expert import score_actions
from agents.head import chunks
from agents.learned import find_weights, load_policy, write_logits, write_seen
from agents.lookahead import ME, Lookahead, blank_critic, blank_net, lead_after, load_critic
from agents.parameters import tuned
from agents.perceptron import Scratch, new_scratch
from agents.rollout import GREEDY, new_desk
from agents.views import SEATS
from burraco_env._jit import int64, row_kernel
from burraco_env.actions import NUM_ACTIONS
from burraco_env.agent import check_rows, no_legal_action
from burraco_env.engine import apply
from burraco_env.errors import ResampleError
from burraco_env.generator import draw_below
from burraco_env.resampling import MAX_TRIES, resample
from burraco_env.restoring import restore
from burraco_env.state import GAME_DTYPE

ROLLOUTS = {"expert": 0, "greedy": GREEDY, "network": NETWORK}
"""Who may play games out, and their policies."""

_SEED_PARTS = 3
_SEED_BOUND = 1 << 19
_STRIDE = np.uint64(0xD1342543DE82EF95)
_NEVER = 1 << 40


@row_kernel
def _prepare(  # noqa: PLR0913, PLR0917 - a kernel takes its arrays one by one
    observation: Any,
    mask: Any,
    ahead: Lookahead,
    asked: bool,
    desk: Any,
    scratch: Scratch,
    games: Any,
    worth: Any,
    order: Any,
) -> int:
    """Restore the game and sort the legal actions, best first; returns how many.

    Writes what they are worth to `worth`, float64[NUM_ACTIONS]: the expert's scores, or the logits
    of the network, if it is asked. -1: no game looks like the observation.
    """
    notes, net = desk[0]["notes"], ahead.net
    ids, logits = desk[0]["ids"], desk[0]["logits"]
    legal = int64(0)
    for action in range(NUM_ACTIONS):
        if mask[action]:
            ids[legal] = action
            legal += 1
    if asked:
        write_seen(observation, mask, net, notes, scratch.inputs)
        write_logits(observation, ids, legal, net, notes, scratch, logits)
    else:
        score_actions(observation, mask, ahead.parameters[0], notes)
    for index in range(legal):
        action = int64(ids[index])
        worth[action] = logits[index] if asked else notes["scores"][action]
        at = index
        while at > 0 and worth[order[at - 1]] < worth[action]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = action
    if legal > 1 and not restore(observation, games[0]):
        return int64(-1)
    return legal


@row_kernel
def _draw_seeds(rng: Any, seeds: Any) -> None:
    """A seed for each row, from its own generator."""
    for row in range(rng.shape[0]):
        seed = np.uint64(0)
        for _ in range(_SEED_PARTS):
            seed = seed * np.uint64(_SEED_BOUND) + np.uint64(draw_below(rng, row, _SEED_BOUND))
        seeds[row] = seed


@row_kernel
def _simulate(  # noqa: PLR0913, PLR0917 - a kernel takes its arrays one by one
    games: Any,
    candidates: Any,
    ahead: Lookahead,
    seed: Any,
    first: int,
    desk: Any,
    scratch: Scratch,
    leads: Any,
) -> bool:
    """Play out each candidate in the redraws `first` to `first + len(leads) - 1`.

    Writes the lead that it brings into leads[redraw, candidate]. `games`: the restored game, and
    room for two more. False: no consistent redraw was found.
    """
    until = int64(_NEVER)
    if ahead.horizon > 0:
        until = games[0]["turn"] + ahead.horizon
    for index in range(leads.shape[0]):
        games[1] = games[0]
        state = seed + np.uint64(first + index) * _STRIDE
        if not resample(games[1], ME, state, desk[0]["ids"]):
            return False
        for candidate in range(candidates.shape[0]):
            games[2] = games[1]
            apply(games[2], candidates[candidate])
            leads[index, candidate] = lead_after(games[2], ahead, until, desk[0], scratch)
    return True


def _scratch(ahead: Lookahead) -> Scratch:
    """For one thread."""
    return new_scratch(ahead.net.body, ahead.critic)


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """The threads that play out games, for all agents with as many."""
    return ThreadPoolExecutor(threads, thread_name_prefix="search")


class SearchAgent:
    """Plays out what its best decisions lead to, in many redraws of all that it cannot see.

    It restores the game from its own observation, so it cannot know more than that says. The
    `width` decisions that `expert` likes best are tried in the same redraws of the hidden cards;
    scripted agents play each of them to the end of the deal. Round after round the worse half is
    dropped, and the decision with the best mean lead is played; in place of the decision of
    `expert` another one only if it is better by more than `trust` standard errors.

    With a trained network its policy takes the place of `expert` in that choice, may play the games
    out, and its critic may say what the lead will be, `horizon` turns ahead, instead of playing on.
    """

    name = "search"
    deals_at_once = 2

    def __init__(  # noqa: PLR0913, PLR0917 - these are the options of the agent
        self,
        simulations: int = 200,
        milliseconds: int = 0,
        width: int = 8,
        trust: float = 1.0,
        rollout: str = "expert",
        threads: int = 0,
        network: str = "",
        horizon: int = 0,
    ) -> None:
        """Choose how much it looks at.

        Args:
            simulations: games played out for a decision, at least 2.
            milliseconds: time for a decision, instead of a number of simulations; what it decides
                then depends on the machine. 0: no limit but the number of simulations.
            width: decisions that are tried, at least 2.
            trust: standard errors by which another decision must be better than that of `expert`
                or of the network.
            rollout: who plays the games out, `expert`, `greedy` or `network`.
            threads: threads that play out games; 0: all cores. The decisions do not depend on it.
            network: `champion`, or run folder or weights file of another network, which chooses
                the decisions to be tried.
            horizon: turns of any seats after which the critic of the network says what the lead
                will be, at the next choice. 0: the games are played to the end of the deal.

        Raises:
            ValueError: a value out of range; a network is needed, or has no critic of points.
            WeightsError: no weights, as `learned.load_agent` says.
        """
        for name, value, least in (
            ("simulations", simulations, 2),
            ("milliseconds", milliseconds, 0),
            ("width", width, 2),
            ("trust", trust, 0),
            ("threads", threads, 0),
            ("horizon", horizon, 0),
        ):
            if value < least:
                raise ValueError(f"{name} must be at least {least}, not {value}")
        if rollout not in ROLLOUTS:
            raise ValueError(f"rollout must be expert, greedy or network, not {rollout!r}")
        if not network and (horizon or rollout == "network"):
            option = f"horizon={horizon}" if horizon else "rollout=network"
            raise ValueError(
                f"{option} needs a network: network=champion or the path of a run folder"
            )
        self._simulations = simulations
        self._seconds = milliseconds / 1000
        self._width = width
        self._trust = trust
        self._threads = threads or os.cpu_count() or 1
        self._asked = bool(network)
        two, more = find_weights(network, 2), find_weights(network, 4)
        ahead = {
            path: Lookahead(
                ROLLOUTS[rollout],
                horizon,
                tuned()[None],
                load_policy(path).net if network else blank_net(),
                load_critic(path) if horizon else blank_critic(),
            )
            for path in {two, more}  # the same but for the champion
        }
        self._two, self._more = ahead[two], ahead[more]

    def act(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        rng: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """Choose an action for each row, as `Agent.act` says.

        Raises:
            ResampleError: no redraw was found that agrees with an observation.
        """
        check_rows(observations, masks, rng)
        seeds = np.zeros(len(rng), dtype=np.uint64)
        _draw_seeds(rng, seeds)
        actions = np.zeros(len(masks), dtype=np.int64)
        for row, (observation, mask) in enumerate(zip(observations, masks, strict=True)):
            ahead = self._ahead(observation)
            game, order = self._restored(row, ahead, observation, mask)
            actions[row] = self._search(game, ahead, order[: self._width], seeds[row])
        return actions

    def leads(
        self,
        observation: npt.NDArray[np.int8],
        mask: npt.NDArray[np.int8],
        actions: npt.NDArray[np.int64],
        seed: np.uint64,
        redraws: int,
    ) -> npt.NDArray[np.float64]:
        """Points by which the seat leads, at the end or by the critic, after some legal actions.

        All of them are played out in the same redraws of what the seat cannot see.

        Args:
            observation: int8[OBSERVATION_SIZE] of the seat to act.
            mask: int8[NUM_ACTIONS], at least two legal actions.
            actions: int64[n], legal ones.
            seed: of the redraws.
            redraws: how many.

        Returns:
            float64[redraws, n].
        """
        ahead = self._ahead(observation)
        game, _ = self._restored(0, ahead, observation, mask)
        return self._play_out(game, ahead, actions, seed, 0, redraws)

    def _ahead(self, observation: npt.NDArray[np.int8]) -> Lookahead:
        """How games with so many seats are played on."""
        return self._two if observation[SEATS] == 2 else self._more

    def _restored(
        self,
        row: int,
        ahead: Lookahead,
        observation: npt.NDArray[np.int8],
        mask: npt.NDArray[np.int8],
    ) -> tuple[npt.NDArray[np.void], npt.NDArray[np.int64]]:
        """The game, shape (1,), and the legal actions, best first; `row` is for the errors.

        Where there is no choice the game is not restored.
        """
        game = np.zeros(1, dtype=GAME_DTYPE)
        order = np.zeros(NUM_ACTIONS, dtype=np.int64)
        worth = np.zeros(NUM_ACTIONS)
        count = _prepare(
            observation, mask, ahead, self._asked, new_desk(), _scratch(ahead), game, worth, order
        )  # fmt: skip
        if count == 0:
            raise no_legal_action(row)
        if count < 0:
            raise ValueError(
                f"row {row} of the observations is of no game: its cards do not add up to the deck "
                "that it says"
            )
        return game, order[:count]

    def _search(
        self,
        game: npt.NDArray[np.void],
        ahead: Lookahead,
        candidates: npt.NDArray[np.int64],
        seed: np.uint64,
    ) -> int:
        """The best of the candidates, of which the first is that of `expert` or the network."""
        rounds = (len(candidates) - 1).bit_length()
        began = time.perf_counter()
        leads = np.zeros((0, len(candidates)))
        for turn in range(rounds):
            deadline = began + self._seconds * (turn + 1) / rounds
            if self._seconds:
                redraws = self._threads  # again and again until the time is up
            else:
                redraws = max(1, self._simulations // (rounds * len(candidates)))
            while True:
                more = self._play_out(game, ahead, candidates, seed, len(leads), redraws)
                leads = np.concatenate([leads, more])
                if time.perf_counter() >= deadline:
                    break
            order = self._ranking(leads)
            kept = np.sort(order[: (len(order) + 1) // 2])
            candidates, leads = candidates[kept], leads[:, kept]
        return int(candidates[0])

    def _ranking(self, leads: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """The candidates, best first; the first one has the benefit of the doubt."""
        better = leads - leads[:, :1]
        errors = better.std(axis=0) / np.sqrt(len(leads))
        return np.argsort(-(better.mean(axis=0) - self._trust * errors), kind="stable")

    def _play_out(
        self,
        game: npt.NDArray[np.void],
        ahead: Lookahead,
        candidates: npt.NDArray[np.int64],
        seed: np.uint64,
        first: int,
        redraws: int,
    ) -> npt.NDArray[np.float64]:
        """Leads in so many redraws, float64[redraws, candidates]."""
        leads = np.zeros((redraws, len(candidates)))
        tasks = [
            _pool(self._threads).submit(
                _simulate,
                np.repeat(game, 3),
                candidates,
                ahead,
                seed,
                first + part.start,
                new_desk(),
                _scratch(ahead),
                leads[part],
            )
            for part in chunks(redraws, min(self._threads, redraws))
        ]
        if not all(task.result() for task in tasks):
            raise ResampleError(f"no redraw in {MAX_TRIES} tries agrees with the observation")
        return leads
