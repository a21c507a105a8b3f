"""A made-up housing provider of any size, as the page files of its API: what propsync reads, night after night."""

from benchmarks.estate.estate import Estate

__all__ = ["Estate"]
