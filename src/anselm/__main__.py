"""The command `anselm`, and python -m anselm."""

import sys


def main() -> None:
    """Loading the command line takes a while, in which Ctrl-C ends it just as later."""
    try:
        from anselm.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
