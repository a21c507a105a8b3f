"""Reads records that hints name, without a sweep, and decides about those that the API does not show."""

from __future__ import annotations

from collections.abc import Collection

from propsync.landing import LookedUp, Manifest
from propsync.merge import UnseenRecords
from propsync.runbooks.deletes import held_in_part
from propsync.runbooks.read_back import ReadBack
from propsync.sweep import Answers, Key, Swept


class Hinted(ReadBack):
    """A resource in a run after hints."""

    def look(self, keys: Collection[Key]) -> Answers:
        """Looks up records, lands and merges them. A known record that is gone is deleted or held, by the rules of a
        nightly run. Raises ResourceFailed.
        """
        return self.read(keys)

    def _conclude(
        self, answers: Answers, _deleted: Collection[Key], swept: Swept, manifest: Manifest
    ) -> list[LookedUp]:
        filters = [(name, tuple(values)) for name, values in manifest.filters]
        statuses = manifest.settings["statuses"]
        missing = UnseenRecords(self._workspace.warehouse, self._resource, swept.listed, statuses, filters)
        self._look_again(missing.still_known(answers.gone), answers, swept, manifest)
        gone = missing.still_known(answers.gone)
        held = held_in_part(self._workspace, self._resource, gone, missing)
        noted = [LookedUp(key, "held", why) for key, why in sorted(held.items())]
        noted += [LookedUp(key, "gone", answers.gone[key]) for key in gone if key not in held]
        noted += [LookedUp(key, "hidden", answers.hidden[key]) for key in missing.still_known(answers.hidden)]
        return noted

    def _look_again(self, gone: list[Key], answers: Answers, swept: Swept, manifest: Manifest) -> None:
        """Looks once more for known records that seem to be gone: no list has missed them, only one look-up has."""
        again = self._look_ups(swept).look_up(gone)
        for key in gone:
            if key not in again.gone:
                del answers.gone[key]
        answers.found |= again.found
        answers.hidden |= again.hidden
        answers.unknown |= again.unknown
        answers.failure = answers.failure or again.failure
        manifest.landed = sorted([*manifest.landed, *again.landed], key=lambda landed: landed.sequence)
