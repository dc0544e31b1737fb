"""What the user may choose of how reports are shown. It loads nothing, for the help."""

from __future__ import annotations

FORMATS = ("table", "json", "csv", "markdown", "latex")
"""json is the report itself, which no document is made for."""

SORTS: dict[str, tuple[str, bool]] = {
    "irlbl": ("IRLbl", True),
    "positives": ("count", True),
    "limb": ("LImb", True),
    "limb-lsd": ("LImb_LSD", True),
    "scumble": ("SCUMBLELbl", True),
    "features": ("features", True),
    "name": ("name", False),
    "file": ("", False),
}
"""What labels are sorted by: the field of the report, and whether the largest comes first. `file`: as in the data set."""
