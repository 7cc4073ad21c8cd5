"""Burraco for reinforcement learning.

It is the Italian two-deck rummy with partners, pozzetti and wild cards.
"""

from burraco_env.actions import NUM_ACTIONS
from burraco_env.batch import Batch
from burraco_env.env import env, raw_env
from burraco_env.errors import (
    CardError,
    IllegalActionError,
    PositionError,
    RecordError,
    ResampleError,
    RulesError,
)
from burraco_env.game import Game
from burraco_env.match import Match
from burraco_env.observations import OBSERVATION_SIZE
from burraco_env.records import Record, dump_records, load_records
from burraco_env.registration import register_gymnasium, register_pettingzoo
from burraco_env.rules import Rules
from burraco_env.version import ENV_VERSION, __version__

__all__ = [
    "ENV_VERSION",
    "NUM_ACTIONS",
    "OBSERVATION_SIZE",
    "Batch",
    "CardError",
    "Game",
    "IllegalActionError",
    "Match",
    "PositionError",
    "Record",
    "RecordError",
    "ResampleError",
    "Rules",
    "RulesError",
    "__version__",
    "dump_records",
    "env",
    "load_records",
    "raw_env",
]

register_gymnasium()
register_pettingzoo()
