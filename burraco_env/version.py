"""Versions: of the package, and of the environment."""

__version__ = "0.1.0"
"""Version of the package."""

ENV_VERSION = 0
"""Version of the environment, the N of `burraco/italian-vN`.

It rises whenever learning results might change: rules, actions, observations, rewards.
`CHANGELOG.md` has its history.
"""
