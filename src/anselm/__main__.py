"""python -m anselm."""

from anselm.cli import main

main()
