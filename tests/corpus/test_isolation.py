from __future__ import annotations

import os
import pickle
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

from corpus.errors import ReadingCrashed, ReadingStopped, ReadingTimedOut, UnreadableFile
from corpus.parsing import parse_file, parse_measured
from corpus.plain_pickle import loads
from corpus.values import Block

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a parser for HTML that a test writes: the child finds it before the real one."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder


def behave(folder: Path, body: str) -> None:
    """Have the child's parser do this."""
    (folder / "strange.py").write_text(
        "def parse(path, name, options):\n" + textwrap.indent(textwrap.dedent(body), "    ")
    )
    (folder / "sitecustomize.py").write_text(
        "import sys, importlib.util\n"
        "class Swap:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'corpus.parsing.html':\n"
        f"            return importlib.util.spec_from_file_location(name, {str(folder / 'strange.py')!r})\n"
        "sys.meta_path.insert(0, Swap())\n"
    )


def page(folder: Path, text: str = "<p>Olá</p>") -> Path:
    path = folder / "a.html"
    path.write_text(text)
    return path


def gone(pid: int, seconds: float = 5) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.05)
    return False


def test_a_reading_tells_its_memory_and_time(tmp_path: Path) -> None:
    measured = parse_measured(page(tmp_path), kind="html", name="a.html")

    assert measured.document.blocks[0].text == "Olá"
    assert 5 < measured.peak_mb < 500
    assert measured.seconds > 0


def test_a_conversion_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(ReadingTimedOut, match="longer than 0 s"):
        parse_file(page(tmp_path), kind="html", name="a.html", seconds=0)


def test_a_child_is_killed_with_all_that_it_started(tmp_path: Path, reader: Path) -> None:
    # As LibreOffice is started: a shell in a session of its own, which starts another program.
    behave(
        reader,
        f"""
        import subprocess, time
        child = subprocess.Popen(["sh", "-c", "sleep 300 & echo $!; wait"], start_new_session=True,
                                 stdout=subprocess.PIPE)
        inner = int(child.stdout.readline())
        open({str(reader / "pids")!r}, "w").write(f"{{child.pid}} {{inner}}")
        time.sleep(300)
        """,
    )
    with pytest.raises(ReadingTimedOut):
        parse_file(page(tmp_path), kind="html", name="a.html", seconds=6)

    for pid in (reader / "pids").read_text().split():
        assert gone(int(pid))


def test_a_reading_that_nobody_wants_any_more_is_stopped_at_once(
    tmp_path: Path, reader: Path
) -> None:
    behave(reader, "import time; time.sleep(300)")
    started = time.monotonic()

    with pytest.raises(ReadingStopped):
        parse_file(
            page(tmp_path), kind="html", name="a.html", stop=lambda: time.monotonic() > started + 1
        )
    assert time.monotonic() - started < 10


def test_a_child_that_dies_without_a_verdict_is_told_as_a_crash(
    tmp_path: Path, reader: Path
) -> None:
    behave(reader, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")

    with pytest.raises(ReadingCrashed, match="exit -11"):
        parse_file(page(tmp_path), kind="html", name="a.html")


def test_a_file_that_takes_too_much_memory_is_a_clear_reason_and_no_crash(
    tmp_path: Path, reader: Path
) -> None:
    behave(reader, "held = [bytearray(1_000_000) for _ in range(10_000)]")

    with pytest.raises(UnreadableFile, match="more memory") as caught:
        parse_file(page(tmp_path), kind="html", name="a.html", megabytes=600)
    assert not isinstance(caught.value, ReadingCrashed)


def test_a_fault_of_a_library_becomes_a_reason(tmp_path: Path, reader: Path) -> None:
    behave(reader, "raise KeyError('rId7')")

    with pytest.raises(UnreadableFile, match="damaged, or of a form that is not known: 'rId7'"):
        parse_file(page(tmp_path), kind="html", name="a.html")


def test_a_child_ends_with_its_parent(tmp_path: Path, reader: Path) -> None:
    behave(
        reader,
        f"import os, time; open({str(reader / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(300)",
    )
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import django; django.setup();"
            "from pathlib import Path; from corpus.parsing import parse_file;"
            f"parse_file(Path({str(page(tmp_path))!r}), kind='html', name='a.html')",
        ],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "polyrag_site.settings"},
    )
    deadline = time.monotonic() + 30
    while not (reader / "pid").exists() or not (reader / "pid").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    parent.kill()
    parent.wait()

    assert gone(int((reader / "pid").read_text()))


def test_a_child_that_a_file_has_taken_over_cannot_reach_its_parent(
    tmp_path: Path, reader: Path
) -> None:
    mark = tmp_path / "mark"
    behave(
        reader,
        f"""
        import os
        from corpus.values import ParsedDocument
        class Evil:
            def __reduce__(self):
                return os.system, ({f"touch {mark}"!r},)
        return ParsedDocument(Evil(), ())
        """,
    )
    with pytest.raises(ReadingCrashed, match="nonsense"):
        parse_file(page(tmp_path), kind="html", name="a.html")
    assert not mark.exists()


def test_our_own_values_pass_and_nothing_else() -> None:
    assert loads(pickle.dumps(Block("paragraph", "x"))) == Block("paragraph", "x")
    with pytest.raises(pickle.UnpicklingError):
        loads(pickle.dumps(subprocess.Popen))


def test_what_a_killed_child_left_behind_is_taken_away(tmp_path: Path, reader: Path) -> None:
    behave(
        reader,
        f"""
        import tempfile, time
        folder = tempfile.mkdtemp()
        open({str(reader / "folder")!r}, "w").write(folder)
        time.sleep(300)
        """,
    )
    with pytest.raises(ReadingTimedOut):
        parse_file(page(tmp_path), kind="html", name="a.html", seconds=5)

    assert not Path((reader / "folder").read_text()).exists()
