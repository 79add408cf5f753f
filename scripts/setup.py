#!/usr/bin/env python3
"""Make or complete `.venv` with the pinned dependencies. Runs under any Python 3.8 or newer.

Usage: python3 scripts/setup.py base|hosts|dev
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
MINIMUM = (3, 12)
# Each lock, and those that hold all of it: a finished set-up of one of them serves.
SERVED_BY = {"base": ("dev", "hosts", "base"), "hosts": ("dev", "hosts"), "dev": ("dev",)}
PROBE = "import sys, venv; print('%d.%d' % sys.version_info[:2])"


def venv_python() -> Path:
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def version_of(command: str) -> tuple[int, int] | None:
    """The version a command really runs; None when it does not run (a pyenv shim may not)."""
    try:
        done = subprocess.run(
            [command, "-c", PROBE], capture_output=True, text=True, timeout=30, check=False, cwd="/"
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode:
        return None
    major, minor = done.stdout.strip().split(".")
    return int(major), int(minor)


def candidates() -> list[str]:
    """Interpreters worth asking, the likeliest first."""
    found = [os.environ.get("PYTHON", ""), sys.executable]
    found += [shutil.which(name) or "" for name in ("python3.12", "python3.13", "python3.14")]
    found += [shutil.which("python3") or "", shutil.which("python") or ""]
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    if pyenv.is_dir():
        found += [str(path / "bin" / "python") for path in sorted(pyenv.iterdir(), reverse=True)]
    uv = shutil.which("uv")
    if uv:
        done = subprocess.run(
            [uv, "python", "find", "--no-python-downloads", ">=3.12"],
            capture_output=True,
            text=True,
            check=False,
        )
        found.append(done.stdout.strip())
    # Not the environment that is about to be made anew.
    return [path for path in dict.fromkeys(found) if path and not path.startswith(str(VENV))]


def find_python() -> str:
    for path in candidates():
        version = version_of(path)
        if version and version >= MINIMUM:
            return path
    raise SystemExit(
        "PolyRAG needs Python 3.12 or newer and none was found. Install one (for example "
        "`apt install python3.12 python3.12-venv`, `pyenv install 3.12`, or `uv python install "
        "3.12`), or name one with PYTHON=/path/to/python make setup."
    )


def make_venv() -> None:
    python = find_python()
    print(f"Making .venv with {python}", flush=True)
    if VENV.exists():
        shutil.rmtree(VENV)
    done = subprocess.run([python, "-m", "venv", str(VENV)], check=False)
    if done.returncode:
        raise SystemExit(
            f"{python} could not make a virtual environment. On Debian and Ubuntu install its "
            "venv package (for example `apt install python3.12-venv`) and run this again."
        )


def install(lock: Path) -> None:
    print(f"Installing {lock.relative_to(ROOT)} (a few minutes the first time)", flush=True)
    command = [str(venv_python()), "-m", "pip", "install", "--quiet", "--no-deps"]
    command += ["--require-hashes", "--disable-pip-version-check", "-r", str(lock)]
    if subprocess.run(command, check=False).returncode:
        raise SystemExit("The dependencies could not be installed; the reason stands above.")


def main() -> None:
    kind = sys.argv[1] if len(sys.argv) > 1 else "base"
    if kind not in SERVED_BY:
        raise SystemExit("usage: setup.py " + "|".join(SERVED_BY))
    os.chdir(ROOT)
    version = version_of(str(venv_python())) if venv_python().exists() else None
    if version is None or version < MINIMUM:
        make_venv()
    for stamped in SERVED_BY[kind]:
        lock = ROOT / "requirements" / f"{stamped}.txt"
        stamp = VENV / f".polyrag-{stamped}"
        digest = hashlib.sha256(lock.read_bytes()).hexdigest()
        if stamp.exists() and stamp.read_text() == digest:
            return
    lock = ROOT / "requirements" / f"{kind}.txt"
    install(lock)
    (VENV / f".polyrag-{kind}").write_text(hashlib.sha256(lock.read_bytes()).hexdigest())


if __name__ == "__main__":
    main()
