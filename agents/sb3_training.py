"""Self-play with MaskablePPO of sb3-contrib on `BurracoVecEnv`. Needs the extra `train`.

The learner holds one side; the other side is held, deal by deal, by `random`, by `greedy` or by a
recent snapshot of the learner. Fixed opponents are played against all the time, because an agent
that only beats itself is the usual failure.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numba
import numpy as np
import torch
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure

from agents.files import append_line
from agents.learned import LearnedAgent, Policy, save_weights
from agents.perceptron import Layers
from agents.registry import make_agent
from agents.runs import meet, summary
from agents.seeds import VALIDATE
from burraco_env import Rules
from burraco_env.agent import Agent
from burraco_env.sb3 import BurracoVecEnv


@dataclass(frozen=True)
class Args:
    """Train an agent by self-play and write a run folder with weights, config and metrics."""

    preset: str = "italian"
    """Rules to train on."""
    seats: int | None = None
    """Seats; None: the preset's default."""
    minutes: float = 10.0
    """Time to train for."""
    out: Path = Path("runs/latest")
    """Run folder; made if needed."""
    seed: int = 0
    """Seed of deals, network and learning."""
    num_envs: int = 256
    """Games at once."""
    n_steps: int = 64
    """Decisions of each game between two updates."""
    batch_size: int = 2048
    """Decisions in a minibatch."""
    epochs: int = 2
    """Passes over the decisions in an update."""
    learning_rate: float = 5e-4
    """Learning rate of Adam at the beginning; it falls to a tenth."""
    entropy: float = 0.01
    """Weight of the entropy bonus."""
    hidden: tuple[int, ...] = (256, 256)
    """Sizes of the hidden layers, of policy and critic each."""
    opponents: tuple[str, ...] = ("self", "greedy", "random")
    """Who holds the other side, one drawn for each deal: agents by name, `self` is a snapshot."""
    snapshot_updates: int = 10
    """Updates between two snapshots of the learner."""
    watch_seconds: float = 30.0
    """Time between two evaluations against the fixed opponents."""
    watch_deals: int = 100
    """Duplicate deals of such an evaluation."""

    def __post_init__(self) -> None:
        """Refuse what could not be trained, before anything is written.

        Raises:
            ValueError: a value out of range, or an unknown preset, seat count or opponent.
        """
        Rules.preset(self.preset, self.seats)
        for name in ("num_envs", "n_steps", "batch_size", "epochs", "snapshot_updates"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("minutes", "learning_rate", "watch_seconds", "watch_deals"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be above 0, not {getattr(self, name)}")
        if not self.opponents:
            raise ValueError("opponents must name at least one agent")
        for opponent in self.opponents:
            if opponent != "self":
                make_agent(opponent)


def policy_layers(model: MaskablePPO) -> Layers:
    """A copy of the policy's layers, as `LearnedAgent` takes them."""
    policy: Any = model.policy
    linears = [m for m in policy.mlp_extractor.policy_net if isinstance(m, torch.nn.Linear)]
    return [
        (linear.weight.detach().numpy().copy(), linear.bias.detach().numpy().copy())
        for linear in (*linears, policy.action_net)
    ]


class _Watch(BaseCallback):
    """Keeps the time, refreshes the snapshot, plays the fixed opponents, saves."""

    def __init__(self, args: Args, snapshot: LearnedAgent, progress: Progress) -> None:
        super().__init__()
        self.args = args
        self.snapshot = snapshot
        self.progress = progress
        self.updates = 0
        self.points: dict[str, str] = {}

        self.start = self.watched = time.monotonic()

    def elapsed(self) -> float:
        """Part of the time that is over, from 0 to 1."""
        return min(1.0, (time.monotonic() - self.start) / (self.args.minutes * 60))

    def _on_training_start(self) -> None:
        self.start = self.watched = time.monotonic()
        self.task = self.progress.add_task("train", total=self.args.minutes * 60, note="")

    def _on_step(self) -> bool:
        return self.elapsed() < 1

    def _on_rollout_end(self) -> None:
        self.updates += 1
        if self.updates % self.args.snapshot_updates == 0:
            self.snapshot.policy = Policy(policy_layers(self._ppo))
        now = time.monotonic()
        if now - self.watched > self.args.watch_seconds:
            self.watch()
            self.watched = time.monotonic()
        rate = self.num_timesteps / (now - self.start)
        points = "  ".join(f"v {name} {text}" for name, text in self.points.items())
        self.progress.update(
            self.task, completed=now - self.start, note=f"{rate:,.0f} decisions/s  {points}"
        )

    @property
    def _ppo(self) -> MaskablePPO:
        assert isinstance(self.model, MaskablePPO)
        return self.model

    def watch(self) -> None:
        """Play the fixed opponents on the validation deals, save the weights and the figures."""
        args, policy = self.args, Policy(policy_layers(self._ppo))
        save_weights(args.out, policy, config(args))
        rules = Rules.preset(args.preset, args.seats)
        line: dict[str, Any] = {
            "seconds": round(time.monotonic() - self.start, 1),
            "decisions": self.num_timesteps,
        }
        for name in ("random", "greedy"):
            line[name] = summary(meet(policy, name, rules, VALIDATE.seed, args.watch_deals, 1))
            mean = line[name]["mean_points"]
            self.points[name] = f"{mean:+.0f} ± {line[name]['ci95'][1] - mean:.0f}"
            self.logger.record(f"watch/points_v_{name}", mean)
        append_line(args.out / "metrics.jsonl", line)


def config(args: Args) -> dict[str, Any]:
    """The arguments as JSON values."""
    return {**asdict(args), "out": str(args.out)}


@contextmanager
def _one_thread() -> Iterator[None]:
    """The engine on one thread: beside torch a second one only gets in its way."""
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(before)


def train(args: Args) -> Path:
    """Train; returns the run folder.

    An interrupt by the user ends the training early; the weights so far are saved.
    """
    rules = Rules.preset(args.preset, args.seats)
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "metrics.jsonl").unlink(missing_ok=True)
    (args.out / "config.json").write_text(json.dumps(config(args), indent=2), encoding="utf-8")
    snapshot = LearnedAgent(Policy(_blank_layers(args)), sample=True, name="self")
    opponents: list[Agent] = [
        snapshot if name == "self" else make_agent(name) for name in args.opponents
    ]
    env = BurracoVecEnv(
        args.num_envs,
        rules=rules,
        seed=args.seed,
        learn_side=rules.seats == 4,
        opponents=opponents,
    )
    columns = (
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Progress(*columns) as progress, _one_thread():
        watch = _Watch(args, snapshot, progress)
        model = _model(args, env, watch)
        snapshot.policy = Policy(policy_layers(model))
        try:
            model.learn(10**12, callback=watch)
        except KeyboardInterrupt:
            progress.console.print("interrupted; the weights so far are kept")
        watch.watch()
    return args.out


def _model(args: Args, env: BurracoVecEnv, watch: _Watch) -> MaskablePPO:
    """MaskablePPO with separate networks for policy and critic, logging to TensorBoard."""

    def learning_rate(_: float) -> float:
        return args.learning_rate * (1 - 0.9 * watch.elapsed())

    hidden = list(args.hidden)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=learning_rate,
        n_steps=args.n_steps,
        batch_size=args.batch_size,
        n_epochs=args.epochs,
        gamma=1.0,
        ent_coef=args.entropy,
        policy_kwargs={"net_arch": {"pi": hidden, "vf": hidden}},
        seed=args.seed,
        device="cpu",
    )
    model.set_logger(configure(str(args.out), ["tensorboard"]))
    return model


def _blank_layers(args: Args) -> Layers:
    """Layers of the right shapes until the model is there."""
    from burraco_env import NUM_ACTIONS, OBSERVATION_SIZE

    sizes = [OBSERVATION_SIZE, *args.hidden, NUM_ACTIONS]
    return [
        (np.zeros((after, before), np.float32), np.zeros(after, np.float32))
        for before, after in pairwise(sizes)
    ]
