"""The sampling methods by name: a file each, and a line each here. A method is loaded when it is asked for."""

from typing import TYPE_CHECKING, Any

from lsdmlo_cli.plugins import Registry
from lsdmlo_cli.samplers.base import Batch as Batch
from lsdmlo_cli.samplers.base import Sample as Sample
from lsdmlo_cli.samplers.base import Sampler as Sampler

if TYPE_CHECKING:  # what editors and type checkers read in place of `__getattr__`
    from lsdmlo_cli.samplers.aemlo import AEMLOSampler as AEMLOSampler
    from lsdmlo_cli.samplers.drsmote import DRSMOTESampler as DRSMOTESampler
    from lsdmlo_cli.samplers.lpros import LPROSSampler as LPROSSampler
    from lsdmlo_cli.samplers.lprus import LPRUSSampler as LPRUSSampler
    from lsdmlo_cli.samplers.lsdmlo import LSDMLOSampler as LSDMLOSampler
    from lsdmlo_cli.samplers.lsdmlo_pos import LSDMLOPosSampler as LSDMLOPosSampler
    from lsdmlo_cli.samplers.mlbote import MLBOTESampler as MLBOTESampler
    from lsdmlo_cli.samplers.mlenn import MLeNNSampler as MLeNNSampler
    from lsdmlo_cli.samplers.mlonc import MLONCSampler as MLONCSampler
    from lsdmlo_cli.samplers.mlrknnos import MLRkNNOSSampler as MLRkNNOSSampler
    from lsdmlo_cli.samplers.mlros import MLROSSampler as MLROSSampler
    from lsdmlo_cli.samplers.mlrus import MLRUSSampler as MLRUSSampler
    from lsdmlo_cli.samplers.mlsmote import MLSMOTESampler as MLSMOTESampler
    from lsdmlo_cli.samplers.mlsol import MLSOLSampler as MLSOLSampler
    from lsdmlo_cli.samplers.mltl import MLTLSampler as MLTLSampler
    from lsdmlo_cli.samplers.mlul import MLULSampler as MLULSampler
    from lsdmlo_cli.samplers.remedial import REMEDIALSampler as REMEDIALSampler
    from lsdmlo_cli.samplers.rhwrsmt import RHwRSMTSampler as RHwRSMTSampler

_CLASSES = {
    "lsdmlo": "LSDMLOSampler",
    "lsdmlo-pos": "LSDMLOPosSampler",
    "mlros": "MLROSSampler",
    "mlrus": "MLRUSSampler",
    "remedial": "REMEDIALSampler",
    "rhwrsmt": "RHwRSMTSampler",
    "mlsmote": "MLSMOTESampler",
    "mlsol": "MLSOLSampler",
    "mlbote": "MLBOTESampler",
    "mlonc": "MLONCSampler",
    "drsmote": "DRSMOTESampler",
    "aemlo": "AEMLOSampler",
    "lpros": "LPROSSampler",
    "lprus": "LPRUSSampler",
    "mlul": "MLULSampler",
    "mltl": "MLTLSampler",
    "mlenn": "MLeNNSampler",
    "mlrknnos": "MLRkNNOSSampler",
}
"""The class of each method, which is in the module of the method's name."""

SAMPLERS: Registry[type[Sampler]] = Registry(
    "samplers", {name: f"{__name__}.{name.replace('-', '_')}:{of}" for name, of in _CLASSES.items()}
)


def __getattr__(name: str) -> Any:
    """The class of a method of ours by its own name. Errors: AttributeError."""
    method = next((method for method, of in _CLASSES.items() if of == name), None)
    if method is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return SAMPLERS[method]
