"""`python -m lsdmlo_cli`."""

from lsdmlo_cli.cli import main

main()
