"""A file in stratified parts: for each fold the rows for training and those for the test, byte for byte.

NAME-r<R>f<F>-train.arff and NAME-r<R>f<F>-test.arff for fold F of repeat R; NAME-train.arff and NAME-test.arff for a holdout.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from lsdmlo_cli.analysis import DEFAULT_MEMORY_BYTES, matrix_bytes
from lsdmlo_cli.augmented import SPLIT, augmented
from lsdmlo_cli.errors import FileError, ParameterError, reason
from lsdmlo_cli.evaluation.folds import folds as stratified_folds
from lsdmlo_cli.evaluation.folds import holdout
from lsdmlo_cli.formats import STREAM, Source, Target, copy, label_file_for, read, stem
from lsdmlo_cli.formats.files import suffix, write_whole
from lsdmlo_cli.progress import Progress, silent, track

NAME_OF_A_STREAM = "stdin"


@dataclass(frozen=True)
class Split:
    """What `split` did: rows of the input, the paths of the ARFF files written, and warnings."""

    rows: int
    files: list[str]
    warnings: list[str]


def split(
    path: str,
    folder: str,
    *,
    folds: int = 2,
    repeats: int = 1,
    share: float | None = None,
    labels: str | None = None,
    seed: int = 0,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
    progress: Progress = silent,
) -> Split:
    """Write the parts of the file at `path` into `folder`, which is made where it is missing.

    share: of the rows for the test in a single parting, in place of folds. labels: as in `read`; where they come from an XML a
    copy of it, NAME.xml, lies beside the parts. The files are compressed as the input is, and appear at the end, all of them.

    Errors: any LsdmloError; nothing is left behind then.
    """
    name = os.path.join(folder, NAME_OF_A_STREAM if path == STREAM else os.path.basename(stem(path)))
    with ExitStack() as stack:
        source = stack.enter_context(Source(path))
        stack.enter_context(_made(folder))
        arff = read(source, labels, most_bytes=matrix_bytes(memory_bytes), progress=progress)
        tests = _tests(arff.dataset.Y, folds, repeats, share, seed, progress)
        keeps = _parts(name, suffix(path), tests)
        _refuse_clashes(keeps, path, arff.labels.xml)
        targets = []
        for place, keep in track(progress, "writing files", keeps.items(), len(keeps)):
            target = stack.enter_context(Target(place))
            copy(source, target, keep)
            target.finish()
            targets.append(target)
        warnings = [*arff.dataset.warnings, *augmented(source, SPLIT), *_copy_label_file(arff.labels.xml, name, keeps)]
        for target in targets:
            target.commit()
    return Split(arff.dataset.n, list(keeps), warnings)


@contextmanager
def _made(folder: str) -> Iterator[None]:
    """A folder to write into; if the work fails, folders that had to be made for it are removed."""
    missing = [place for place in (Path(folder), *Path(folder).parents) if not place.exists()]
    try:
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot make the folder {folder}: {reason(error)}") from error
        if not os.access(folder, os.W_OK | os.X_OK):
            raise FileError(f"cannot write into {folder}: permission denied")
        yield
    except BaseException:
        for place in missing:
            with suppress(OSError):
                place.rmdir()
        raise


def _tests(
    Y: csr_array, folds: int, repeats: int, share: float | None, seed: int, progress: Progress
) -> dict[str, np.ndarray]:
    """The rows of each test part, (n,) bool, by what is added to the name."""
    if share is not None:
        return {"": holdout(Y, share, seed).test}
    every = stratified_folds(Y, folds, repeats, seed)
    return {f"-r{f.repeat}f{f.fold}": f.test for f in track(progress, "folds", every, folds * repeats)}


def _parts(name: str, end: str, tests: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The path of each file to write, and the rows it keeps, (n,) bool."""
    keeps = {}
    for added, test in tests.items():
        keeps[f"{name}{added}-train.arff{end}"] = ~test
        keeps[f"{name}{added}-test.arff{end}"] = test
    return keeps


def _refuse_clashes(places: dict[str, np.ndarray], path: str, xml: str | None) -> None:
    read_from = {os.path.realpath(place) for place in (path, xml) if place not in (None, STREAM)}
    for place in places:
        if os.path.realpath(place) in read_from:
            raise ParameterError(f"{place} is a file that the rows or labels are read from: give --out another folder")


def _copy_label_file(xml: str | None, name: str, places: dict[str, np.ndarray]) -> Iterator[str]:
    """Copy the XML to NAME.xml, and beside a part that finds another one before that; yields warnings."""
    if xml is None:
        return
    content = Path(xml).read_bytes()
    common, _ = label_file_for(f"{name}.arff", xml)
    if common is not None:
        write_whole(common, content)
    for place in places:
        own, warning = label_file_for(place, xml)
        if own is not None:
            write_whole(own, content)
        if warning:
            yield warning
