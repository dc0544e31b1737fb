"""Stratified folds, and files split by them."""

from lsdmlo_cli.folds.stratified import Fold, folds

__all__ = ["Fold", "folds"]
