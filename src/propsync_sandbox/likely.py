"""Which values are likely, by label: the range of a number, the weight of an option, how often a field is filled."""

from decimal import Decimal

from . import phrases

TEXTS = {
    "Location": phrases.LOCATIONS,
    "Lleoliad": phrases.LOCATIONS,
    "Lokalizacja zbiornika": phrases.LOCATIONS,
    "Location of valve set": phrases.LOCATIONS,
    "Manufacturer": phrases.MAKERS,
}

NUMBERS = {
    "Gap at head (mm)": (10, 60, 1),
    "Floors served": (3, 23, 0),
    "Order": (1, 41, 0),
    "Outlets": (2, 21, 0),
    "Test pressure (bar)": (95, 126, 1),
    "Free area (m²)": (80, 251, 2),
    "Battery voltage (V)": (2350, 2790, 2),
    "Zones": (1, 25, 0),
    "Output (lm)": (90, 900, 0),
    "Volume (l)": (200, 9001, 0),
    "Temperature at inlet (°C)": (60, 198, 1),
    "Temperature at outlet (°C)": (60, 212, 1),
    "Output (kW)": (180, 3000, 1),
    "Efficiency (%)": (820, 945, 1),
    "Flue gas CO (ppm)": (5, 141, 0),
    "Heads": (4, 201, 0),
    "Static pressure (bar)": (30, 90, 1),
    "Hoppers": (2, 21, 0),
    "Earth resistance (Ω)": (80, 1200, 2),
    "Down conductors": (2, 13, 0),
    "Risk score": (1, 26, 0),
}
"""From, to (not reached) and decimals: 10, 60 and 1 are 1.0 to 5.9."""

PICKED = {
    "Rated load (kg)": (320, 400, 630, 630, 800, 1000, 1275),
    "Duration (h)": (1, 3, 3, 3),
    "Load limit (kg)": (150, 160, Decimal("181.50"), 182),
}

MULTIPLE = {"Defects": (72, 20, 8), "Findings": (70, 22, 8), "Features": (15, 50, 35), "Serves": (2, 50, 48)}
"""Of fields with several choices: the weights of none, one and two."""

CHOICES = {
    "Pass": 88, "Fail": 9, "No access": 3, "Not tested": 3, "Good": 52, "Fair": 33, "Poor": 15,
    "In service": 90, "Isolated": 4, "Defective": 6, "Present": 85, "Missing": 8, "Torn": 7,
    "FD30": 25, "FD30S": 45, "FD60": 8, "FD60S": 14, "Notional": 8,
}  # fmt: skip
"""Weights of options in fields with one choice."""
WEIGHTED = ("Result", "Condition", "Inlet condition", "Hopper condition", "Status", "Cover", "Fire rating")

FILLED = {
    "Notes": 0.62, "Resident's remarks": 0.5, "": 0.2, "备注": 0.4, "Certificate": 0.7, "Serial number": 0.93,
    "Manufacturer": 0.9, "Date installed": 0.86, "Position on plan": 0.8, "Replacement year": 0.75, "Order": 0.55,
    "Defects": 0.97, "Result": 0.985, "Condition": 0.94, "Fire rating": 0.99, "Photo": 0.85, "Photo of door leaf": 0.88,
    "Test certificate": 0.72, "Service sheet": 0.66, "Inspection report": 0.75, "Door tag": 0.985, "Lift tag": 0.99,
}  # fmt: skip
"""The share of assets that have a value, by label."""
