"""Faults on the way, each made to happen: the old output or the whole new one is there, and nothing else."""

import gzip
import os
import pty
import random
import resource
import signal
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sample_data" / "garden-birds.arff"
COMMAND = [sys.executable, "-m", "lsdmlo_cli"]
OLD = b"the old output\n"


@pytest.fixture
def old(tmp_path):
    """A folder with an output of an earlier run."""
    (tmp_path / "out.arff").write_bytes(OLD)
    (tmp_path / "out.xml").write_bytes(SAMPLE.with_suffix(".xml").read_bytes())
    return tmp_path


def one_line(run):
    lines = run.stderr.decode("utf-8", "replace").splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("lsdmlo: error: ")
    return lines[0]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("limit", [0, 1000, 40_000])
def test_no_space_left(limit, old, lsdmlo):
    """A limit on file sizes stands in for a full disk: before the first byte, in the copy, in the new rows."""

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    run = lsdmlo("resample", SAMPLE, "out.arff", "--p", "3", "--measures", "fast", preexec_fn=small_files)
    assert run.returncode == 1
    assert "cannot write" in one_line(run)
    assert (old / "out.arff").read_bytes() == OLD
    assert names(old) == ["out.arff", "out.xml"]


def test_a_full_device_behind_standard_output(lsdmlo):
    with Path("/dev/full").open("wb") as full:
        command = [*COMMAND, "resample", str(SAMPLE), "-", "--measures", "fast"]
        run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert run.returncode == 1
    assert "no space left on device" in one_line(run)


@pytest.mark.parametrize("out", ["missing/out.arff", "/proc/out.arff", "folder", "/sys/kernel/out.arff"])
def test_a_target_that_cannot_be_written_is_found_before_the_work(out, lsdmlo, tmp_path):
    (tmp_path / "folder").mkdir()
    run = lsdmlo("resample", tmp_path / "absent.arff", out)
    assert run.returncode == 1
    assert "absent.arff" in one_line(run)
    run = lsdmlo("resample", SAMPLE, out)
    assert run.returncode == 1
    assert f"cannot write {out}" in one_line(run)
    assert names(tmp_path) == ["folder"]


def test_a_side_output_that_cannot_be_written_spoils_nothing(old, lsdmlo):
    run = lsdmlo("resample", SAMPLE, "out.arff", "--provenance", "missing/parents.csv")
    assert run.returncode == 1
    assert "missing/parents.csv" in one_line(run)
    assert (old / "out.arff").read_bytes() == OLD
    assert names(old) == ["out.arff", "out.xml"]


@pytest.mark.parametrize("kept", [5, 300, 2000])
def test_a_truncated_gzip_file(kept, lsdmlo, tmp_path):
    (tmp_path / "in.arff.gz").write_bytes(gzip.compress(SAMPLE.read_bytes())[:kept])
    run = lsdmlo("resample", "in.arff.gz", "out.arff", "--labels=-7")
    assert run.returncode == 1
    assert "damaged or cut short" in one_line(run)
    assert names(tmp_path) == ["in.arff.gz"]


def test_killed_at_any_moment(old):
    """OUT is the old file or the whole new one; at most one temporary file is left, recognisable by its name."""
    command = [*COMMAND, "resample", str(SAMPLE), "out.arff", "--p", "20", "--no-report", "--measures", "fast"]
    start = time.monotonic()
    subprocess.run(command, cwd=old, check=True, capture_output=True)
    whole_run = time.monotonic() - start
    new = (old / "out.arff").read_bytes()
    chance = random.Random(0)
    for _ in range(12):
        (old / "out.arff").write_bytes(OLD)
        with subprocess.Popen(command, cwd=old, stderr=subprocess.DEVNULL) as process:
            time.sleep(chance.uniform(0.2, 1.1) * whole_run)
            process.kill()
        assert (old / "out.arff").read_bytes() in (OLD, new)
        left = set(names(old)) - {"out.arff", "out.xml"}
        assert len(left) <= 1
        assert all(name.startswith(".out.arff.") and name.endswith(".lsdmlo-tmp") for name in left)
        for name in left:
            (old / name).unlink()


def hear_interrupts():
    """A command that a shell starts in the background ignores Ctrl-C, and so would its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted(number, status, old):
    """The run has far too much to do; the signal comes when its temporary file is there."""
    command = [*COMMAND, "resample", str(SAMPLE), "out.arff", "--p", "100000", "--measures", "fast"]
    with subprocess.Popen(command, cwd=old, stderr=subprocess.PIPE, preexec_fn=hear_interrupts) as process:
        deadline = time.monotonic() + 60
        while not any(name.endswith(".lsdmlo-tmp") and (old / name).stat().st_size for name in names(old)):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(number)
        said = process.stderr.read()
    assert process.returncode == status
    assert said.strip() == b""
    assert (old / "out.arff").read_bytes() == OLD
    assert names(old) == ["out.arff", "out.xml"]


def test_standard_input_that_is_a_terminal(tmp_path):
    ours, theirs = pty.openpty()
    run = subprocess.run([*COMMAND, "stats", "-", "--labels", "1"], stdin=theirs, capture_output=True, timeout=60)
    os.close(ours)
    os.close(theirs)
    assert run.returncode == 1
    assert "terminal" in one_line(run)


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_closed_streams(closed, tmp_path):
    argument = {"<&-": "-", ">&-": str(SAMPLE)}[closed]
    run = subprocess.run(
        ["bash", "-c", f"'{sys.executable}' -m lsdmlo_cli stats {argument} --labels=-7 {closed}"], capture_output=True
    )
    assert run.returncode == 1
    assert "closed" in one_line(run)


@pytest.mark.parametrize(
    "locale", [{"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}]
)
def test_no_locale_changes_a_byte(locale, lsdmlo, tmp_path):
    text = (
        "@relation grün\n@attribute größe numeric\n@attribute '日' {0,1}\n@attribute b {0,1}\n@data\n1,1,0\n2,1,0\n3,0,1\n4,1,0\n"
    )
    (tmp_path / "in.arff").write_text(text, encoding="utf-8")
    plain = lsdmlo("stats", "in.arff", "--labels=-2")
    other = lsdmlo("stats", "in.arff", "--labels=-2", env={**os.environ, **locale})
    assert plain.returncode == 0
    assert other.stdout == plain.stdout
    assert "日".encode() in plain.stdout
    wrong = lsdmlo("stats", "größe.arff", env={**os.environ, **locale})
    assert wrong.returncode == 1
    one_line(wrong)


def test_entities_in_the_xml_are_refused(lsdmlo, tmp_path):
    lines = [
        '<!ENTITY a "aaaaaaaaaa">',
        *(f'<!ENTITY {c} "{f"&{b};" * 10}">' for b, c in zip("abcdefgh", "bcdefghi", strict=True)),
    ]
    (tmp_path / "bomb.xml").write_text(f"<!DOCTYPE l [{''.join(lines)}]><labels><label name='&i;'/></labels>")
    (tmp_path / "file.xml").write_text(
        "<!DOCTYPE l [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><labels><label name='&x;'/></labels>"
    )
    for xml in ("bomb.xml", "file.xml"):
        run = lsdmlo("stats", SAMPLE, "--labels", xml)
        assert run.returncode == 1
        assert "entities" in one_line(run)


MEASURED = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def peak_mb(command, folder):
    """Peak memory of a run, its exit status and what it said.

    A small Python starts it: a process counts the peak of the one that starts it as its own.
    """
    run = subprocess.run([sys.executable, "-c", MEASURED, *COMMAND, *command], cwd=folder, capture_output=True, check=True)
    status, peak = map(int, run.stdout.split())
    return peak / 1024, status, run.stderr.decode()


def bomb(head, times):
    """A gzip file, of one member, of some text and so many times four million zeros, which are compressed once."""

    def flushed(content):
        stream = zlib.compressobj(9, wbits=-15)
        return stream.compress(content) + stream.flush(zlib.Z_FULL_FLUSH)

    zeros, crc = bytes(1 << 22), zlib.crc32(head)
    for _ in range(times):
        crc = zlib.crc32(zeros, crc)
    end = zlib.compressobj(wbits=-15).flush() + struct.pack("<2L", crc, len(head) + times * len(zeros))
    return b"\x1f\x8b\x08" + bytes(7) + flushed(head) + times * flushed(zeros) + end


def test_the_compression_bomb_is_a_gzip_file():
    assert gzip.decompress(bomb(b"head\n", 2)) == b"head\n" + bytes(1 << 23)


def test_a_compression_bomb_stays_in_bounded_memory(tmp_path):
    """A gigabyte of zeros in a megabyte, all of it one stream."""
    (tmp_path / "bomb.arff.gz").write_bytes(bomb(b"@relation r\n@attribute a numeric\n@attribute b {0,1}\n@data\n", 256))
    peak, status, said = peak_mb(["stats", "bomb.arff.gz", "--labels=-1"], tmp_path)
    assert status == 1
    assert "longer than" in said
    assert peak < 900


def test_a_line_of_a_hundred_megabytes(tmp_path):
    (tmp_path / "in.arff").write_bytes(
        b"@relation r\n@attribute a numeric\n@attribute b {0,1}\n@data\n1,0\n" + b"1," * 50_000_000 + b"0\n"
    )
    peak, status, said = peak_mb(["stats", "in.arff", "--labels=-1"], tmp_path)
    assert status == 1
    assert ":6: expected 2 values, found " in said
    assert peak < 700


def test_a_header_of_many_attributes(tmp_path):
    """200,000 here; the time and memory grow with the count and no faster."""
    header = "".join(f"@attribute a{i} numeric\n" for i in range(200_000))
    (tmp_path / "in.arff").write_text(
        f"@relation r\n{header}@attribute b {{0,1}}\n@attribute c {{0,1}}\n@data\n{{0 1,200000 1}}\n{{5 2}}\n{{7 1,200001 1}}\n"
    )
    peak, status, said = peak_mb(["stats", "in.arff", "--labels=-2"], tmp_path)
    assert (status, said) == (0, "lsdmlo: warning: in.arff: k is lowered from 5 to 2, since there are only n=3 rows\n")
    assert peak < 700


@pytest.mark.parametrize("name", ["%s%n{0}.arff", "a b'c.arff", "-x.arff", "$(touch pwned).arff"])
def test_names_are_names(name, lsdmlo, tmp_path):
    (tmp_path / name).write_bytes(SAMPLE.read_bytes())
    run = lsdmlo("stats", "--labels=-7", "--measures", "fast", "--", name)
    assert run.returncode == 0
    assert names(tmp_path) == [name]
