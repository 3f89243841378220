import argparse
import sys

from counter import count
from reader import read
from writer import write


def main():
    parser = argparse.ArgumentParser(prog="tally")
    parser.add_argument("path")
    parser.add_argument("--form", choices=["table", "csv", "json"], default="table")
    given = parser.parse_args()
    try:
        print(write(count(read(given.path)), given.form))
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
