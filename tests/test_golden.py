"""The golden playthroughs: each replays to the same text, and no text changes silently."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest

from burraco_env import ENV_VERSION, Rules
from tests import make_golden
from tests.make_golden import (
    COMBINATIONS,
    FOLDER,
    GoldenError,
    again,
    file_name,
    playthrough,
    write,
)

FILES = [FOLDER / file_name(preset, seats) for preset, seats in COMBINATIONS]
MINI = FOLDER / "mini-2.txt"

CHANGED = "changed; raise ENV_VERSION and run `make golden`, or undo the change of the environment"


@pytest.mark.nojit
@pytest.mark.boundscheck
@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_the_deal_replays_to_the_same_text(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert again(text) == text, f"{path.name} {CHANGED}"


@pytest.mark.parametrize(("preset", "seats"), COMBINATIONS)
def test_the_seed_and_the_script_give_the_same_text(preset: str, seats: int) -> None:
    text = (FOLDER / file_name(preset, seats)).read_text(encoding="utf-8")
    assert playthrough(preset, seats) == text


def test_there_is_a_file_for_every_preset_and_seat_count() -> None:
    assert sorted(FOLDER.iterdir()) == sorted(FILES)
    assert {preset for preset, _ in COMBINATIONS} == set(Rules.PRESET_NAMES)


def test_much_happens_in_the_deals() -> None:
    texts = [path.read_text(encoding="utf-8") for path in FILES]
    assert all(len(text) < 60_000 for text in texts)
    assert sum("\nclosed by seat" in text for text in texts) >= len(texts) - 4
    for happening in (
        r"^exhausted after",
        r"^ .+  pickup$",
        r"^ .+  pickup-top$",
        r"^ .+  meld \S+\*",
        r"^ .+  wild 2[cdhs]$",
        r"^ .+  layoff \*\(..\) to ",
        r"^ .+  layoff \* to ",
        r"^ .+ wild=..$",
        r"^ .+ at (low|high)$",
        r"^ .+pozzetto in flight: ",
        r"^ .+pozzetto by discard: ",
        r"^ .+is the soloist$",
    ):
        assert any(re.search(happening, text, re.MULTILINE) for text in texts), happening


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r"^preset mini", "preset italian"),
        (r"^environment version \d+", "environment version 999"),
        (r"^seed \d+", "seed 123456"),
        (r"^dealer \d", "dealer 7"),
        (r"^  (..) (..)", r"  \2 \1"),  # two cards of the deck
        (r"^  hand  .*", "  hand        Jo"),
        (r"^ *\d+ (......  draw)", r"  3 \1"),
        (r"^( *\d+) ......  draw", r"\1 012345  draw"),
        (r"^.+  draw$\n", ""),
        (r"discard ..$", "discard Jo"),
        (r"^  melds .*\n", ""),
        (r"pile \d", "pile 9"),
        (r"^(closed|exhausted|stalemate)", "finished"),
        (r"^(side 0 .*)\d$", r"\g<1>1"),
        (r"observations of all seats ........", "observations of all seats 01234567"),
    ],
)
def test_a_tampered_file_fails(pattern: str, replacement: str) -> None:
    tampered, changes = re.subn(
        pattern, replacement, MINI.read_text(encoding="utf-8"), count=1, flags=re.MULTILINE
    )
    assert changes == 1
    with contextlib.suppress(ValueError):  # a decision that is not legal
        assert again(tampered) != tampered


def test_a_text_that_is_no_playthrough_is_refused() -> None:
    with pytest.raises(ValueError, match="header"):
        again("preset mini\n")


def test_a_missing_file_is_written_and_the_same_text_is_left(tmp_path: Path) -> None:
    path = tmp_path / MINI.name
    text = MINI.read_text(encoding="utf-8")
    assert write(path, text)
    assert path.read_text(encoding="utf-8") == text
    assert not write(path, text)


@pytest.mark.parametrize("version", [str(ENV_VERSION), str(ENV_VERSION + 1), "unknown"])
def test_a_change_without_a_higher_version_is_refused(tmp_path: Path, version: str) -> None:
    path = tmp_path / MINI.name
    old = f"environment version {version}\n"
    path.write_text(old, encoding="utf-8")
    with pytest.raises(GoldenError, match=r"mini-2\.txt would change, but .* raise it"):
        write(path, MINI.read_text(encoding="utf-8"))
    assert path.read_text(encoding="utf-8") == old


def test_a_higher_version_allows_the_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / MINI.name
    path.write_text(MINI.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(make_golden, "ENV_VERSION", ENV_VERSION + 1)
    assert write(path, again(MINI.read_text(encoding="utf-8")))
    assert f"environment version {ENV_VERSION + 1}\n" in path.read_text(encoding="utf-8")


def test_the_command_fails_if_a_file_may_not_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(make_golden, "COMBINATIONS", [("mini", 2)])
    path = tmp_path / MINI.name
    assert make_golden.main(tmp_path) == 0
    text = path.read_text(encoding="utf-8")
    assert text == MINI.read_text(encoding="utf-8")
    assert make_golden.main(tmp_path) == 0
    path.write_text(text.replace("points", "score"), encoding="utf-8")
    assert make_golden.main(tmp_path) == 1
    assert "score" in path.read_text(encoding="utf-8")
    output = capsys.readouterr()
    assert output.out.split("\n")[:2] == ["mini-2.txt: written", "mini-2.txt: unchanged"]
    assert output.err.startswith("error: mini-2.txt would change")
    path.unlink()
    assert make_golden.main(tmp_path) == 0
    assert path.read_text(encoding="utf-8") == text
