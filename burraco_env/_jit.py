"""The decorators of the compiled kernels, and where numba keeps their machine code.

Numba's on-disk cache does not notice a change in another source file than the one a kernel stands
in, so the cache folder carries a hash of all sources of this package and of the kernel's own folder
(`agents`, say), of numba's version and of the settings that change the code.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

int64: Callable[[Any], int] = np.int64  # type: ignore[assignment]
"""In kernels: a value of a small integer type as a plain number.

`int` would keep the small type there.
"""

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parent


@cache
def _cache_folder(folder: Path) -> str:
    """Folder for the machine code of exactly the sources now in `folder`; made if it can be."""
    digest = hashlib.sha256(f"{numba.__version__} {numba.config.BOUNDSCHECK}".encode())
    for package in (_PACKAGE,) if folder == _PACKAGE else (_PACKAGE, folder):
        for source in sorted(package.glob("*.py")):
            digest.update(source.name.encode() + source.read_bytes())
    name = f"kernels-{digest.hexdigest()[:16]}"
    if numba.config.CACHE_DIR:  # the user's own choice, NUMBA_CACHE_DIR
        return str(Path(numba.config.CACHE_DIR) / name)
    beside = folder / "__pycache__"
    try:
        beside.mkdir(exist_ok=True)
        if os.access(beside, os.W_OK):
            return str(beside / name)
    except OSError:  # an installation that this user cannot write to
        pass
    return str(Path.home() / ".cache" / "burraco_env" / name)


def _compiled(**options: Any) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        folder = _cache_folder(Path(function.__code__.co_filename).parent)
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = folder  # read by numba at decoration; other packages keep theirs
        try:
            kernel: F = numba.njit(cache=True, **options)(function)
        finally:
            numba.config.CACHE_DIR = before
        return kernel

    return decorate


def kernel(function: F) -> F:
    """Compile a function that works on one game."""
    return _compiled()(function)


def batch_kernel(function: F) -> F:
    """Compile a function that runs over a batch with `numba.prange`."""
    return _compiled(parallel=True)(function)


def row_kernel(function: F) -> F:
    """Compile a serial loop over rows. It lets go of the GIL, so threads can run side by side."""
    return _compiled(nogil=True)(function)
