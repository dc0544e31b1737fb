"""BLAS on one thread, in a Python of its own, since libraries stay loaded."""

import os
import subprocess
import sys

CODE = """
import numpy
from threadpoolctl import threadpool_info
from lsdmlo_cli.numeric.threads import mapping, one_blas_thread

def threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

for limited in (one_blas_thread(), mapping(2)):
    with limited:
        print(threads())
import scipy.linalg
print(threads())
for limited in (one_blas_thread(), mapping(2)):
    with limited:
        print(threads())
print(threads())
"""


def test_the_blas_of_scipy_is_limited_though_it_is_loaded_later() -> None:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:-1] == ["[1]", "[1]", "[2, 2]", "[1, 1]", "[1, 1]", "[2, 2]"]


def test_the_solver_loads_the_blas_of_scipy_before_it_limits_threads() -> None:
    code = """
import numpy as np, scipy.sparse, sys
from threadpoolctl import threadpool_info
from lsdmlo_cli.numeric.weights import Stop, gram, solve
said = []
def watch(iterations, gap):
    said.append({library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"})
E = np.array([[2.0, 0.0], [0.0, 1.0]])
solve(gram(E, scipy.sparse.csr_array([[1.0], [1.0]])), np.zeros((1, 1)), lambda1=0.5, stop=Stop(watch=watch))
print(said[0])
"""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "{1}\n"
