"""Agents by name: `make_agent("greedy")`, `make_agent("name:option=value,option=value")`.

To add an agent, add its class to `AGENTS`. The arguments of its constructor are its options; they
need a default and one of the types int, float, bool and str.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agents.expert import ExpertAgent
from agents.greedy import GreedyAgent
from agents.learned import CHAMPION, ChampionAgent, WeightsError, load_agent
from agents.search import SearchAgent
from burraco_env.agent import Agent, RandomAgent

AGENTS: dict[str, Callable[..., Agent]] = {
    "random": RandomAgent,
    "greedy": GreedyAgent,
    "expert": ExpertAgent,
    "search": SearchAgent,
    CHAMPION: ChampionAgent,
}
"""What makes each agent, by name."""

_FLAGS = {"true": True, "false": False}


class AgentError(ValueError):
    """A text that names no agent, or options that it does not have. Says what would be right."""


def make_agent(text: str) -> Agent:
    """The agent that a text names.

    Args:
        text: a name of `AGENTS`; or one with options, `name:option=value,option=value`; or the path
            of a run folder or of weights.

    Raises:
        AgentError: there is no such agent, or it has no such option or value.
    """
    name, colon, options = text.partition(":")
    if name in AGENTS:
        return _with_options(name, options if colon else None)
    path = Path(text)
    if text and path.exists():
        return _load(path)
    raise AgentError(f"unknown agent {name!r}; the agents are {', '.join(AGENTS)}")


def _load(path: Path) -> Agent:
    """The trained agent of a run folder or of a file of weights."""
    try:
        return load_agent(path)
    except WeightsError as error:
        raise AgentError(str(error)) from error


def _with_options(name: str, text: str | None) -> Agent:
    make = AGENTS[name]
    known = _options(make)
    chosen: dict[str, Any] = {}
    for part in [] if text is None else text.split(","):
        option, equals, value = part.partition("=")
        if not equals or option not in known:
            has = f"its options are {', '.join(known)}" if known else "it has none"
            raise AgentError(f"agent {name} has no option {part!r}; {has} (name:option=value,..)")
        if option in chosen:
            raise AgentError(f"agent {name}: option {option} is given twice")
        chosen[option] = _value(name, option, known[option], value)
    try:
        return make(**chosen)
    except AgentError:
        raise
    except ValueError as error:  # a value out of range
        raise AgentError(f"agent {name}: {error}") from error


def _options(make: Callable[..., Agent]) -> dict[str, type]:
    """Names and types of the options."""
    function: Any = vars(make).get("__init__", make) if inspect.isclass(make) else make
    hints = typing.get_type_hints(function) if inspect.isfunction(function) else {}
    return {name: hints.get(name, str) for name in inspect.signature(make).parameters}


def _value(name: str, option: str, kind: type, text: str) -> Any:
    try:
        return _FLAGS[text.lower()] if kind is bool else kind(text)
    except (ValueError, KeyError) as error:
        wanted = "true or false" if kind is bool else f"of type {kind.__name__}"
        raise AgentError(f"agent {name}: option {option} must be {wanted}, not {text!r}") from error
