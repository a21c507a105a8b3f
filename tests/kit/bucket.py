"""The bucket in a folder that the simulation uses too, which imports nothing from here."""

from simulation.folder_bucket import KEYS, MUTATING, URL, FolderBucket, copied, flaws, put_back

__all__ = ["KEYS", "MUTATING", "URL", "FolderBucket", "copied", "flaws", "put_back"]
