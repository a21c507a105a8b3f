"""Properties and users: no endpoint lists them, records only refer to them by id (spec 1, 2.6)."""

from dataclasses import dataclass
from random import Random

from . import phrases
from .identity import new_uid


@dataclass(frozen=True, slots=True)
class Property:
    id: str
    name: str
    address: str
    postcode: str


@dataclass(frozen=True, slots=True)
class User:
    id: str
    name: str
    email: str


def _postcode(rng: Random) -> str:
    letters = "".join(rng.choices("ABDEFGHJLNPQRSTUWXYZ", k=2))
    return f"{rng.choice(phrases.POSTCODE_AREAS)}{rng.randrange(1, 30)} {rng.randrange(1, 10)}{letters}"


def made_up_property(rng: Random) -> Property:
    name = f"{rng.choice(phrases.BLOCK_NAMES)} {rng.choice(phrases.BLOCKS)}"
    address = f"{name}, {rng.randrange(1, 200)} {rng.choice(phrases.STREETS)}"
    return Property(new_uid(rng), name, address, _postcode(rng))


def made_up_user(rng: Random) -> User:
    user_id = new_uid(rng)
    first, last = rng.choice(phrases.FIRST_NAMES), rng.choice(phrases.LAST_NAMES)
    return User(user_id, f"{first} {last}", f"user{user_id[:6].lower()}@housing.invalid")


class Properties:
    """The properties of the organisation, by id."""

    def __init__(self, rng: Random, count: int) -> None:
        self._by_id = {made.id: made for made in (made_up_property(rng) for _ in range(count))}
        self._ids = list(self._by_id)
        self._rng = rng

    def __contains__(self, property_id: object) -> bool:
        return property_id in self._by_id

    def __len__(self) -> int:
        return len(self._by_id)

    def get(self, property_id: str) -> Property | None:
        return self._by_id.get(property_id)

    def all(self) -> list[Property]:
        return list(self._by_id.values())

    def ids(self) -> list[str]:
        return list(self._ids)

    def pick(self, rng: Random | None = None) -> str:
        return (rng or self._rng).choice(self._ids)

    def add(self, rng: Random | None = None) -> str:
        made = made_up_property(rng or self._rng)
        self._by_id[made.id] = made
        self._ids.append(made.id)
        return made.id
