"""The options of a training run, and the games that it is about."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agents.collection import OBJECTIVES
from agents.learned import FEATURES, OBSERVATION
from agents.registry import make_agent
from agents.seeds import SEED_SETS
from agents.small_games import GAMES
from burraco_env import Rules
from burraco_env.rules import seat_counts

MIXTURE = ("self=0.25", "expert=0.3", "experts=0.15", "greedy=0.15", "snapshots=0.15")
WITHIN = ("self", "snapshots", "experts")
"""Opponents that are no agents by name."""


@dataclass(frozen=True)
class Args:
    """Train an agent by self-play with PPO and write a run folder with weights and metrics.

    `--algo sb3` trains with MaskablePPO of sb3-contrib instead (`--algo sb3 --help`);
    `--resume RUN` goes on with a run that was interrupted (`--resume RUN --help`).
    """

    preset: str = "italian"
    """Rules to train on; `all`: one network for all presets, one drawn for each deal; `micro`: the
    small game of docs/training.md."""
    seats: int | None = None
    """Seats; None: the preset's default. With `all`: only games with so many seats."""
    minutes: float | None = None
    """Time to train for; 10 if `decisions` is not given either."""
    decisions: int | None = None
    """Decisions to learn from, instead of a time; such a run is the same for the same seed."""
    out: Path = Path("runs/latest")
    """Run folder; made if needed."""
    seed: int = 0
    """Seed of deals, network and learning."""
    init: str | None = None
    """Run folder or weights to start from, or `champion`, the weights that are shipped."""
    objective: str = "points"
    """What to win: points (of a deal), wins or victory_points."""
    exploit: str | None = None
    """Play every deal against this agent; what is won is the least by which it can be exploited."""
    mixture: tuple[str, ...] = MIXTURE
    """Who holds the other side and how often, name=share: self, snapshots (earlier selves), experts
    (expert with parameters moved at random), or agents as evaluate.py takes them."""
    snapshots: int = 6
    """Earlier selves that are kept."""
    snapshot_updates: int = 5
    """Updates between two of them."""

    inputs: str = FEATURES
    """What the network sees: features or observation."""
    prior: str = "expert"
    """What is added to the logits: expert (its scores) or none."""
    hidden: tuple[int, ...] = (128, 128)
    """Sizes of the hidden layers, of policy and critic each."""
    critic_sees_all: bool = True
    """The critic sees the other hands too."""
    clone_minutes: float = 0.0
    """Time to imitate the expert for first; makes sense without a prior."""

    games: int = 256
    """Games at once."""
    batch: int = 65_536
    """Decisions of a batch, between two updates; a multiple of `games`."""
    minibatch: int = 4096
    """Decisions of a step of the optimiser."""
    epochs: int = 2
    """Passes over a batch; the critic, which would learn single deals by heart, has one."""
    learning_rate: float = 1e-3
    """Of Adam at the beginning, for the policy."""
    critic_rate: float = 5e-4
    """The same for the critic; both fall together."""
    row_rate: float = 0.1
    """Learning rate of the last layer's rows of single actions, as a part of that of the policy. In
    a batch their gradients are nearly all noise; features of actions are learned from sooner."""
    learning_rate_end: float = 0.05
    """Part of it that is left at the end; it falls as a cosine."""
    gae_lambda: float = 0.8
    """Lambda of generalised advantage estimation; there is no discount."""
    critic_lambda: float = 0.99
    """The same for what the critic learns, which would lean on itself too much otherwise."""
    critic_updates: int = 8
    """Updates at the beginning in which the critic alone learns."""
    clip: float = 0.2
    """How far the probability of an action may move in an update."""
    entropy: float = 0.003
    """Weight of the entropy at the beginning; it falls linearly to a tenth."""
    max_grad_norm: float = 0.5
    """Largest norm of the gradients of policy and critic, each."""
    kl: float = 0.0
    """Weight of the divergence from the initial policy at the beginning."""
    kl_half_life: float = 0.2
    """Part of the training after which that weight has halved."""

    threads: int = 2
    """Threads of PyTorch and of the games."""
    bf16: bool = True
    """Multiply matrices in bfloat16."""
    watch_minutes: float = 2.0
    """Time between two evaluations; with `decisions`, watch_batches counts instead."""
    watch_batches: int = 50
    """Batches between two evaluations of a run with `decisions`."""
    watch_deals: int = 500
    """Duplicate deals of an evaluation against each agent."""
    watch_agents: tuple[str, ...] = ("expert", "greedy")
    """Whom to play then; the weights with the best result against the first are kept as best."""
    test_deals: int = 2000
    """With `exploit`: deals of other seeds for the last measurement."""
    save_minutes: float = 2.0
    """Time between two checkpoints."""
    tensorboard: bool = False
    """Write TensorBoard events too."""

    def __post_init__(self) -> None:
        """Refuse what could not be trained, before anything is written.

        Raises:
            ValueError: a value out of range, or an unknown preset, seat count or agent.
        """
        training_rules(self)
        for name in ("games", "batch", "minibatch", "epochs", "threads", "watch_deals",
                     "watch_batches", "snapshots", "snapshot_updates", "test_deals"):  # fmt: skip
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in (
            "minutes",
            "decisions",
            "learning_rate",
            "critic_rate",
            "watch_minutes",
            "save_minutes",
        ):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name} must be above 0, not {value}")
        if not 0 <= self.row_rate <= 1:
            raise ValueError(f"row_rate must be from 0 to 1, not {self.row_rate}")
        if self.batch % self.games:
            raise ValueError(f"batch must be a multiple of games, {self.games}, not {self.batch}")
        if self.minutes is not None and self.decisions is not None:
            raise ValueError("give either minutes or decisions, not both")
        for name, known in (("inputs", (FEATURES, OBSERVATION)), ("prior", ("expert", "none")),
                            ("objective", OBJECTIVES)):  # fmt: skip
            if getattr(self, name) not in known:
                raise ValueError(
                    f"{name} must be one of {', '.join(known)}, not {getattr(self, name)!r}"
                )
        if any(self.seed == seeds.seed for seeds in SEED_SETS):
            raise ValueError(f"seed {self.seed} is set apart (agents/seeds.py); take another one")
        self._check_agents()

    def _check_agents(self) -> None:
        shares = self.opponents.values()
        if not shares or min(shares) < 0 or sum(shares) == 0:
            raise ValueError("mixture must give a share above 0 to an agent, and none below 0")
        if not self.watch_agents:
            raise ValueError("watch_agents must name at least one agent")
        for name in (*self.opponents, *self.watch_agents):
            if name not in WITHIN:
                make_agent(name)

    @property
    def opponents(self) -> dict[str, float]:
        """Who holds the other side, and how often."""
        if self.exploit is not None:
            return {self.exploit: 1.0}
        found = {}
        for text in self.mixture:
            name, _, share = text.rpartition("=")
            try:
                found[name] = float(share)
            except ValueError as error:
                raise ValueError(f"mixture must be of name=share, not {text!r}") from error
        return found

    @property
    def watched(self) -> tuple[str, ...]:
        """Whom to play while training; the first one decides which weights are best."""
        return self.watch_agents if self.exploit is None else (self.exploit,)

    @property
    def uses_prior(self) -> bool:
        """Whether the expert's scores are added to the logits."""
        return self.prior == "expert"

    def to_json(self) -> dict[str, Any]:
        """The options as JSON values."""
        return {**asdict(self), "out": str(self.out)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Args:
        """Inverse of `to_json`."""
        values = {**data, "out": Path(data["out"])}
        for name in ("hidden", "watch_agents", "mixture"):
            values[name] = tuple(data[name])
        return cls(**values)


def training_rules(args: Args) -> list[Rules]:
    """The rules to train on; the first are those on which the run is watched.

    Beside the presets there are the games of `agents.small_games`.

    Raises:
        ValueError: no such preset, or it is not played with so many seats.
    """
    if args.preset in GAMES:
        small = GAMES[args.preset]
        if args.seats not in (None, small.seats):
            raise ValueError(f"{args.preset} is for {small.seats} seats, not {args.seats!r}")
        return [small]
    if args.preset != "all":
        return [Rules.preset(args.preset, args.seats)]
    return [
        Rules.preset(name, seats)
        for name in Rules.PRESET_NAMES
        for seats in seat_counts(name)
        if args.seats in (None, seats)
    ]
