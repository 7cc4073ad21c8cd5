"""Which deals are for what: sets of seeds that have no deal in common, published once for all."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SeedSet:
    """Deals set apart for a purpose: those with the numbers 0 to deals - 1 of a seed.

    Sets of different seeds have no deal in common, because a deal is drawn from its seed and its
    number together (`burraco_env.generator.generator_states`).

    Attributes:
        name: its name.
        seed: the seed.
        deals: how many deals.
        purpose: what they are for.
    """

    name: str
    seed: int
    deals: int
    purpose: str


TUNE = SeedSet("tune", 2_000_003, 10_000_000, "to choose parameters, as often as one likes")
VALIDATE = SeedSet(
    "validate", 1_000_003, 100_000, "to watch training, and to choose between finished agents"
)
TEST = SeedSet("test", 1_000_033, 100_000, "to report a result, once, when all has been chosen")
SEED_SETS = (TUNE, VALIDATE, TEST)
"""All of them. `train.py` takes the deals it learns from from another seed, its `--seed`."""


def seed_table() -> str:
    """The seed sets as a Markdown table."""
    rows = [f"| {a.name} | {a.seed} | 0 to {a.deals - 1:,} | {a.purpose} |" for a in SEED_SETS]
    return "\n".join(["| set | seed | deals | what for |", "|---|---:|---:|---|", *rows])
