"""A made-up housing provider of any size, as the page files of its API for propsync to read, night after night."""

from benchmarks.estate.estate import Estate
from benchmarks.estate.kinds import KINDS

__all__ = ["KINDS", "Estate"]
