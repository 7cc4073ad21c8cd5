"""What time and options buy `search`: `python -m benchmarks.search_time --help`.

A match takes hours where a decision takes a second. So decisions are compared one by one: in
positions from games between two experts, what an agent decides and what `expert` decides are both
played out in the same redraws of the hidden cards, other ones than the agent has seen. Their mean
difference is what a decision gains, in points of the deal, if those who play it out play on. It
says how the time is spent, not how strong the agent is: gains of many decisions do not simply add
up.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import tyro

from agents.expert import ExpertAgent
from agents.registry import make_agent
from agents.search import SearchAgent
from agents.seeds import VALIDATE
from agents.statistics import mean_over_deals
from burraco_env import Batch, Rules
from burraco_env.agent import Agent
from burraco_env.generator import generator_states

TRIED = 24
"""Positions in which the number of simulations is found that takes a given time."""


@dataclass(frozen=True)
class Args:
    """Measure what a decision of each agent gains over that of `expert`."""

    agents: tyro.conf.Positional[tuple[str, ...]] = tuple(
        f"search:simulations={number}" for number in (50, 140, 200, 700, 7000)
    )
    """Agents with their options, as in evaluate.py."""
    milliseconds: float = 0.0
    """Processor time for a decision, all threads together: each `search` gets as many simulations
    as take it. 0: as many as its options say."""
    positions: int = 400
    """Positions in which there is a choice."""
    redraws: int = 100
    """Redraws in which the two decisions are compared."""
    seats: int = 4
    """Seats, `italian`."""
    referee: str = "search"
    """The `search` whose rollout plays the two decisions out."""


Seen = tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]
"""Observations and masks."""


def positions(args: Args) -> Iterator[Seen]:
    """Observations and masks, about one in fifty decisions of each deal."""
    batch = Batch(Rules.preset("italian", args.seats), 200, seed=VALIDATE.seed)
    expert, rng = ExpertAgent(), np.random.default_rng(0)
    while not batch.over.all():
        live = np.flatnonzero(~batch.over)
        for row in live[(batch.counts[live] > 1) & (rng.random(len(live)) < 0.02)]:
            yield batch.observations[row].copy(), batch.masks[row].copy()
        states = np.zeros(len(live), dtype=np.uint64)
        batch.step(expert.act(batch.observations[live], batch.masks[live], states), live)


def seconds(agent: Agent, seen: Seen) -> tuple[float, npt.NDArray[np.int64]]:
    """Processor time a decision, and the decisions."""
    states = generator_states(VALIDATE.seed, len(seen[0]))
    agent.act(seen[0][:2], seen[1][:2], states[:2].copy())  # compiles
    start = time.process_time()
    actions = agent.act(*seen, states)
    return (time.process_time() - start) / len(actions), actions


def fitted(text: str, milliseconds: float, seen: Seen) -> str:
    """The agent with as many simulations as take so long."""
    simulations = 100.0
    for _ in range(2):
        fit = f"{text}{',' if ':' in text else ':'}simulations={max(2, round(simulations))}"
        simulations *= milliseconds / 1000 / seconds(make_agent(fit), seen)[0]
    return fit.rpartition("=")[0] + f"={max(2, round(simulations))}"


def gained(
    seen: Seen, plain: npt.NDArray[np.int64], actions: npt.NDArray[np.int64], args: Args
) -> npt.NDArray[np.float64]:
    """Points that each decision gains over the plain one, float64[positions]."""
    referee = make_agent(args.referee)
    if not isinstance(referee, SearchAgent):
        raise ValueError(f"the referee must be a search, not {args.referee!r}")
    gains = np.zeros(len(actions))
    for index in np.flatnonzero(actions != plain):
        pair = np.array([plain[index], actions[index]])
        observation, mask = seen[0][index], seen[1][index]
        leads = referee.leads(observation, mask, pair, np.uint64(index), args.redraws)
        gains[index] = (leads[:, 1] - leads[:, 0]).mean()
    return gains


def main(args: Args) -> None:
    """Measure and print, one line for each agent."""
    found = list(positions(args))
    picked = np.random.default_rng(1).permutation(len(found))[: args.positions]
    observations, masks = map(np.stack, zip(*(found[index] for index in picked), strict=True))
    seen = observations, masks
    _, plain = seconds(ExpertAgent(), seen)
    print(
        "| agent | processor time | other decisions | points gained a decision | than the first |"
    )
    print("| --- | ---: | ---: | ---: | ---: |")
    first = None
    for text in args.agents:
        name = text
        if args.milliseconds and text.partition(":")[0] == SearchAgent.name:
            name = fitted(text, args.milliseconds, (observations[:TRIED], masks[:TRIED]))
        each, actions = seconds(make_agent(name), seen)
        gains = gained(seen, plain, actions, args)
        first = gains if first is None else first
        columns = (mean_over_deals(values) for values in (gains, gains - first))
        mean, more = (f"{mean.mean:+.1f} ± {mean.interval.half_width:.1f}" for mean in columns)
        print(
            f"| `{name}` | {each * 1000:.0f} ms | {(actions != plain).mean():.0%} | {mean} "
            f"| {more} |",
            flush=True,
        )


if __name__ == "__main__":
    main(tyro.cli(Args))
