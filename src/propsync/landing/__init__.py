"""Responses as received, and the manifests that make them a snapshot (correctness.md §4)."""

from propsync.landing.manifests import Certificate, Landed, LookedUp, Manifest, Manifests
from propsync.landing.pages import PageStore

__all__ = ["Certificate", "Landed", "LookedUp", "Manifest", "Manifests", "PageStore"]
