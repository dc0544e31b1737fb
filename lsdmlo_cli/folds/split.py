"""A file in stratified parts: for each fold the rows for training and those for testing, byte for byte.

NAME-r<R>f<F>-train.arff and NAME-r<R>f<F>-test.arff for fold F of repeat R; NAME-train.arff and NAME-test.arff for a holdout.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, Unpack

import numpy as np
import scipy

from lsdmlo_cli.analysis import DEFAULT_MEMORY_BYTES, matrix_bytes
from lsdmlo_cli.augmented import SPLIT, augmented
from lsdmlo_cli.errors import FileError, ParameterError, listed, reason
from lsdmlo_cli.folders import made_folder
from lsdmlo_cli.folds.stratified import check_share, holdout
from lsdmlo_cli.folds.stratified import folds as stratified_folds
from lsdmlo_cli.formats import STREAM, Form, Source, Target, label_file_for, read, stem
from lsdmlo_cli.formats.files import write_whole
from lsdmlo_cli.formats.form import PLAIN
from lsdmlo_cli.formats.names import ending_of, format_of, suffix
from lsdmlo_cli.progress import Progress, silent, track

NAME_OF_A_STREAM = "stdin"
_PART = r"(?:-r\d+f\d+)?-(?:train|test)(?:[-_.].+)?(?:{ending}(?:\.gz|\.bz2|\.xz)?|\.report\.json|\.xml)"
"""What stands behind NAME in the names of parts, and of what was made of parts: NAME-train-aug.arff and its report."""


@dataclass(frozen=True)
class Scheme:
    """How rows are split: into folds, repeatedly, or once, with a share of the rows for testing.

    Errors: ParameterError for a share that is none.
    """

    folds: int = 2
    repeats: int = 1
    share: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.share is not None:
            check_share(self.share)

    def tests(self, Y: scipy.sparse.csr_array, path: str, progress: Progress) -> dict[str, np.ndarray]:
        """The rows of each test part, (n,) bool, by what is added to the name.

        Errors: ParameterError, which names the file at `path`, where there are too few rows.
        """
        try:
            if self.share is not None:
                return {"": holdout(Y, self.share, self.seed).test}
            every = stratified_folds(Y, self.folds, self.repeats, self.seed)
            return {f"-r{f.repeat}f{f.fold}": f.test for f in track(progress, "folds", every, self.folds * self.repeats)}
        except ParameterError as error:
            raise ParameterError(f"{path}: {error}") from error


@dataclass(frozen=True)
class Split:
    """What `split` did: rows of the input, the paths of the parts that were written, and warnings."""

    rows: int
    files: list[str]
    warnings: list[str]


class ReadAs(TypedDict, total=False):
    """labels: what --labels takes, or None: then they are looked for. form: what the name of the file does not say of it."""

    labels: str | None
    form: Form


def split(
    path: str,
    folder: str,
    scheme: Scheme | None = None,
    *,
    overwrite: bool = False,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
    progress: Progress = silent,
    **how: Unpack[ReadAs],
) -> Split:
    """Write the parts of the file at `path` into `folder`, which is made where it is missing.

    scheme: None is two folds, once. Where labels come from an XML a copy of it, NAME.xml, lies beside the parts. The files are
    compressed as the input is, and appear at the end, all of them. overwrite: whether parts of NAME that an earlier split left in
    the folder, and files made of them, are removed.

    Errors: any LsdmloError, and nothing is changed then; a ParameterError where such parts are in the folder and stay.
    """
    scheme, form = scheme or Scheme(), how.get("form", PLAIN)
    name = os.path.join(folder, NAME_OF_A_STREAM if path == STREAM else os.path.basename(stem(path)))
    ending = ending_of(path, format_of(path, form.name))
    with ExitStack() as stack:
        source = stack.enter_context(Source(path, form))
        stack.enter_context(made_folder(folder))
        found = read(source, how.get("labels"), most_bytes=matrix_bytes(memory_bytes), progress=progress)
        keeps = _parts(name, f"{ending}{suffix(path)}", scheme.tests(found.dataset.Y, path, progress))
        earlier = _earlier_parts(name, ending, keeps)
        _refuse_clashes([*keeps, *earlier], path, found.labels.xml)
        _refuse_earlier([] if overwrite else earlier, name)
        targets = []
        for place, keep in track(progress, "writing files", keeps.items(), len(keeps)):
            targets.append(stack.enter_context(Target(place)))
            found.write(source, targets[-1], keep)
            targets[-1].finish()
        copied = _copy_label_file(found.labels.xml, f"{name}{ending}", keeps)
        warnings = [*found.dataset.warnings, *augmented(source, SPLIT), *copied]
        _remove(earlier)
        for target in targets:
            target.commit()
    return Split(found.dataset.n, list(keeps), warnings)


def _parts(name: str, end: str, tests: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The path of each file to write, and the rows it keeps, (n,) bool."""
    keeps = {}
    for added, test in tests.items():
        keeps[f"{name}{added}-train{end}"] = ~test
        keeps[f"{name}{added}-test{end}"] = test
    return keeps


def _earlier_parts(name: str, ending: str, places: Iterable[str]) -> list[str]:
    """Files in the folder that an earlier split of NAME wrote, or that were made of its parts, and that are not among the places.

    The XML of a part that is written now is none of them.
    """
    folder, base = os.path.split(name)
    written = {os.path.basename(place) for place in places} | {f"{os.path.basename(stem(place))}.xml" for place in places}
    part = re.compile(re.escape(base) + _PART.format(ending=re.escape(ending)), re.ASCII)
    found = sorted(one for one in os.listdir(folder or ".") if part.fullmatch(one) and one not in written)
    return [place for place in (os.path.join(folder, one) for one in found) if not os.path.isdir(place)]


def _refuse_earlier(places: list[str], name: str) -> None:
    if not places:
        return
    folder, base = os.path.split(name)
    held = listed([os.path.basename(place) for place in places])
    raise ParameterError(
        f"{folder} holds parts of {base} that would stay beside the new ones ({held}): "
        "give --out another folder, or --overwrite to remove them"
    )


def _remove(places: list[str]) -> None:
    for place in places:
        try:
            os.remove(place)
        except OSError as error:
            raise FileError(f"cannot remove {place}: {reason(error)}") from error


def _refuse_clashes(places: Iterable[str], path: str, xml: str | None) -> None:
    read_from = {os.path.realpath(place) for place in (path, xml) if place not in (None, STREAM)}
    for place in places:
        if os.path.realpath(place) in read_from:
            raise ParameterError(f"{place} is a file that the rows or labels are read from: give --out another folder")


def _copy_label_file(xml: str | None, whole: str, places: dict[str, np.ndarray]) -> Iterator[str]:
    """Copy the XML to where the whole file would find it, and beside a part that finds another one before; yields warnings."""
    if xml is None:
        return
    content = Path(xml).read_bytes()
    common, _ = label_file_for(whole, xml)
    if common is not None:
        write_whole(common, content)
    for place in places:
        own, warning = label_file_for(place, xml)
        if own is not None:
            write_whole(own, content)
        if warning:
            yield warning
