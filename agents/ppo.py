"""Self-play with PPO: one network holds the seats that learn, in many games at once.

Read top to bottom: who sits at the tables, how experience is collected, how it is learned from.
The options are in `agents.options`, the network in `agents.network`; games are played in
`agents.collection`; how a run is watched, saved and resumed is `agents.runs`. Metrics are named as
in cleanrl.

The logits are those of a multilayer perceptron plus the expert's scores of the legal actions, times
a learned factor for each kind of action. The perceptron's last layer starts at zero, so training
starts at the expert's strength and learns what to do otherwise.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from agents import head as heads
from agents.checkpoints import Arrays, as_bytes, as_records
from agents.collection import (
    NOT_DEALT,
    OBJECTIVES,
    OUTSIDER,
    SCRIPTED,
    SELF,
    TABLE_DTYPE,
    Plan,
    Seen,
    estimate_advantages,
    imitate,
    new_rows,
    play_round,
    take_choices,
)
from agents.head import Legal, chunks
from agents.learned import FEATURES, INPUT_SIZES, Policy, find_weights, load_tensors
from agents.network import Judge, Network, array_of
from agents.options import Args, training_rules
from agents.parameters import tuned
from agents.registry import make_agent
from agents.rollout import GREEDY, new_desk
from burraco_env import NUM_ACTIONS, OBSERVATION_SIZE
from burraco_env.generator import generator_states
from burraco_env.state import GAME_DTYPE, new_games

_LOSSES = ("policy_loss", "entropy", "kl_to_initial", "approx_kl", "clipfrac")
_COUNTERS = ("updates", "decisions", "seconds", "cloned", "spent")
_RISING_UPDATES = 8
"""Updates in which the learning rate rises: the first steps of Adam are as long as all others."""
VARIED_EXPERTS = 8
VARIATION = 0.3
"""Standard deviation, as a part of each value, of the parameters of the varied experts."""


def _varied(parameters: npt.NDArray[np.float64], seed: int) -> npt.NDArray[np.float64]:
    """Experts with parameters moved at random, float64[VARIED_EXPERTS, 2, NUM_PARAMETERS]."""
    noise = np.random.default_rng(seed).standard_normal((VARIED_EXPERTS, *parameters.shape))
    return np.asarray(parameters * (1 + VARIATION * noise))


class Opponents:
    """The mixture as the kernels read it, and the agents that are asked from outside."""

    def __init__(self, args: Args) -> None:
        shares = {name: share for name, share in args.opponents.items() if share > 0}
        total = sum(shares.values())
        self.bounds = np.round(1000 * np.cumsum(list(shares.values())) / total).astype(np.int64)
        self.agents = [make_agent(n) for n in shares if n not in _WITHIN]
        self.rows = np.zeros((len(shares), 3), np.int64)
        self._snapshots = list(shares).index("snapshots") if "snapshots" in shares else -1
        outsider = args.snapshots
        for index, name in enumerate(shares):
            if name in _WITHIN:
                self.rows[index] = _WITHIN[name]
            else:
                self.rows[index] = (OUTSIDER, outsider, 1)
                outsider += 1

    def with_snapshots(self, count: int) -> npt.NDArray[np.int64]:
        """`Plan.opponents` with so many snapshots; without one, the network plays itself."""
        if self._snapshots >= 0:
            self.rows[self._snapshots] = (OUTSIDER, 0, count)
        return self.rows.copy()


_WITHIN = {
    "self": (SELF, 0, 1),
    "snapshots": (OUTSIDER, 0, 0),
    "greedy": (SCRIPTED, GREEDY, 1),
    "expert": (SCRIPTED, 1, 1),
    "experts": (SCRIPTED, 2, VARIED_EXPERTS),
}
"""Opponents that never leave the kernels, but for snapshots: kind, first policy, how many."""


def _blank_games(args: Args) -> npt.NDArray[np.void]:
    rules = training_rules(args)
    games = np.zeros(len(rules), dtype=GAME_DTYPE)
    for index, chosen in enumerate(rules):
        games[index] = new_games(chosen, 1)[0]
    return games


class Trainer:
    """A run: networks, games, counters. `update` collects a batch and learns from it."""

    def __init__(self, args: Args, fresh: bool = True) -> None:
        """Set up a training; not `fresh`: `restore` follows."""
        self.args = args
        torch.set_num_threads(args.threads)
        torch.manual_seed(args.seed)
        self.pool = ThreadPoolExecutor(args.threads)
        self.network = Network(args)
        expert = tuned()
        judged = expert if args.init is None or not fresh else self._start_from(args.init, expert)
        self.parameters = np.stack([judged, expert, *_varied(expert, args.seed)])
        rows, rest = self.network.policy_parameters()
        slowly = args.row_rate if args.inputs == FEATURES else 1.0
        groups = [{"params": rows, "part": slowly}, {"params": rest, "part": 1.0}]
        self.policy_optimiser = torch.optim.Adam(groups, eps=1e-5)
        whole = {"params": self.network.critic_parameters(), "part": 1.0}
        self.critic_optimiser = torch.optim.Adam([whole], eps=1e-5)
        self.initial = Network(args)
        self.initial.load_state_dict(self.network.state_dict())
        self.snapshots: list[Network] = []
        self.opponents = Opponents(args)
        self.games = np.zeros(args.games, dtype=GAME_DTYPE)
        self.games["generator"] = generator_states(args.seed, args.games)
        self.tables = np.zeros(args.games, dtype=TABLE_DTYPE)
        self.tables["choice"] = NOT_DEALT
        self.desks = [new_desk() for _ in range(args.threads)]
        self.rows = new_rows(args.batch, INPUT_SIZES[args.inputs])
        self.seen = Seen(
            np.zeros((args.games, OBSERVATION_SIZE), np.int8),
            np.zeros((args.games, NUM_ACTIONS), np.int8),
            np.zeros(args.games, np.uint64),
        )
        self.updates = 0
        self.decisions = 0
        self.seconds = 0.0
        self.cloned = 0.0
        self.spent = {"environment": 0.0, "network": 0.0, "learning": 0.0}
        self._compile()

    def _start_from(self, text: str, expert: npt.NDArray[np.float64]) -> Any:
        """Take over the weights of a run; returns the parameters of its prior."""
        path = find_weights(text, training_rules(self.args)[0].seats)
        card, tensors = load_tensors(path)
        if card["inputs"] != self.args.inputs or card["activation"] != "relu":
            raise ValueError(f"{path} has the inputs {card['inputs']} and {card['activation']}")
        self.network.take_over(tensors)
        return tensors.get("prior.parameters", expert)

    @property
    def progress(self) -> float:
        """Part of the training that is done, from 0 to 1."""
        if self.args.decisions is not None:
            return min(1.0, self.decisions / self.args.decisions)
        return min(1.0, self.seconds / (60 * (self.args.minutes or 10.0)))

    def _plan(self, imitating: bool = False) -> Plan:
        args = self.args
        return Plan(
            _blank_games(args),
            self.parameters,
            self.opponents.bounds,
            self.opponents.with_snapshots(len(self.snapshots)),
            OBJECTIVES.index(args.objective),
            args.inputs == FEATURES,
            imitating or args.uses_prior,
        )

    def _spread(self, function: Callable[[slice, int], Any], rows: int) -> list[Any]:
        """Call the function for parts of the rows, each in a thread of its own."""
        parts = chunks(rows, self.args.threads)
        if len(parts) == 1:
            return [function(parts[0], 0)]
        return list(self.pool.map(function, parts, range(len(parts))))

    def _autocast(self) -> Any:
        return torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.args.bf16)

    def _compile(self) -> None:
        """Compile the kernels, before any clock runs."""
        plan, none = self._plan(), slice(0, 0)
        play_round(0, 0, 0, self.games, self.tables, plan, self.rows, self.seen, self.desks[0][0])
        take_choices(0, self.tables[:0], self.rows)
        imitate(0, 0, self.rows)
        self._draw(self.network, none, self.seen.rng[:0])
        estimate_advantages(self.rows, np.zeros(0, np.float32), 0.0, np.zeros(0, np.float32))
        self.rows.counts[0] = 1
        for compared in (False, True):
            torch.autograd.backward(self._judge(np.zeros(1, np.int64), compared).sum())
        self.network.zero_grad()

    # Collecting experience.

    def collect(self, imitating: bool = False) -> None:
        """Play until each game has had its share of the batch's decisions."""
        self.tables["last"] = -1
        plan = self._plan(imitating)
        for first in range(0, self.args.batch, self.args.games):
            start = time.perf_counter()

            def play(part: slice, thread: int, first: int = first) -> None:
                play_round(part.start, part.stop, first, self.games, self.tables, plan, self.rows,
                           self.seen, self.desks[thread][0])  # fmt: skip

            self._spread(play, self.args.games)
            middle = time.perf_counter()
            if imitating:
                imitate(first, self.args.games, self.rows)
            else:
                self._choose(first)
            take_choices(first, self.tables, self.rows)
            self._ask_agents(first)
            self.spent["environment"] += middle - start
            self.spent["network"] += time.perf_counter() - middle

    def _choose(self, first: int) -> None:
        """Draw actions for the seats of the network and of its snapshots."""
        rows = slice(first, first + self.args.games)
        to_act = self.rows.to_act[rows]
        if not to_act.any():  # no copies needed
            self._draw(self.network, rows, self.seen.rng)
            return
        for index, network in enumerate((self.network, *self.snapshots)):
            own = np.flatnonzero(to_act == index)
            if len(own):
                self._draw(network, own + first, self.seen.rng[own])

    def _draw(self, network: Network, rows: Any, rng: npt.NDArray[np.uint64]) -> None:
        batch = self.rows
        with torch.no_grad(), self._autocast():
            hidden = network.body(torch.from_numpy(batch.inputs[rows])).numpy()
        chosen, logs = np.zeros(len(hidden), np.int16), np.zeros(len(hidden), np.float32)
        legal = Legal(batch.ids, batch.scores, batch.features, batch.counts).rows(rows)
        heads.choose(hidden, network.numpy_head(), legal, rng, chosen, logs)
        batch.chosen[rows], batch.log_probs[rows] = chosen, logs

    def _ask_agents(self, first: int) -> None:
        """Let the agents from outside choose in their games."""
        to_act = self.rows.to_act[first : first + self.args.games]
        for index, agent in enumerate(self.opponents.agents):
            own = np.flatnonzero(to_act == 1 + self.args.snapshots + index)
            if len(own):
                seen = self.seen
                self.tables["choice"][own] = agent.act(
                    seen.observations[own], seen.masks[own], seen.rng[own]
                )

    # Learning from it.

    def update(self) -> dict[str, float]:
        """Collect a batch and learn from it; returns its metrics."""
        start, before = time.perf_counter(), self.decisions
        self.collect()
        learning = time.perf_counter()
        advantages, returns, values = self._estimate()
        rows = np.flatnonzero((self.rows.to_act == 0) & self._known())
        losses = self._learn_values(rows, returns)
        if self.updates >= self.args.critic_updates:
            losses |= self._learn_policy(rows, advantages)
        self.updates += 1
        self.decisions += len(rows)
        if self.updates % self.args.snapshot_updates == 0:
            self._take_snapshot()
        end = time.perf_counter()
        self.spent["learning"] += end - learning
        self.seconds += end - start
        ended = self.rows.reward[self.rows.ended != 0]
        error = (returns - values)[rows].var() / returns[rows].var()
        return {
            **losses,
            "losses/explained_variance": float(1 - error),
            "charts/episodic_return": float(ended.mean()) if len(ended) else 0.0,
            "charts/learning_rate": self.args.learning_rate * self._learning_rate(),
            "charts/SPS": (self.decisions - before) / (end - start),
        }

    def _known(self) -> npt.NDArray[np.bool_]:
        """Rows behind which the batch says how the seat's deal goes on."""
        return np.asarray((self.rows.ended != 0) | (self.rows.following >= 0))

    def _estimate(self) -> tuple[Any, Any, Any]:
        """Advantages, what the critic is to say, and what it says, float32[batch] each."""
        parts = chunks(self.args.batch, max(1, self.args.batch // 8192))
        with torch.no_grad():
            added = np.concatenate([self._value(rows).numpy() for rows in parts])
        values = added + self.rows.baseline
        advantages, distance = np.zeros_like(values), np.zeros_like(values)
        estimate_advantages(self.rows, values, self.args.gae_lambda, advantages)
        estimate_advantages(self.rows, values, self.args.critic_lambda, distance)
        return advantages, values + distance, values

    def _learning_rate(self) -> float:
        """Part of the learning rates that is used now."""
        low = self.args.learning_rate_end
        falling = (1 + math.cos(math.pi * self.progress)) / 2
        rising = min(1.0, (self.updates + 1) / _RISING_UPDATES)
        return (low + (1 - low) * falling) * rising

    def _minibatches(self, rows: Any, stream: int) -> Iterator[npt.NDArray[np.int64]]:
        """The rows in random order, so many at a time, each part sorted."""
        rng = np.random.default_rng([self.args.seed, self.updates, stream])
        order = rng.permutation(rows)
        for at in range(0, len(order), self.args.minibatch):
            yield np.sort(order[at : at + self.args.minibatch])

    def _descend(self, optimiser: torch.optim.Optimizer, rate: float, loss: Tensor) -> None:
        """A step of the optimiser."""
        for group in optimiser.param_groups:
            group["lr"] = rate * self._learning_rate() * group["part"]
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        parameters = [part for group in optimiser.param_groups for part in group["params"]]
        nn.utils.clip_grad_norm_(parameters, self.args.max_grad_norm)
        optimiser.step()

    def _learn_values(self, rows: Any, returns: Any) -> dict[str, float]:
        """One pass of the critic over the rows."""
        total = 0.0
        for mine in self._minibatches(rows, 0):
            target = torch.from_numpy(returns[mine] - self.rows.baseline[mine])
            loss = (self._value(mine) - target).square().mean()
            self._descend(self.critic_optimiser, self.args.critic_rate, loss)
            total += len(mine) * float(loss.detach())
        return {"losses/value_loss": total / len(rows)}

    def _learn_policy(self, rows: Any, advantages: Any) -> dict[str, float]:
        """Some epochs of PPO over the rows; returns means of the last epoch."""
        args = self.args
        kl_weight = args.kl * 0.5 ** (self.progress / args.kl_half_life)
        entropy_weight = args.entropy * (1 - 0.9 * self.progress)
        scaled = (advantages - advantages[rows].mean()) / (advantages[rows].std() + 1e-8)
        sums = np.zeros(len(_LOSSES))
        for epoch in range(args.epochs):
            for mine in self._minibatches(rows, 1 + epoch):
                log_prob, entropy, divergence = self._judge(mine, kl_weight > 0).unbind(1)
                log_ratio = log_prob - torch.from_numpy(self.rows.log_probs[mine])
                ratio = log_ratio.exp()
                gain = torch.from_numpy(scaled[mine])
                clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
                policy_loss = -torch.min(ratio * gain, clipped * gain).mean()
                loss = policy_loss - entropy_weight * entropy.mean() + kl_weight * divergence.mean()
                self._descend(self.policy_optimiser, args.learning_rate, loss)
                if epoch == args.epochs - 1:
                    with torch.no_grad():
                        approx_kl = (ratio - 1 - log_ratio).mean()
                        clipfrac = ((ratio - 1).abs() > args.clip).float().mean()
                    found = (policy_loss, entropy.mean(), divergence.mean(), approx_kl, clipfrac)
                    sums += len(mine) * np.array([float(value.detach()) for value in found])
        return {
            f"losses/{name}": float(total) / len(rows)
            for name, total in zip(_LOSSES, sums, strict=True)
        }

    def imitate(self) -> dict[str, float]:
        """Let the expert hold all seats for a batch, and learn its choices and the values."""
        start = time.perf_counter()
        self.collect(imitating=True)
        _, returns, _ = self._estimate()
        rows = np.flatnonzero(self._known())
        found = self._learn_values(rows, returns)
        total = 0.0
        for mine in self._minibatches(rows, 1):
            loss = -self._judge(mine, False)[:, 0].mean()
            self._descend(self.policy_optimiser, self.args.learning_rate, loss)
            total += len(mine) * float(loss.detach())
        self.updates += 1
        self.initial.load_state_dict(self.network.state_dict())
        self.cloned += time.perf_counter() - start
        return {**found, "losses/imitation": total / len(rows), "seconds": self.cloned}

    def _judge(self, rows: Any, compared: bool) -> Tensor:
        """Log-probability, entropy and divergence from the initial policy, float32[n, 3]."""
        inputs = torch.from_numpy(self.rows.inputs[rows])
        batch, counts = self.rows, self.rows.counts[rows]
        most = int(counts.max())
        legal = Legal(
            batch.ids[rows, :most], batch.scores[rows, :most], batch.features[rows, :most], counts
        )
        network, initial = self.network, self.initial
        reference = np.zeros((0, 0), np.float32)
        with self._autocast():
            hidden = network.body(inputs)
            if compared:
                reference = np.zeros(legal.ids.shape, np.float32)
                with torch.no_grad():
                    old = initial.body(inputs).numpy()
                heads.log_probabilities(old, initial.numpy_head(), legal, reference)
        chosen = self.rows.chosen[rows]
        judged: Tensor = Judge.apply(  # type: ignore[no-untyped-call]
            hidden, *network.last(), legal, chosen, reference, self._spread
        )  # fmt: skip
        return judged

    def _value(self, rows: Any) -> Tensor:
        inputs, hidden = self.rows.inputs[rows], self.rows.hidden[rows]
        with self._autocast():
            return self.network.value(torch.from_numpy(inputs), torch.from_numpy(hidden)).float()

    def _take_snapshot(self) -> None:
        """Keep a copy of the network among the opponents, in the place of the oldest."""
        copy = Network(self.args)
        copy.load_state_dict(self.network.state_dict())
        place = (self.updates // self.args.snapshot_updates - 1) % self.args.snapshots
        self.snapshots[place : place + 1] = [copy]

    # What a checkpoint holds.

    def policy(self) -> Policy:
        """A copy of the present policy, for agents that act without PyTorch."""
        return self.network.policy(self.args, self.parameters[0])

    def arrays(self) -> Arrays:
        """All from which `restore` goes on, but for the counters."""
        arrays: Arrays = {
            "games": as_bytes(self.games),
            "tables": as_bytes(self.tables),
            "parameters": self.parameters,
        }
        for name, network in self._networks().items():
            for part, tensor in network.state_dict().items():
                arrays[f"{name}/{part}"] = array_of(tensor)
        for name, optimiser in self._optimisers().items():
            for index, moments in optimiser.state_dict()["state"].items():
                for part, tensor in moments.items():
                    arrays[f"{name}/{index}/{part}"] = array_of(tensor)
        return arrays

    def counters(self) -> dict[str, Any]:
        """The rest of it, as JSON values."""
        return {
            **{name: getattr(self, name) for name in _COUNTERS},
            "snapshots": len(self.snapshots),
        }

    def restore(self, arrays: Arrays, counters: dict[str, Any]) -> None:
        """Go on from there."""
        self.games = as_records(arrays["games"], GAME_DTYPE)
        self.tables = as_records(arrays["tables"], TABLE_DTYPE)
        self.parameters = arrays["parameters"]
        self.snapshots = [Network(self.args) for _ in range(counters["snapshots"])]
        for name, network in self._networks().items():
            network.load_state_dict(
                {part: torch.from_numpy(arrays[f"{name}/{part}"]) for part in network.state_dict()}
            )
        for name, optimiser in self._optimisers().items():
            found = optimiser.state_dict()
            for key, array in arrays.items():
                owner, *path = key.split("/")
                if owner == name:
                    index, part = path
                    found["state"].setdefault(int(index), {})[part] = torch.from_numpy(array)
            optimiser.load_state_dict(found)
        for name in _COUNTERS:
            setattr(self, name, counters[name])

    def _networks(self) -> dict[str, Network]:
        kept = {f"snapshot.{index}": network for index, network in enumerate(self.snapshots)}
        return {"network": self.network, "initial": self.initial, **kept}

    def _optimisers(self) -> dict[str, torch.optim.Adam]:
        return {"policy-adam": self.policy_optimiser, "critic-adam": self.critic_optimiser}
