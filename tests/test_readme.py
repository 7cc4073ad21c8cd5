"""The README's Python runs, block after block, as a reader would run it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

README = Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def test_every_python_block_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(BLOCKS) >= 6
    names: dict[str, Any] = {}
    for number, block in enumerate(BLOCKS):
        exec(compile(block, f"README block {number}", "exec"), names)
    printed = capsys.readouterr().out
    assert re.search(r"seat \d cannot 'pickup-top': the rule pickup_top forbids it", printed)
