"""Reads records that hints name, without a sweep, and decides about those that the API does not show."""

from __future__ import annotations

from collections.abc import Collection

from propsync.landing import LookedUp, Manifest
from propsync.merge import UnseenRecords, is_too_many, to_hold
from propsync.runbooks.read_back import ReadBack
from propsync.sweep import Answers, Key, Swept
from propsync.webhook.rows import Hints


class Hinted(ReadBack):
    """A resource in a run after hints."""

    hints: Hints

    def look(self, keys: Collection[Key], hints: Hints) -> Answers:
        """Looks up records, lands and merges them. A known record that is gone is deleted or held, by the rules of a
        nightly run. Raises ResourceFailed.
        """
        self.hints = hints
        return self.read(keys)

    def _conclude(
        self, answers: Answers, _deleted: Collection[Key], swept: Swept, manifest: Manifest
    ) -> list[LookedUp]:
        filters = [(name, tuple(values)) for name, values in manifest.filters]
        statuses = manifest.settings["statuses"]
        missing = UnseenRecords(self._workspace.warehouse, self._resource, swept.listed, statuses, filters)
        self._look_again(missing.still_known(answers.gone), answers, swept, manifest)
        gone = missing.still_known(answers.gone)
        held = self._to_hold(gone, missing)
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
        manifest.landed = sorted([*manifest.landed, *again.landed], key=lambda landed: landed.sequence)

    def _to_hold(self, gone: list[Key], missing: UnseenRecords) -> dict[Key, str]:
        """The records whose delete needs a person. The limit of a night counts for all runs since the last one."""
        limit = self._workspace.settings.delete_limit
        earlier = self.hints.deleted_since_night(self._resource.name)
        if gone and is_too_many(earlier + len(gone), earlier + missing.total(), limit):
            count = f"{earlier + len(gone)} since the last night"
            return dict.fromkeys(gone, f"hints would delete {count}, more than PROPSYNC_DELETE_LIMIT allows")
        return to_hold(gone, missing, limit)
