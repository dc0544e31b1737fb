"""From Arrow's columns to a Dataset, whatever file they come from: what each column holds, then the numbers that stand for it."""
