"""Names beside the ids of a plan, for the people who review it.

A plan keeps ids alone. The names are those of the published tables when somebody looks at the plan. So a name that was
hidden or erased since appears nowhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from propsync.push.plan import Entry, Plan
from propsync.push.review.differing import shortened, visible
from propsync.push.values.published import Published
from propsync.resources import ASSETS


@dataclass(frozen=True)
class Names:
    """Names of properties and types, and the serial numbers or QR codes of assets, by their ids."""

    properties: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_plan(cls, plan: Plan, published: Published) -> Names:
        """The names that the tables have for the records of a plan."""
        named = {key: name for key, name in published.properties.items() if name}
        count = Counter(named.values())
        properties = {key: name if count[name] == 1 else f"{name} ({key})" for key, name in named.items()}
        ids = [key for one in plan.entries for key in one.key] if plan.resource == ASSETS.name else []
        return cls(properties, published.types(plan.resource), published.marks(ids))

    def of(self, entry: Entry) -> str:
        """The record in words: its property, its type and its mark, as far as anybody knows them."""
        name = self.types.get(entry.type_id, "")
        marked = " ".join(filter(None, [name, *(self.marks.get(one, "") for one in entry.key)]))
        place = self.properties.get(entry.property_id, entry.property_id if marked else "")
        return ": ".join(shortened(visible(one)) for one in (place, marked) if one)
