"""The sampling methods by name."""

from lsdmlo_cli.samplers.base import Batch, Sample, Sampler
from lsdmlo_cli.samplers.lsdmlo import LSDMLO

SAMPLERS: dict[str, type[Sampler]] = {sampler.name: sampler for sampler in (LSDMLO,)}

__all__ = ["LSDMLO", "SAMPLERS", "Batch", "Sample", "Sampler"]
