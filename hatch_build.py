"""Puts man pages and completion scripts into the wheel; an editable installation has none."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ManualHook(BuildHookInterface):
    """The hook of the wheel: it asks the command for its help, so that the package's requirements are needed for building."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from release.manual import write

        self._folder = tempfile.TemporaryDirectory()
        build_data["shared_data"].update(write(Path(self._folder.name)))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self._folder.cleanup()
