"""Words and fixed lists of the console: choices that its forms offer, and what its generated data is made of.

How they are drawn and put together is in `data`.
"""

from __future__ import annotations

from collections.abc import Mapping

REGIONS = ("Coast", "Lakes", "Valley", "Uplands", "Harbour", "Plains")
MODELS = ("Aster 2", "Aster 3", "Brio", "Brio Cold", "Cinder", "Delta Mini")
STATUSES = ("online", "degraded", "offline", "retired")
FIRMWARE: Mapping[str, tuple[str, ...]] = {
    "Aster 2": ("2.8.1", "2.9.0", "2.9.4"),
    "Aster 3": ("3.1.0", "3.2.2", "3.3.0"),
    "Brio": ("5.0.3", "5.1.0", "5.1.6"),
    "Brio Cold": ("5.0.3", "5.1.6", "5.2.0"),
    "Cinder": ("1.4.7", "1.5.0", "1.5.2"),
    "Delta Mini": ("0.9.8", "1.0.1", "1.1.0"),
}
ALL_FIRMWARE = tuple(sorted({version for versions in FIRMWARE.values() for version in versions}))
CATEGORIES = ("payment", "cooling", "jam", "display", "network", "stock", "damage")
PRIORITIES = ("low", "normal", "high", "urgent")
TICKET_STATES = ("open", "in progress", "waiting", "resolved", "closed")
JOB_KINDS = ("restock", "cleaning", "repair", "firmware rollout", "inspection", "cash collection")
JOB_STATES = ("planned", "paused", "finished", "failed", "cancelled")
TEAMS = ("Field North", "Field South", "Support Desk", "Planning", "Finance", "Platform")
METRICS = ("fill level", "offline machines", "open tickets", "daily revenue")
COMPARISONS = ("below", "above")

PERMISSIONS: Mapping[str, str] = {
    "machines.edit": "Edit machines",
    "tickets.edit": "Edit tickets",
    "jobs.edit": "Edit jobs",
    "people.edit": "Edit people",
    "roles.edit": "Edit roles",
    "exports.create": "Create exports",
    "settings.edit": "Edit settings",
    "audit.view": "View audit log",
}
"""Permission and its label."""

ROLES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("Administrator", "Everything, people and roles included.", tuple(PERMISSIONS)),
    (
        "Operations manager",
        "Runs the fleet: machines, tickets, jobs and exports.",
        ("machines.edit", "tickets.edit", "jobs.edit", "exports.create", "audit.view"),
    ),
    ("Planner", "Plans jobs and exports lists for the vans.", ("jobs.edit", "exports.create")),
    ("Technician", "Works on machines and their tickets.", ("machines.edit", "tickets.edit")),
    ("Support agent", "Answers tickets.", ("tickets.edit",)),
    ("Analyst", "Reads everything and exports it.", ("exports.create", "audit.view")),
    ("Viewer", "Reads, changes nothing.", ()),
)
"""Name, description and permissions."""

SETTINGS: Mapping[str, tuple[str, str, str]] = {
    "company_name": ("Company name", "text", "Fernhill Vending"),
    "support_email": ("Support e-mail", "email", "desk@fernhill.test"),
    "time_zone": ("Time zone", "zone", "Europe/Lisbon"),
    "session_minutes": ("Session length in minutes", "5-480", "60"),
    "low_fill": ("Low fill level in percent", "1-50", "20"),
    "audit_days": ("Keep audit log for days", "30-3650", "730"),
    "digest_weekday": ("Day of the weekly digest", "weekday", "Monday"),
    "require_two_factor": ("Require two-factor sign-in", "yes-no", "no"),
}
"""Key: label, kind of value, value at the start."""

ZONES = ("Europe/Lisbon", "Europe/Madrid", "Europe/Oslo", "Europe/Athens", "Atlantic/Azores")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

LOCATIONS: tuple[tuple[str, str, str], ...] = (
    ("Anchor Street Station", "Coast", "station"),
    ("Breakwater Hall", "Coast", "sports hall"),
    ("Dunes Hospital", "Coast", "hospital"),
    ("Gull Point Ferry", "Coast", "terminal"),
    ("Saltmarsh College", "Coast", "school"),
    ("Cedar Lake Pool", "Lakes", "sports hall"),
    ("Heron Library", "Lakes", "library"),
    ("Lakeview Clinic", "Lakes", "hospital"),
    ("Millrace Works", "Lakes", "factory"),
    ("Reedbed Station", "Lakes", "station"),
    ("Almond Row Offices", "Valley", "office"),
    ("Bridge End Campus", "Valley", "school"),
    ("Orchard Cross Station", "Valley", "station"),
    ("Tannery Yard", "Valley", "factory"),
    ("Vale Road Depot", "Valley", "office"),
    ("Beacon Hill School", "Uplands", "school"),
    ("Crag House Hostel", "Uplands", "hostel"),
    ("Fellgate Station", "Uplands", "station"),
    ("Moor Edge Quarry", "Uplands", "factory"),
    ("Stonebeck Surgery", "Uplands", "hospital"),
    ("Chandler Quay", "Harbour", "terminal"),
    ("Custom House", "Harbour", "office"),
    ("East Pier Market", "Harbour", "market"),
    ("Lighthouse Museum", "Harbour", "museum"),
    ("Ropewalk Studios", "Harbour", "office"),
    ("Barley Mill", "Plains", "factory"),
    ("Larkfield Arena", "Plains", "sports hall"),
    ("Long Acre Services", "Plains", "station"),
    ("Poplar Court", "Plains", "office"),
    ("Windmill Lane School", "Plains", "school"),
)
"""Name, region and kind."""

# fmt: off
FIRST_NAMES = (
    "Adele", "Amin", "Anouk", "Arvid", "Beatriz", "Bram", "Carys", "Celia", "Dario", "Delphine", "Edda", "Emeka",
    "Esme", "Fenna", "Filip", "Gita", "Goran", "Hanne", "Hugo", "Ilse", "Imran", "Ines", "Jarek", "Jovana", "Kaito",
    "Katrin", "Leif", "Leonor", "Lucan", "Maelle", "Malik", "Marisol", "Mirko", "Nadine", "Noor", "Odile", "Oskar",
    "Paavo", "Petra", "Quentin", "Rafaela", "Renske", "Rohan", "Sabine", "Samir", "Sigrid", "Soren", "Tamsin",
    "Teodor", "Thea", "Tomas", "Ursula", "Vera", "Viktor", "Wanda", "Wim", "Xenia", "Yusuf", "Zelda", "Zoran",
)
LAST_NAMES = (
    "Abernathy", "Alvarsson", "Bakker", "Barlow", "Castellan", "Corrigan", "Dahlgren", "Devereux", "Eklund",
    "Escobedo", "Fairweather", "Falk", "Galloway", "Grunwald", "Haldane", "Hoekstra", "Ibarra", "Iversen",
    "Jablonski", "Jarvis", "Kestrel", "Kowal", "Lindqvist", "Lockhart", "Mahler", "Moreau", "Nakata", "Norgaard",
    "Oakley", "Okonjo", "Pemberton", "Petrov", "Quintero", "Rasmussen", "Rowntree", "Santoro", "Selwyn", "Tavares",
    "Thackeray", "Ulvaeus", "Underhill", "Vance", "Verhoeven", "Wainwright", "Weiss", "Yardley", "Ysebaert", "Zamora",
    "Zielinski",
)
# fmt: on

MACHINE_NOTES = (
    "",
    "",
    "",
    "Key 14 opens the side door.",
    "Ask at reception for the loading bay.",
    "Stands in the draught; check the door seal.",
    "Second coin tray fitted in autumn.",
    "Do not move: power comes from the floor box.",
    "Neighbour complains about the fan at night.",
    "Upper shelf is for the sports club alone.",
    "Needs the long ladder for the sign.",
    "Replaced the glass after the storm.",
    "Crew parks behind the bins.",
)

TICKETS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "payment": (
        ("Card reader declines every second card", "Customers say the reader beeps twice and shows a red bar. {extra}"),
        ("Coins fall through", "One and two euro coins come straight out again. {extra}"),
        ("Charged twice for one bottle", "A customer shows two bookings of {amount} euros on the same minute. {extra}"),
        ("No change given", "The change box seems empty although it was filled on {weekday}. {extra}"),
        ("Contactless slow", "It takes about {seconds} seconds until a payment goes through. {extra}"),
    ),
    "cooling": (
        ("Drinks are warm", "The display says {degrees} degrees, the bottles feel warmer. {extra}"),
        ("Compressor runs all night", "The caretaker hears it through the wall. {extra}"),
        ("Ice on the back wall", "A plate of ice, two fingers thick, behind the third shelf. {extra}"),
        ("Condensation drips on the floor", "There is a puddle every morning, someone nearly slipped. {extra}"),
    ),
    "jam": (
        ("Spiral {slot} stuck", "The spiral turns half way and stops. {extra}"),
        ("Lift does not come down", "It stays at the top and hums. {extra}"),
        ("Two bags fell at once", "Slot {slot} gives two for one since {weekday}. {extra}"),
        ("Flap will not open", "The flap is bent at the left corner. {extra}"),
    ),
    "display": (
        ("Screen stays black", "Selling still works, but nobody sees the prices. {extra}"),
        ("Wrong price in slot {slot}", "The label says {amount} euros, the screen asks for more. {extra}"),
        ("Screen shows another language", "It changed to a language that nobody here reads. {extra}"),
        ("Touch is off by a finger", "You have to press below the button that you want. {extra}"),
    ),
    "network": (
        ("Drops off the network at night", "Last sign of life was at {hour}:40. {extra}"),
        ("Weak signal", "One bar, sometimes none, since the new wall went up. {extra}"),
        ("No telemetry since {weekday}", "It sells, but no numbers arrive. {extra}"),
    ),
    "stock": (
        ("Empty since {weekday}", "Only mints are left. {extra}"),
        ("Please bring more oat bars", "They sell out by noon. {extra}"),
        ("Expired sandwiches", "Two packs in slot {slot} are past their date. {extra}"),
        ("Wrong mix delivered", "We got {seconds} trays of cola and no water. {extra}"),
    ),
    "damage": (
        ("Glass cracked", "A crack from the lower left corner, about {degrees} centimetres. {extra}"),
        ("Graffiti on the side panel", "Green paint, still fresh. {extra}"),
        ("Lock forced", "The lock turns freely, money seems to be there. {extra}"),
        ("Foot bent", "It stands crooked since the floor was polished. {extra}"),
    ),
}
"""Category: subjects and bodies."""

EXTRAS = (
    "Please call before you come.",
    "It happened before, in the summer.",
    "The caretaker has a key.",
    "We put a note on it.",
    "Nobody is here on Fridays.",
    "The queue at noon is long, so mornings are better.",
    "Photos were sent by post.",
    "Thanks for the quick help last time.",
    "A reset did not help.",
    "It is the one beside the stairs.",
)

COMMENTS = (
    "Rang the reporter, no answer yet.",
    "Spare part is on the van.",
    "Looked at it, needs a second pair of hands.",
    "Could not reproduce it this morning.",
    "Waiting for the delivery from the maker.",
    "Cleaned the contacts, watching it for two days.",
    "Same fault as at the other entrance.",
    "Asked the location for a time slot.",
    "Remote restart done, seems fine.",
    "Please do not close before Thursday.",
    "Parts list is with Planning.",
    "Checked the log: three restarts in one night.",
)

JOB_NOTES = (
    "",
    "",
    "Take the small van.",
    "Gate code is on the key card.",
    "Two people needed.",
    "Only before the doors open.",
    "Bring the long hose.",
    "Report to the front desk first.",
    "Count twice, sign once.",
)

REPORTERS = (
    "Front desk",
    "Caretaker",
    "Night guard",
    "Canteen",
    "Passer-by",
    "School office",
    "Shift lead",
    "Telemetry",
)
