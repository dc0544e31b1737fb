"""The sampling methods by name."""

from lsdmlo_cli.samplers.aemlo import AEMLO
from lsdmlo_cli.samplers.base import Batch, Sample, Sampler
from lsdmlo_cli.samplers.drsmote import DRSMOTE
from lsdmlo_cli.samplers.lpros import LPROS
from lsdmlo_cli.samplers.lprus import LPRUS
from lsdmlo_cli.samplers.lsdmlo import LSDMLO
from lsdmlo_cli.samplers.mlbote import MLBOTE
from lsdmlo_cli.samplers.mlenn import MLeNN
from lsdmlo_cli.samplers.mlonc import MLONC
from lsdmlo_cli.samplers.mlrknnos import MLRkNNOS
from lsdmlo_cli.samplers.mlros import MLROS
from lsdmlo_cli.samplers.mlrus import MLRUS
from lsdmlo_cli.samplers.mlsmote import MLSMOTE
from lsdmlo_cli.samplers.mlsol import MLSOL
from lsdmlo_cli.samplers.mltl import MLTL
from lsdmlo_cli.samplers.mlul import MLUL
from lsdmlo_cli.samplers.remedial import REMEDIAL
from lsdmlo_cli.samplers.rhwrsmt import RHwRSMT

SAMPLERS: dict[str, type[Sampler]] = {
    sampler.name: sampler
    for sampler in (
        LSDMLO,
        MLROS,
        MLRUS,
        REMEDIAL,
        RHwRSMT,
        MLSMOTE,
        MLSOL,
        MLBOTE,
        MLONC,
        DRSMOTE,
        AEMLO,
        LPROS,
        LPRUS,
        MLUL,
        MLTL,
        MLeNN,
        MLRkNNOS,
    )
}

__all__ = [
    "AEMLO",
    "DRSMOTE",
    "LPROS",
    "LPRUS",
    "LSDMLO",
    "MLBOTE",
    "MLONC",
    "MLROS",
    "MLRUS",
    "MLSMOTE",
    "MLSOL",
    "MLTL",
    "MLUL",
    "REMEDIAL",
    "SAMPLERS",
    "Batch",
    "MLRkNNOS",
    "MLeNN",
    "RHwRSMT",
    "Sample",
    "Sampler",
]
