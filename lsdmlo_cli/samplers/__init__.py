"""The sampling methods by name: a file each, and a line each here."""

from lsdmlo_cli.plugins import Registry
from lsdmlo_cli.samplers.aemlo import AEMLOSampler
from lsdmlo_cli.samplers.base import Batch, Sample, Sampler
from lsdmlo_cli.samplers.drsmote import DRSMOTESampler
from lsdmlo_cli.samplers.lpros import LPROSSampler
from lsdmlo_cli.samplers.lprus import LPRUSSampler
from lsdmlo_cli.samplers.lsdmlo import LSDMLOSampler
from lsdmlo_cli.samplers.lsdmlo_pos import LSDMLOPosSampler
from lsdmlo_cli.samplers.mlbote import MLBOTESampler
from lsdmlo_cli.samplers.mlenn import MLeNNSampler
from lsdmlo_cli.samplers.mlonc import MLONCSampler
from lsdmlo_cli.samplers.mlrknnos import MLRkNNOSSampler
from lsdmlo_cli.samplers.mlros import MLROSSampler
from lsdmlo_cli.samplers.mlrus import MLRUSSampler
from lsdmlo_cli.samplers.mlsmote import MLSMOTESampler
from lsdmlo_cli.samplers.mlsol import MLSOLSampler
from lsdmlo_cli.samplers.mltl import MLTLSampler
from lsdmlo_cli.samplers.mlul import MLULSampler
from lsdmlo_cli.samplers.remedial import REMEDIALSampler
from lsdmlo_cli.samplers.rhwrsmt import RHwRSMTSampler

SAMPLERS: Registry[type[Sampler]] = Registry(
    "samplers",
    (
        LSDMLOSampler,
        LSDMLOPosSampler,
        MLROSSampler,
        MLRUSSampler,
        REMEDIALSampler,
        RHwRSMTSampler,
        MLSMOTESampler,
        MLSOLSampler,
        MLBOTESampler,
        MLONCSampler,
        DRSMOTESampler,
        AEMLOSampler,
        LPROSSampler,
        LPRUSSampler,
        MLULSampler,
        MLTLSampler,
        MLeNNSampler,
        MLRkNNOSSampler,
    ),
)

__all__ = [
    "SAMPLERS",
    "AEMLOSampler",
    "Batch",
    "DRSMOTESampler",
    "LPROSSampler",
    "LPRUSSampler",
    "LSDMLOPosSampler",
    "LSDMLOSampler",
    "MLBOTESampler",
    "MLONCSampler",
    "MLROSSampler",
    "MLRUSSampler",
    "MLRkNNOSSampler",
    "MLSMOTESampler",
    "MLSOLSampler",
    "MLTLSampler",
    "MLULSampler",
    "MLeNNSampler",
    "REMEDIALSampler",
    "RHwRSMTSampler",
    "Sample",
    "Sampler",
]
