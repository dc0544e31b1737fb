"""What the report says of the run: digests of input and output, the options that were typed, versions."""

import bz2
import gzip
import hashlib
import json
import lzma
import os
import platform
import subprocess
import sys
import threading
from importlib.metadata import version
from pathlib import Path

import jsonschema
import pytest

import lsdmlo_cli
from lsdmlo_cli import Settings, report_schema, resample, stats
from lsdmlo_cli.formats import Source, Target

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sample_data" / "garden-birds.arff"
SCHEMA = report_schema()
FAST = Settings(measures="fast")
PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def report_at(path):
    report = json.loads(Path(path).read_bytes())
    jsonschema.validate(report, SCHEMA)
    return report


@pytest.mark.parametrize("end", PACK)
def test_the_digests_are_those_of_the_files_on_the_disk(end, birds):
    packed = PACK[end](SAMPLE.read_bytes())
    (birds / f"birds.arff{end}").write_bytes(packed)
    resample(f"birds.arff{end}", f"out.arff{end}", settings=FAST, report="r.json")
    report = report_at("r.json")
    assert report["schema"] == 4
    assert report["dataset"]["sha256"] == sha256(packed)
    assert report["output"] == {"n": 330, "sha256": sha256((birds / f"out.arff{end}").read_bytes())}
    assert stats(f"birds.arff{end}", FAST)["dataset"]["sha256"] == sha256(packed)


def test_the_digest_is_what_sha256sum_prints(birds):
    resample("birds.arff", "out.arff.gz", settings=FAST, report="r.json")
    report = report_at("r.json")
    said = subprocess.run(["sha256sum", "birds.arff", "out.arff.gz"], capture_output=True, text=True, check=True).stdout
    assert said.split()[::2] == [report["dataset"]["sha256"], report["output"]["sha256"]]


@pytest.mark.parametrize("end", [".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("count", [1, 3])
def test_every_byte_of_a_compressed_input_counts(end, count, tmp_path):
    """Several members; and what follows the compressed data, where the format allows it."""
    behind = {".gz": bytes(500_000), ".bz2": b"behind" * 100_000, ".xz": b"behind" * 100_000}[end]
    content = b"".join(PACK[end](b"abc" * 1000) for _ in range(count)) + behind
    (tmp_path / f"in{end}").write_bytes(content)
    with Source(str(tmp_path / f"in{end}")) as source:
        assert source.sha256 is None
        assert b"".join(source.blocks()) == b"abc" * 1000 * count
        assert source.sha256 == sha256(content)


def test_an_input_that_was_not_read_to_its_end_has_no_digest(birds, monkeypatch):
    monkeypatch.setattr("lsdmlo_cli.formats.files.BLOCK_BYTES", 100)
    with Source("birds.arff") as source:
        next(source.blocks())
        assert source.sha256 is None


def test_streams_have_digests(lsdmlo, birds):
    given = SAMPLE.read_bytes()
    run = lsdmlo("resample", "-", "-", "--labels", "birds.xml", "--report", "r.json", "--measures", "fast", stdin=given)
    report = report_at("r.json")
    assert run.returncode == 0
    assert (report["dataset"]["sha256"], report["output"]["sha256"]) == (sha256(given), sha256(run.stdout))


def test_a_fifo_has_a_digest(birds):
    os.mkfifo("fifo")
    seen = []
    reader = threading.Thread(target=lambda: seen.append(Path("fifo").read_bytes()))
    reader.start()
    resample("birds.arff", "fifo", settings=FAST, report="r.json")
    reader.join(10)
    assert report_at("r.json")["output"]["sha256"] == sha256(seen[0])


@pytest.mark.parametrize("out", ["-", "/dev/stdout"])
@pytest.mark.parametrize(("mode", "is_known"), [("wb", True), ("ab", False)])
def test_what_is_appended_to_has_no_digest(out, mode, is_known, birds):
    (birds / "log").write_bytes(b"before\n")
    command = [sys.executable, "-m", "lsdmlo_cli", "resample", "birds.arff", out, "--report", "r.json", "--measures", "fast"]
    with (birds / "log").open(mode) as log:
        subprocess.run(command, stdout=log, stderr=subprocess.DEVNULL, check=True, timeout=120)
    assert report_at("r.json")["output"]["sha256"] == {True: sha256((birds / "log").read_bytes()), False: None}[is_known]


def test_a_target_knows_its_digest_when_it_is_finished(tmp_path):
    with Target(str(tmp_path / "out.gz")) as target:
        target.write(b"abc")
        assert target.sha256 is None
        target.finish()
        found = target.sha256
        target.commit()
    assert found == sha256((tmp_path / "out.gz").read_bytes())


def test_rows_that_were_removed_are_not_in_the_output(birds):
    from lsdmlo_cli.samplers import SAMPLERS

    resample("birds.arff", "out.arff", SAMPLERS["mlrus"](p=0.1), FAST, report="r.json")
    assert report_at("r.json")["output"]["n"] == lsdmlo_cli.read("out.arff").n == 270


def test_typed_options_are_in_the_report(here, birds):
    options = ("--p", "0.25", "--method", "MLSMOTE", "--see-new", "--k", "3", "--seed", "0", "--measures", "fast")
    idle = ("--threads", "1", "--memory", "1G", "--quiet")
    assert here("resample", "birds.arff", "out.arff", *options, *idle).returncode == 0
    assert report_at("out.report.json")["options"] == {
        "--method": "mlsmote",
        "--p": 0.25,
        "--seed": 0,
        "--see-new": True,
        "--k": 3,
        "--measures": "fast",
    }
    assert here("resample", "birds.arff", "out.arff").returncode == 0
    assert report_at("out.report.json")["options"] == {}


def test_there_are_no_typed_options_in_python(birds):
    outcome = resample("birds.arff", "out.arff", settings=FAST, report="r.json")
    assert outcome.report["options"] is None
    assert report_at("r.json") == outcome.report


def test_the_versions_are_in_the_report(birds):
    report = resample("birds.arff", "out.arff", settings=FAST).report
    assert report["lsdmlo"] == lsdmlo_cli.__version__
    assert report["versions"] == {"python": platform.python_version(), "numpy": version("numpy"), "scipy": version("scipy")}


def test_a_rerun_gives_the_same_bytes(here, birds):
    arguments = ("resample", "birds.arff", "out.arff.gz", "--p", "0.2", "--provenance", "p.csv", "--measures", "fast")
    assert here(*arguments).returncode == 0
    first = {path.name: path.read_bytes() for path in birds.iterdir()}
    assert here(*arguments).returncode == 0
    assert {path.name: path.read_bytes() for path in birds.iterdir()} == first
