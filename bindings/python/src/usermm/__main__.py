# SPDX-License-Identifier: MIT
"""The command `usermm`, also as `python -m usermm`."""
import os
import sys

from . import command


def main():
    """Becomes the command: nothing of Python stays behind."""
    path = command()
    try:
        os.execv(path, ["usermm", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"usermm: {path}: {error.strerror}; install the package usermm again")


if __name__ == "__main__":
    main()
