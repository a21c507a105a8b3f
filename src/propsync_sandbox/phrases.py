"""Words for made-up records. Quotes, newlines, other scripts and an emoji are there on purpose."""

STREETS = (
    "Acacia Avenue", "Heol y Castell", "Station Road", "Mill Lane", "Victoria Terrace", "Ffordd Caerdydd",
    "Chapel Street", "Canal Walk", "Orchard Close", "St Anne's Court", "Poplar Grove", "Queen's Parade",
)  # fmt: skip
BLOCKS = ("House", "Court", "Tower", "Point", "Lodge", "Heights", "Tŷ", "Gardens", "View", "Mansions")
BLOCK_NAMES = (
    "Aneurin", "Bevan", "Caxton", "Darwin", "Elgar", "Faraday", "Goronwy", "Hepworth", "Ironside", "Jenner",
    "Keats", "Lowry", "Myrddin", "Nightingale", "Owain", "Pankhurst", "Quarry", "Rowan", "Seacole", "Turing",
)  # fmt: skip
POSTCODE_AREAS = ("CF", "LL", "SA", "M", "LS", "B", "NE", "BS", "SE", "E", "NG", "S")
REGIONS = {
    "CF": "South Wales", "SA": "South Wales", "LL": "North Wales", "M": "North West", "LS": "Yorkshire",
    "S": "Yorkshire", "NE": "North East", "B": "West Midlands", "NG": "East Midlands", "BS": "South West",
    "SE": "London", "E": "London",
}  # fmt: skip
"""Region by postcode area."""
TEAMS = ("Fire safety", "Gas and heating", "Asbestos and water", "Lifts", "Electrical", "Surveyors", "Contractors")
FIRST_NAMES = (
    "Amira", "Bronwen", "Callum", "Dilys", "Ewa", "Femi", "Grażyna", "Harpreet", "Ieuan", "Joanna",
    "Krzysztof", "Lowri", "Mei", "Niamh", "Oluwaseun", "Piotr", "Rhys", "Siân", "Tomasz", "Zoë",
)  # fmt: skip
LAST_NAMES = (
    "Ahmed", "Bevan", "Chen", "Davies", "Evans", "Fisher", "Griffiths", "Hughes", "Iqbal", "Jones",
    "Kowalski", "Llewellyn", "Murphy", "Nowak", "O'Brien", "Patel", "Roberts", "Singh", "Wiśniewska", "Young",
)  # fmt: skip
LOCATIONS = (
    "Ground floor lobby", "Stair A, level 2", "Stair B, level 7", "Corridor 3 east", "Roof plant room",
    "Bin store", "Basement car park, bay 14", "Bike store", "Level 11 landing", "Lifft ger y fynedfa",
    "Klatka schodowa B, piętro 4", "Behind the \"old\" boiler house", "Riser cupboard 5\\2",
)  # fmt: skip
MAKERS = (
    "Kone",
    "Otis",
    "Ahmarra",
    "Gerda",
    "Vaillant",
    "Worcester Bosch",
    "Advanced",
    "Morley-IAS",
    "Gent",
    "SE Controls",
)
NOTES = (
    "No defects seen.",
    "Closer adjusted on site; re-check in three months.",
    "Resident asked for a visit after 16:00.",
    "Seal worn at the lower hinge side.\nOrdered: intumescent strip, 2.1 m.",
    "Mae angen ailosod y sêl ar y drws hwn cyn diwedd y mis.",
    "Zamek działa ciężko – zgłoszono do wykonawcy.",
    "Access refused 😕 card left.",
    'Label reads "FD30S" but no plug was found.',
    "Path on old server: \\\\share\\fire\\2019",
    "需要更换电池",
    "Tab\there, and a trailing space ",
    "",
)
OBSERVATIONS = (
    "Combustible items stored in the escape route", "Door held open by a wedge", "Emergency light failed on test",
    "Compartmentation breach around a new cable", "Signage faded", "Extinguisher out of date",
    "Outlet above 44 °C", "Dead leg in pipework", "Meter cupboard without a self-closer", "Bonding not verified",
)  # fmt: skip
CONTROLS = (
    "Weekly fire alarm test", "Monthly emergency lighting test", "Managed escape routes", "Quarterly flushing",
    "Hot work permit", "No smoking in common parts", "Contractor induction", "Lift maintenance contract",
)  # fmt: skip
FLAG_LABELS = ("Overdue action", "High risk", "Access needed", "Resident vulnerable", "Repeat defect")
