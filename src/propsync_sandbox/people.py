"""Properties and users: no endpoint lists them, records only refer to them by id (API §1, 2.6)."""

from dataclasses import dataclass
from random import Random

from . import phrases
from .identity import new_uid


@dataclass(frozen=True, slots=True)
class Property:
    """A house, a block or a building without homes; `has_gas` and `has_lift` decide which assessments it needs."""

    id: str
    name: str
    address: str
    postcode: str
    region: str
    uprn: str
    homes: int
    height_m: float
    built_year: int
    has_gas: bool
    has_lift: bool


@dataclass(frozen=True, slots=True)
class User:
    id: str
    name: str
    email: str
    team: str


@dataclass(frozen=True, slots=True)
class _Build:
    """A kind of building: how many homes and how many decimetres high, from and to; shares with gas and a lift."""

    homes: tuple[int, int]
    decimetres: tuple[int, int]
    gas: float
    lift: float


_HOUSE = _Build((1, 1), (52, 80), 0.85, 0.0)
_LOW_BLOCK = _Build((2, 12), (58, 106), 0.6, 0.1)
_MIDDLE_BLOCK = _Build((12, 40), (110, 176), 0.45, 0.7)
_TOWER = _Build((36, 120), (180, 620), 0.2, 1.0)
_WITHOUT_HOMES = _Build((0, 0), (40, 90), 0.5, 0.1)
_BUILDS = (_HOUSE, _LOW_BLOCK, _MIDDLE_BLOCK, _TOWER, _WITHOUT_HOMES)
_BUILD_WEIGHTS = (36, 30, 18, 12, 4)


def _postcode(rng: Random) -> str:
    letters = "".join(rng.choices("ABDEFGHJLNPQRSTUWXYZ", k=2))
    return f"{rng.choice(phrases.POSTCODE_AREAS)}{rng.randrange(1, 30)} {rng.randrange(1, 10)}{letters}"


def made_up_property(rng: Random) -> Property:
    block = f"{rng.choice(phrases.BLOCK_NAMES)} {rng.choice(phrases.BLOCKS)}"
    street = f"{rng.randrange(1, 200)} {rng.choice(phrases.STREETS)}"
    property_id, postcode = new_uid(rng), _postcode(rng)
    return _built(property_id, block, street, postcode, Random(f"property {property_id}"))


def _built(property_id: str, block: str, street: str, postcode: str, rng: Random) -> Property:
    """By dice of its own: what only the lists show leaves the records as they are."""
    build = rng.choices(_BUILDS, _BUILD_WEIGHTS)[0]
    return Property(
        id=property_id,
        name=street if build is _HOUSE else block,
        address=street if build is _HOUSE else f"{block}, {street}",
        postcode=postcode,
        region=phrases.REGIONS[postcode[: 1 if postcode[1].isdigit() else 2]],
        uprn=f"{rng.randrange(10**8, 2 * 10**11):012d}",
        homes=rng.randint(*build.homes),
        height_m=rng.randint(*build.decimetres) / 10,
        built_year=rng.randrange(1928, 2022),
        has_gas=rng.random() < build.gas,
        has_lift=rng.random() < build.lift,
    )


def made_up_user(rng: Random) -> User:
    user_id = new_uid(rng)
    first, last = rng.choice(phrases.FIRST_NAMES), rng.choice(phrases.LAST_NAMES)
    email = f"user{user_id[:6].lower()}@housing.invalid"
    return User(user_id, f"{first} {last}", email, Random(f"user {user_id}").choice(phrases.TEAMS))


class Properties:
    """The properties of the organisation, by id."""

    def __init__(self, rng: Random, count: int) -> None:
        self._by_id = {made.id: made for made in (made_up_property(rng) for _ in range(count))}
        self._ids = list(self._by_id)
        self._rng = rng
        self._blocks = [one.id for one in self.all() if one.homes > 1]
        self._with_lift = [one.id for one in self.all() if one.has_lift]

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

    def pick_block(self, rng: Random, *, with_lift: bool = False) -> str:
        """One with several homes, and with a lift if need be; any if no property is like that."""
        return rng.choice((self._with_lift if with_lift else self._blocks) or self._ids)

    def add(self, rng: Random | None = None) -> str:
        made = made_up_property(rng or self._rng)
        self._by_id[made.id] = made
        self._ids.append(made.id)
        return made.id
