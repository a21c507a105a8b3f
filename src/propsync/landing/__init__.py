"""Answers as received, and the manifests that make them a snapshot."""

from propsync.landing.bases import Base, BaseFile, Bases
from propsync.landing.damage import Damage, Inspection
from propsync.landing.manifests import Certificate, Landed, LookedUp, Manifest, Manifests, manifest_key
from propsync.landing.pages import PageStore, sha256_of

__all__ = [
    "Base",
    "BaseFile",
    "Bases",
    "Certificate",
    "Damage",
    "Inspection",
    "Landed",
    "LookedUp",
    "Manifest",
    "Manifests",
    "PageStore",
    "manifest_key",
    "sha256_of",
]
