"""The paper's experiment: folds, samplers on the training half, learners, metrics, and the tests between methods."""
