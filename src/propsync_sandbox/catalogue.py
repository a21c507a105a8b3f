"""The asset types of a UK housing provider, as text: a heading a type, a line a field, options after the colon.

Some labels are awkward on purpose: twice the same in one type, empty, an SQL keyword, other scripts.
The number in the heading is how common the type is.
"""

import re
from dataclasses import dataclass

CATALOGUE = """
# Communal fire doors | Communal fire door | 30
qr      | Door tag
text    | Location
option  | Fire rating: FD30, FD30S, FD60, FD60S, Notional
option  | Defects: Gap over 4 mm, Closer faulty, Seal missing, Glazing cracked, Hinge loose, Signage missing
option  | Result: Pass, Fail, No access
number  | Gap at head (mm)
date    | Date installed
date    | Last inspected
date    | Next inspection due
time    | Time of inspection
image   | Photo of door leaf
file    | Certificate
pin     | Position on plan
text    | Notes
# Flat entrance doors | Flat entrance door | 25
qr      | Door tag
text    | Flat
option  | Fire rating: FD30, FD30S, FD60, FD60S, Notional
option  | Self-closing device: Overhead closer, Rising butt, Concealed closer, None
option  | Result: Pass, Fail, No access
number  | Gap at head (mm)
date    | Date installed
date    | Last inspected
date    | Next inspection due
image   | Photo
image   | Photo
text    | Resident's remarks
file    | Certificate
# Passenger lifts | Passenger lift | 6
qr      | Lift tag
text    | Manufacturer
text    | Serial number
number  | Rated load (kg)
number  | Floors served
number  | Order
number  | Replacement year
date    | Date installed
date    | LOLER due
option  | Condition: Good, Fair, Poor
option  | Drive: Traction, Hydraulic, Machine-room-less
option  | Features: Fire service switch, Evacuation lift, Braille buttons, Voice announcement
file    | Test certificate
image   | Photo of car
text    | Notes
# Dry risers | Dry riser | 5
qr      | Riser tag
text    | Location
number  | Outlets
number  | Test pressure (bar)
date    | Pressure tested
date    | Next test due
option  | Result: Pass, Fail
option  | Inlet condition: Good, Fair, Poor
image   | Photo of inlet
pin     | Position on plan
file    | Test certificate
text    | Sylwadau / Uwagi
# Smoke vents (AOVs) | Smoke vent (AOV) | 5
qr      | AOV tag
text    | Lleoliad
option  | Actuator: Chain, Rack, Hinged
number  | Free area (m²)
number  | Battery voltage (V)
date    | Last serviced
date    | Next service due
option  | Status: In service, Isolated, Defective
image   | Photo
pin     | Position on plan
file    | Service sheet
text    | Notes
# Fire alarm panels | Fire alarm panel | 4
qr      | Panel tag
text    | Manufacturer
text    | Serial number
number  | Zones
number  | Battery voltage (V)
number  | Replacement year
date    | Date installed
date    | Last serviced
date    | Next service due
time    | Weekly test
option  | Category: L1, L2, L3, L4, L5, M, P1, P2
option  | Monitored: Yes, No
image   | Photo of panel
file    | Zone plan
text    |
# Emergency lighting | Emergency light | 10
qr      | Luminaire tag
text    | Location
option  | Type: Maintained, Non-maintained, Combined
number  | Duration (h)
number  | Output (lm)
date    | Last tested
date    | Next test due
time    | Tested at
option  | Result: Pass, Fail, Not tested
image   | Photo
pin     | Position on plan
text    | Notes
# Water tanks | Water tank | 4
qr      | Tank tag
text    | Lokalizacja zbiornika
number  | Volume (l)
number  | Temperature at inlet (°C)
number  | Temperature at outlet (°C)
date    | Last cleaned
date    | Next clean due
option  | Condition: Good, Fair, Poor
option  | Material: GRP, Steel, Plastic, Concrete
option  | Findings: Sediment, Corrosion, Lid missing, Screen missing, Stagnation
image   | Photo inside
file    | Laboratory report
pin     | Position on plan
text    | Notes
# Boilers | Boiler | 5
qr      | Boiler tag
text    | Manufacturer
text    | Serial number
number  | Output (kW)
number  | Efficiency (%)
number  | Flue gas CO (ppm)
number  | Replacement year
date    | Date installed
date    | Gas safety due
option  | Condition: Good, Fair, Poor
option  | Fuel: Gas, Oil, Electric, Biomass
option  | Serves: Heating, Hot water, Underfloor
image   | Data plate
file    | Gas safety record
text    | Notes
# Sprinkler systems | Sprinkler system | 3
qr      | Valve tag
text    | Location of valve set
number  | Heads
number  | Static pressure (bar)
date    | Last serviced
date    | Next service due
option  | Standard: BS 9251, BS EN 12845, Unknown
file    | Commissioning certificate
image   | Photo
text    | Notes
# Refuse chutes | Refuse chute | 3
qr      | Chute tag
text    | Location
number  | Hoppers
option  | Hopper condition: Good, Fair, Poor
date    | Last cleaned
image   | Photo
# Lightning protection | Lightning protection system | 2
text    | Reference
number  | Earth resistance (Ω)
number  | Down conductors
date    | Last tested
date    | Next test due
option  | Result: Pass, Fail
option  | Class: I, II, III, IV
file    | Test certificate
image   | Photo
pin     | Test point
text    | Notes
# Evacuation chairs | Evacuation chair | 3
qr      | Chair tag
text    | Location
text    | 备注
number  | Load limit (kg)
date    | Last serviced
date    | Next service due
option  | Condition: Good, Fair, Poor
option  | Cover: Present, Missing, Torn
image   | Photo
# Playground equipment | Playground item | 2
qr      | Tag
text    | Nazwa urządzenia
text    | Cyflwr – nodiadau
number  | Risk score
date    | Last inspected
date    | Next inspection due
time    | Inspected at
option  | Surface: Grass, Wet-pour rubber, Bark, Concrete
image   | Photo
file    | Inspection report
pin     | Position on plan
text    | Notes
"""


@dataclass(frozen=True)
class FieldSketch:
    kind: str
    label: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class TypeSketch:
    name: str
    name_singular: str
    weight: int
    fields: tuple[FieldSketch, ...]


def _field(line: str) -> FieldSketch:
    kind, rest = (part.strip() for part in line.split("|", 1))
    if kind != "option":
        return FieldSketch(kind, rest)
    label, options = rest.split(":", 1)
    return FieldSketch(kind, label.strip(), tuple(option.strip() for option in options.split(",")))


def _type(block: str) -> TypeSketch:
    heading, *lines = block.strip().splitlines()
    name, singular, weight = (part.strip() for part in heading.split("|"))
    return TypeSketch(name, singular, int(weight), tuple(_field(line) for line in lines))


def asset_type_sketches() -> list[TypeSketch]:
    return [_type(block) for block in re.split(r"^# ", CATALOGUE, flags=re.MULTILINE) if block.strip()]
