"""The bucket in a folder that the simulation uses too, which imports nothing from here."""

from simulation.folder_bucket import KEYS, MUTATING, URL, FolderBucket, copied, flaws

__all__ = ["KEYS", "MUTATING", "URL", "FolderBucket", "copied", "flaws"]
