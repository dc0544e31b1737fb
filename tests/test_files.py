"""Inputs and outputs as files: compression, streams, and outputs that are whole or untouched."""

import bz2
import gzip
import lzma
import os
import stat
import subprocess
import sys
import threading

import pytest

from lsdmlo_cli import LSDMLO, resample
from lsdmlo_cli.errors import FileError, FormatError
from lsdmlo_cli.formats import Source, Target, copy
from lsdmlo_cli.formats.files import write_whole

PACKED = {"in.arff": bytes, "in.arff.gz": gzip.compress, "in.arff.bz2": bz2.compress, "in.arff.XZ": lzma.compress}
UNPACK = {"out.arff": bytes, "out.arff.gz": gzip.decompress, "out.arff.bz2": bz2.decompress, "out.arff.xz": lzma.decompress}

TOY = b"""@relation toy
@attribute x numeric
@attribute y numeric
@attribute A {0,1}
@attribute B {0,1}
@data
0,0,1,0
1,0,1,0
2,1,1,0
3,1,1,0
4,2,0,1
5,2,1,0
6,3,1,1
7,3,1,0
"""

as_root = pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")


def content(path):
    with Source(str(path)) as source:
        return b"".join(source.blocks())


# ---- inputs


@pytest.mark.parametrize("name", PACKED)
def test_an_input_is_unpacked_by_its_suffix(tmp_path, name):
    (tmp_path / name).write_bytes(PACKED[name](TOY))
    assert content(tmp_path / name) == TOY


def test_a_gzip_of_several_members(tmp_path):
    (tmp_path / "in.gz").write_bytes(gzip.compress(TOY[:40]) + gzip.compress(TOY[40:]))
    assert content(tmp_path / "in.gz") == TOY


@pytest.mark.parametrize("name", ["in.arff.gz", "in.arff.bz2", "in.arff.XZ"])
@pytest.mark.parametrize("damage", ["cut", "plain", "flipped"])
def test_a_damaged_input(tmp_path, name, damage):
    packed = PACKED[name](TOY * 50)
    damaged = {"cut": packed[:-9], "plain": TOY, "flipped": packed[:40] + bytes([packed[40] ^ 255]) + packed[41:]}[damage]
    (tmp_path / name).write_bytes(damaged)
    with pytest.raises((FormatError, FileError), match=name):
        content(tmp_path / name)


@pytest.mark.parametrize(("pack", "end"), [(gzip.compress, ".gz"), (bz2.compress, ".bz2"), (lzma.compress, ".xz")])
def test_compression_without_the_suffix_is_told(tmp_path, pack, end):
    (tmp_path / "in.arff").write_bytes(pack(TOY))
    with pytest.raises(FormatError, match=rf"in\.arff: .*{end}"):
        content(tmp_path / "in.arff")


def test_an_input_gives_the_same_twice(tmp_path):
    (tmp_path / "in.arff.gz").write_bytes(gzip.compress(TOY))
    with Source(str(tmp_path / "in.arff.gz")) as source:
        assert b"".join(source.blocks()) == b"".join(source.blocks()) == TOY


@pytest.mark.parametrize(
    "change", [TOY + b"8,4,1,0\n", TOY[:-8], TOY.replace(b"7,3", b"7,4")], ids=["longer", "shorter", "other"]
)
def test_an_input_that_changes_is_noticed(tmp_path, change):
    path = tmp_path / "in.arff"
    path.write_bytes(TOY)
    with Source(str(path)) as source:
        assert b"".join(source.blocks()) == TOY
        path.write_bytes(change)
        with pytest.raises(FileError, match="changed while it was read"):
            list(source.blocks())


def test_a_fifo_can_be_read_twice(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    writer = threading.Thread(target=(tmp_path / "fifo").write_bytes, args=(TOY,))
    writer.start()
    with Source(str(tmp_path / "fifo")) as source:
        writer.join()
        assert b"".join(source.blocks()) == b"".join(source.blocks()) == TOY


@pytest.mark.parametrize(
    ("place", "words"), [("absent.arff", "no such file"), (".", "directory"), ("in.arff/deeper", "not a directory")]
)
def test_an_input_that_cannot_be_read(tmp_path, place, words):
    (tmp_path / "in.arff").write_bytes(TOY)
    with pytest.raises(FileError, match=f"cannot read .*{words}"):
        content(tmp_path / place)


# ---- outputs


@pytest.mark.parametrize("name", UNPACK)
def test_an_output_is_packed_by_its_suffix(tmp_path, name):
    with Target(str(tmp_path / name)) as target:
        target.write(TOY)
        target.write(TOY)
        target.commit()
    assert UNPACK[name]((tmp_path / name).read_bytes()) == TOY * 2
    assert os.listdir(tmp_path) == [name]


def test_gzip_carries_neither_time_nor_name(tmp_path):
    for name in ("a.gz", "b.gz"):
        write_whole(str(tmp_path / name), TOY)
    packed = (tmp_path / "a.gz").read_bytes()
    assert packed == (tmp_path / "b.gz").read_bytes()
    assert (packed[3] & 0b1000, packed[4:8]) == (0, bytes(4))


def test_nothing_is_seen_before_the_commit(tmp_path):
    path = tmp_path / "out.arff"
    path.write_bytes(b"old")
    with Target(str(path)) as target:
        target.write(TOY)
        target.finish()
        assert path.read_bytes() == b"old"
        target.commit()
    assert path.read_bytes() == TOY


@pytest.mark.parametrize("name", UNPACK)
def test_a_failure_leaves_the_old_file(tmp_path, name):
    (tmp_path / name).write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), Target(str(tmp_path / name)) as target:
        target.write(TOY)
        raise KeyboardInterrupt
    assert (tmp_path / name).read_bytes() == b"old"
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o640, 0o755])
def test_the_mode_of_a_replaced_file_stays(tmp_path, mode):
    path = tmp_path / "out.arff"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_whole(str(path), TOY)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_what_the_umask_gives(tmp_path, umask, mode):
    before = os.umask(umask)
    write_whole(str(tmp_path / "out.arff"), TOY)
    os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.arff").stat().st_mode) == mode


@pytest.mark.parametrize("there", [True, False])
def test_a_symbolic_link_is_followed(tmp_path, there):
    (tmp_path / "real").mkdir()
    real = tmp_path / "real" / "out.arff"
    real.write_bytes(b"old" * there)
    (tmp_path / "link.arff").symlink_to("real/out.arff")
    write_whole(str(tmp_path / "link.arff"), TOY)
    assert (tmp_path / "link.arff").is_symlink()
    assert real.read_bytes() == TOY


def test_a_dangling_link_gets_its_file(tmp_path):
    (tmp_path / "link.arff").symlink_to("later.arff")
    write_whole(str(tmp_path / "link.arff"), TOY)
    assert (tmp_path / "link.arff").is_symlink()
    assert (tmp_path / "later.arff").read_bytes() == TOY


def test_a_fifo_is_written_straight_through(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    seen = []
    reader = threading.Thread(target=lambda: seen.append(fifo.read_bytes()))
    reader.start()
    write_whole(str(fifo), TOY)
    reader.join(10)
    assert seen == [TOY]
    assert stat.S_ISFIFO(fifo.stat().st_mode)


def test_a_device_is_written_straight_through():
    write_whole("/dev/null", TOY)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.parametrize(
    ("place", "words"), [("absent/out.arff", "no such file"), (".", "folder"), ("file/out.arff", "not a directory")]
)
def test_an_output_that_cannot_be_written_is_told_on_entering(tmp_path, place, words):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FileError, match=f"cannot write .*{words}"):
        Target(str(tmp_path / place)).__enter__()
    assert os.listdir(tmp_path) == ["file"]


@as_root
@pytest.mark.parametrize(("name", "words"), [("out.arff", "read-only"), ("new.arff", "permission denied")])
def test_no_right_to_write(tmp_path, name, words):
    (tmp_path / "out.arff").write_bytes(b"old")
    (tmp_path / "out.arff").chmod(0o400)
    tmp_path.chmod({"out.arff": 0o700, "new.arff": 0o500}[name])
    with pytest.raises(FileError, match=words):
        Target(str(tmp_path / name)).__enter__()
    tmp_path.chmod(0o700)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("size", [10, 10_000_000])
def test_a_full_disk(size):
    with pytest.raises(FileError, match="cannot write /dev/full: no space left"), Target("/dev/full") as target:
        target.write(bytes(size))
        target.commit()


@pytest.mark.parametrize("name", ["x" * 250 + ".arff", "é" * 125 + ".arff", "漢" * 83 + ".arff"], ids=["ascii", "two", "three"])
def test_the_longest_names(tmp_path, name):
    write_whole(str(tmp_path / name), TOY)
    assert (tmp_path / name).read_bytes() == TOY
    assert os.listdir(tmp_path) == [name]


# ---- copies


@pytest.mark.parametrize(
    ("text", "line_end", "complete"),
    [
        (b"a\nb\n", b"\n", True),
        (b"a\nb", b"\n", False),
        (b"a\r\nb\r\n", b"\r\n", True),
        (b"a\r\nb", b"\r\n", False),
        (b"a\rb\r", b"\r", True),
        (b"a\rb", b"\r", False),
        (b"a\nb\r\n", b"\r\n", True),
        (b"a\r\nb\n", b"\n", True),
        (b"a\r\nb\nc", b"\n", False),
        (b"a\n\r\n", b"\r\n", True),
        (b"a\n\n", b"\n", True),
        (b"a", b"\n", False),
    ],
)
@pytest.mark.parametrize("block", [1, 2, 3, 100])
def test_the_last_line_end_is_found(tmp_path, monkeypatch, text, line_end, complete, block):
    monkeypatch.setattr("lsdmlo_cli.formats.files.BLOCK_BYTES", block)
    (tmp_path / "in").write_bytes(text)
    with Source(str(tmp_path / "in")) as source, Target(str(tmp_path / "out")) as target:
        assert copy(source, target) == (line_end, complete)
        target.commit()
    assert (tmp_path / "out").read_bytes() == text


# ---- the command


@pytest.fixture
def toy(tmp_path):
    (tmp_path / "in.arff").write_bytes(TOY)
    return tmp_path / "in.arff"


def test_the_input_may_be_the_output(lsdmlo, toy):
    assert lsdmlo("resample", "in.arff", "in.arff", "--in-place", "--labels=-2", "--p", "0.5").returncode == 0
    assert toy.read_bytes().startswith(TOY)
    assert toy.read_bytes().count(b"\n") == TOY.count(b"\n") + 4


def test_streams_give_what_files_give(lsdmlo, toy, tmp_path):
    streamed = lsdmlo("resample", "-", "-", "--labels=-2", "--p", "0.5", "--quiet", stdin=TOY)
    resample(str(toy), str(tmp_path / "out.arff"), LSDMLO(p=0.5), labels="-2")
    assert (streamed.returncode, streamed.stderr) == (0, b"")
    assert streamed.stdout.startswith(TOY)
    assert streamed.stdout == (tmp_path / "out.arff").read_bytes()


@pytest.mark.parametrize("given", PACKED)
@pytest.mark.parametrize("name", UNPACK)
def test_compression_changes_no_byte(tmp_path, given, name):
    (tmp_path / "plain.arff").write_bytes(TOY)
    (tmp_path / given).write_bytes(PACKED[given](TOY))
    resample(str(tmp_path / "plain.arff"), str(tmp_path / "expected.arff"), LSDMLO(p=0.5), labels="-2")
    resample(str(tmp_path / given), str(tmp_path / name), LSDMLO(p=0.5), labels="-2")
    assert UNPACK[name]((tmp_path / name).read_bytes()) == (tmp_path / "expected.arff").read_bytes()


def test_dev_stdout_is_written_straight_through(lsdmlo, toy):
    options = ("--labels=-2", "--p", "0.5", "--no-report", "--quiet")
    run = lsdmlo("resample", "in.arff", "/dev/stdout", *options)
    assert (run.returncode, run.stderr) == (0, b"")
    assert run.stdout == lsdmlo("resample", "in.arff", "-", *options).stdout


def test_dev_stdout_that_is_appended_to_a_file(tmp_path, toy):
    command = [sys.executable, "-m", "lsdmlo_cli", "resample", "in.arff", "/dev/stdout", "--labels=-2", "--no-report", "--quiet"]
    with (tmp_path / "log").open("ab") as log:
        log.write(b"before\n")
        log.flush()
        assert subprocess.run(command, cwd=tmp_path, stdout=log, check=False).returncode == 0
    assert (tmp_path / "log").read_bytes().startswith(b"before\n" + TOY)


def test_the_output_may_be_a_fifo(lsdmlo, tmp_path, toy):
    os.mkfifo(tmp_path / "fifo")
    seen = []
    reader = threading.Thread(target=lambda: seen.append((tmp_path / "fifo").read_bytes()))
    reader.start()
    run = lsdmlo("resample", "in.arff", "fifo", "--labels=-2", "--p", "0.5", "--no-report")
    reader.join(10)
    assert run.returncode == 0
    assert seen[0].startswith(TOY)


def test_a_closed_pipe_is_quiet(tmp_path, toy):
    command = [
        sys.executable,
        "-m",
        "lsdmlo_cli",
        "resample",
        "in.arff",
        "-",
        "--labels=-2",
        "--p",
        "20000",
        "--measures",
        "fast",
    ]
    run = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    run.stdout.read(10)
    run.stdout.close()
    assert run.stderr.read() == b""
    run.stderr.close()
    assert run.wait(60) == 141


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (TOY + b"8,4,1\n", ()),
        (TOY, ("--k", "99")),
        (TOY, ("--report", "absent/report.json")),
        (TOY, ("--provenance", "absent/parents.csv")),
        (TOY[: TOY.index(b"@data") + 6], ()),
    ],
    ids=["row", "k", "report", "provenance", "empty"],
)
def test_a_failed_run_leaves_nothing(lsdmlo, tmp_path, content, options):
    (tmp_path / "in.arff").write_bytes(content)
    (tmp_path / "out.report.json").write_bytes(b"old")
    run = lsdmlo("resample", "in.arff", "out.arff.gz", "--labels=-2", *options)
    assert run.returncode == 1
    assert run.stderr.startswith(b"lsdmlo: error: ")
    assert run.stderr.count(b"\n") == 1
    assert sorted(os.listdir(tmp_path)) == ["in.arff", "out.report.json"]
    assert (tmp_path / "out.report.json").read_bytes() == b"old"
