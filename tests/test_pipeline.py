"""The commands from end to end on the sample data: identities, reports, outputs, exit codes."""

import csv
import gzip
import json
import tracemalloc
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from conftest import SCHEMA

import lsdmlo_cli
from lsdmlo_cli import Settings, pipeline, read
from lsdmlo_cli.dataset_measures import MEASURES
from lsdmlo_cli.numeric import rows
from lsdmlo_cli.samplers import LSDMLOSampler

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sample_data" / "garden-birds.arff"


def strict(text: bytes) -> dict:
    def refuse(token: str) -> None:
        raise ValueError(token)

    report = json.loads(text, parse_constant=refuse)
    jsonschema.validate(report, SCHEMA)
    return report


def done(run):
    assert run.returncode == 0, run.stderr
    return run


@pytest.mark.parametrize("sampled", [False, True])
def test_the_report_has_the_measures_in_their_order(sampled, lsdmlo):
    asked = ("--measures", "sampled", "--sample", "5") * sampled
    found = strict(done(lsdmlo("stats", SAMPLE, *asked)).stdout)["measures"]
    assert list(found) == [measure.name for measure in MEASURES.own if sampled or not measure.of_sample]
    assert set(SCHEMA["$defs"]["measures"]["properties"]) == set(MEASURES)


def test_the_rows_of_the_input_are_kept_and_the_new_ones_follow(lsdmlo, tmp_path):
    run = done(lsdmlo("resample", SAMPLE, "out.arff", "--p", "0.1", "--provenance", "parents.csv"))
    before, after = SAMPLE.read_bytes(), (tmp_path / "out.arff").read_bytes()
    assert after.startswith(before)
    assert after[len(before) :].count(b"\n") == 30
    report = strict((tmp_path / "out.report.json").read_bytes())
    assert report["synthetic"]["requested"] == report["synthetic"]["created"] == 30
    assert report["parameters"]["k"] == 5
    parents = list(csv.reader((tmp_path / "parents.csv").read_text().splitlines()))
    assert parents[0] == ["row", "seed", "reference", "label"]
    assert [int(row[0]) for row in parents[1:]] == list(range(301, 331))
    assert (tmp_path / "out.xml").read_bytes() == SAMPLE.with_suffix(".xml").read_bytes()
    assert run.stderr.decode().startswith(f"lsdmlo: {SAMPLE}: 300 rows, 30 added; MeanIR ")
    assert run.stdout == b""


def test_stats_of_the_output_are_those_the_report_gives_after(lsdmlo, tmp_path):
    done(lsdmlo("resample", SAMPLE, "out.arff", "--p", "0.2"))
    report = strict((tmp_path / "out.report.json").read_bytes())
    stats = strict(done(lsdmlo("stats", "out.arff")).stdout)
    learned_anew = {"LImb", "LImb_LSD"}  # the means of missing cells are those of before, too
    assert {k: v for k, v in stats["measures"].items() if k not in learned_anew} == pytest.approx(
        {k: v for k, v in report["after"]["measures"].items() if k not in learned_anew}
    )
    assert [label["count"] for label in stats["labels"]] == [label["count"] for label in report["after"]["labels"]]


@pytest.mark.parametrize("spelling", ["garden-birds-sparse.arff", "garden-birds-meka.arff"])
def test_other_spellings_of_the_data_give_the_same_values(spelling, lsdmlo, tmp_path):
    done(lsdmlo("resample", SAMPLE, "one.arff", "--provenance", "one.csv"))
    done(lsdmlo("resample", SAMPLE.with_name(spelling), "other.arff", "--provenance", "other.csv"))
    one, other = (read(str(tmp_path / f"{name}.arff")) for name in ("one", "other"))
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "other.csv").read_bytes()
    assert (one.Y != other.Y).nnz == 0
    assert type(one.X) is type(other.X)
    assert repr(one.X.tolist()) == repr(other.X.tolist())


@pytest.mark.parametrize("end", [".gz", ".bz2", ".xz"])
def test_compressed_is_plain(end, lsdmlo, tmp_path):
    import bz2
    import lzma

    unpack = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}[end]
    done(lsdmlo("resample", SAMPLE, "plain.arff", "--measures", "fast"))
    done(lsdmlo("resample", SAMPLE, f"packed.arff{end}", "--measures", "fast"))
    done(lsdmlo("resample", SAMPLE, f"again.arff{end}", "--measures", "fast"))
    packed = (tmp_path / f"packed.arff{end}").read_bytes()
    assert unpack(packed) == (tmp_path / "plain.arff").read_bytes()
    assert packed == (tmp_path / f"again.arff{end}").read_bytes()
    assert (tmp_path / "packed.report.json").exists()


def test_streams_are_files(lsdmlo, tmp_path):
    done(lsdmlo("resample", SAMPLE, "out.arff", "--measures", "fast"))
    labels = str(SAMPLE.with_suffix(".xml"))
    run = done(
        lsdmlo("resample", "-", "-", "--labels", labels, "--measures", "fast", "--report", "r.json", stdin=SAMPLE.read_bytes())
    )
    assert run.stdout == (tmp_path / "out.arff").read_bytes()
    assert strict((tmp_path / "r.json").read_bytes())["dataset"]["file"] == "-"
    report = strict(done(lsdmlo("resample", SAMPLE, "out.arff", "--report", "-", "--quiet")).stdout)
    assert report["method"] == "lsdmlo"


def test_the_output_may_be_the_input(lsdmlo, tmp_path):
    (tmp_path / "d.arff").write_bytes(SAMPLE.read_bytes())
    (tmp_path / "d.xml").write_bytes(SAMPLE.with_suffix(".xml").read_bytes())
    done(lsdmlo("resample", "d.arff", "d.arff", "--in-place", "--p", "0.1"))
    done(lsdmlo("resample", SAMPLE, "out.arff", "--p", "0.1"))
    assert (tmp_path / "d.arff").read_bytes() == (tmp_path / "out.arff").read_bytes()


def test_threads_and_hash_seed_do_not_matter(lsdmlo, tmp_path):
    done(lsdmlo("resample", SAMPLE, "1.arff", "--threads", "1", env={"PYTHONHASHSEED": "1"}))
    done(lsdmlo("resample", SAMPLE, "2.arff", "--threads", "2", env={"PYTHONHASHSEED": "2"}))
    assert (tmp_path / "1.arff").read_bytes() == (tmp_path / "2.arff").read_bytes()
    assert (tmp_path / "1.report.json").read_bytes() == (tmp_path / "2.report.json").read_bytes()


def test_another_seed_makes_other_rows(lsdmlo, tmp_path):
    done(lsdmlo("resample", SAMPLE, "1.arff", "--measures", "fast"))
    done(lsdmlo("resample", SAMPLE, "2.arff", "--measures", "fast", "--seed", "1"))
    assert (tmp_path / "1.arff").read_bytes() != (tmp_path / "2.arff").read_bytes()


def test_without_new_rows_the_output_is_the_input(lsdmlo, tmp_path):
    done(lsdmlo("resample", SAMPLE, "out.arff", "--p", "0"))
    assert (tmp_path / "out.arff").read_bytes() == SAMPLE.read_bytes()
    report = strict((tmp_path / "out.report.json").read_bytes())
    assert report["before"] == report["after"]


def test_fast_measures_solve_nothing_in_stats(lsdmlo):
    report = strict(done(lsdmlo("stats", SAMPLE, "--measures", "fast")).stdout)
    assert report["solver"] is None
    assert report["measures"]["LImb"] is None
    assert {label["features"] for label in report["labels"]} == {None}
    assert report["measures"]["MeanIR"] == pytest.approx(5.0957550287630145)


def test_weights_are_the_strongest_first(lsdmlo):
    table = list(csv.DictReader(done(lsdmlo("weights", SAMPLE)).stdout.decode().splitlines()))
    report = strict(done(lsdmlo("stats", SAMPLE)).stdout)
    assert len(table) == report["solver"]["nonzero"]
    for label in report["labels"]:
        rows = [row for row in table if row["label"] == label["name"]]
        strength = [abs(float(row["weight"])) for row in rows]
        assert len(rows) == label["features"]
        assert strength == sorted(strength, reverse=True)
        assert sum(float(row["theta"]) for row in rows) == pytest.approx(1.0)
    assert "habitat=old orchard" in {row["feature"] for row in table}


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["stats", "--k", "5"], 2, "Missing argument"),
        (["stats", "absent.arff"], 1, "cannot read absent.arff: no such file or directory"),
        (["stats", SAMPLE, "--k", "0"], 2, "'--k'"),
        (["stats", SAMPLE, "--k", "300"], 1, "k=300 neighbours need more than n=300 rows"),
        (["stats", SAMPLE, "--lambda1", "0"], 2, "lambda1 must be above 0"),
        (["stats", SAMPLE, "--lambda2", "-1"], 2, "lambda2 must be 0 or more"),
        (["stats", SAMPLE, "--tol", "nan"], 2, "is not a number"),
        (["stats", SAMPLE, "--labels", "0"], 2, "must not be 0"),
        (["stats", SAMPLE, "--labels", "28"], 1, "only 27 attributes"),
        (["stats", SAMPLE, "--labels", "absent.xml"], 1, "cannot read absent.xml"),
        (["stats", SAMPLE, "--wrong"], 2, "there is no option"),
        (["resample", SAMPLE, "out.arff", "--p", "-0.1"], 2, "p must be 0 or more"),
        (["resample", SAMPLE, "out.arff", "--p", "five"], 2, "'five' is not a number"),
        (["resample", SAMPLE, "out.arff", "--p", "1_0"], 2, "is not a number"),
        (["resample", SAMPLE, "out.arff", "--tr", "1.1"], 2, "tr must be between 0 and 1"),
        (["resample", SAMPLE, "-", "--report", "-"], 2, "standard output"),
        (["resample", SAMPLE, "out.arff", "--report", "out.arff"], 2, "one file"),
        (["resample", SAMPLE, "out.arff", "--provenance", SAMPLE], 2, "one file"),
        (["resample", SAMPLE, "out.arff", "--report", "r.json", "--no-report"], 2, "exclude each other"),
        (["resample", SAMPLE, "no/such/folder/out.arff"], 1, "cannot write no/such/folder/out.arff"),
        (["resample", SAMPLE, "."], 1, "it is a folder"),
        (["nonsense"], 2, "there is no command"),
    ],
)
def test_faults_are_told_in_one_line(arguments, status, says, lsdmlo, tmp_path):
    run = lsdmlo(*arguments)
    lines = run.stderr.decode().splitlines()
    assert run.returncode == status
    assert len(lines) == 1
    assert lines[0].startswith("lsdmlo: error: ")
    assert says in lines[0]
    assert run.stdout == b""
    assert list(tmp_path.iterdir()) == []


def test_version(lsdmlo):
    assert done(lsdmlo("--version")).stdout.decode() == f"lsdmlo {lsdmlo_cli.__version__}\n"


def test_a_pipe_that_closes_early_is_quiet(tmp_path):
    import subprocess
    import sys

    command = f"'{sys.executable}' -m lsdmlo_cli resample '{SAMPLE}' - --p 300 --measures fast --quiet | head -n 1"
    run = subprocess.run(["bash", "-c", f"{command}; echo ${{PIPESTATUS[0]}}"], cwd=tmp_path, capture_output=True, timeout=120)
    assert run.stdout.splitlines()[1:] == [b"141"]
    assert run.stderr == b""


def test_every_public_name_is_there():
    assert all(getattr(lsdmlo_cli, name) is not None for name in lsdmlo_cli.__all__)


@pytest.mark.parametrize("measures", ["all", "sampled"])
def test_new_rows_in_files_give_the_same_bytes(measures, tmp_path):
    for name, memory in (("little", 0), ("much", 2 << 30)):
        out, report, parents = (str(tmp_path / f"{name}.{end}") for end in ("arff", "json", "csv"))
        settings = Settings(measures=measures, sample=10)
        pipeline.resample(str(SAMPLE), out, LSDMLOSampler(p=3), settings, report=report, provenance=parents, memory_bytes=memory)
    for end in ("arff", "json", "csv"):
        assert (tmp_path / f"little.{end}").read_bytes() == (tmp_path / f"much.{end}").read_bytes()


def test_new_rows_are_not_held_in_memory(tmp_path):
    """With little memory the peak is lower by what their features take."""
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.normal(size=(100, 400)).round(2), rng.random((100, 2)) < (0.5, 0.1)])
    header = [f"@attribute a{j} numeric" for j in range(400)] + ["@attribute l {0,1}", "@attribute m {0,1}", "@data"]
    text = [",".join(map(repr, row[:400].tolist())) + f",{row[400]:.0f},{row[401]:.0f}" for row in table]
    (tmp_path / "in.arff").write_text("\n".join(["@relation r", *header, *text, ""]))
    new = 5000

    def peak(memory_bytes):
        tracemalloc.start()
        settings = Settings(measures="sampled", sample=10)
        out = str(tmp_path / "out.arff")
        pipeline.resample(str(tmp_path / "in.arff"), out, LSDMLOSampler(p=50), settings, labels="-2", memory_bytes=memory_bytes)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(0) < peak(2 << 30) - 0.9 * new * 400 * 8


def test_provenance_is_written_in_blocks(monkeypatch, tmp_path):
    whole, blocks = (str(tmp_path / name) for name in ("whole.csv", "blocks.csv"))
    pipeline.resample(str(SAMPLE), str(tmp_path / "out.arff"), LSDMLOSampler(p=2), Settings(measures="fast"), provenance=whole)
    monkeypatch.setattr(rows, "CELLS", 21)
    pipeline.resample(str(SAMPLE), str(tmp_path / "out.arff"), LSDMLOSampler(p=2), Settings(measures="fast"), provenance=blocks)
    lines = Path(whole).read_bytes()
    assert lines.count(b"\r\n") == 601
    assert Path(blocks).read_bytes() == lines
