"""What the tables of Experiment-v0 are about: their columns, units, targets, and the columns that leak.

How rows are drawn is in `drawing`, what makes a table hard in `hardships`, bundled data in `bundled`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["binary", "classes", "regression"]


@dataclass(frozen=True)
class Column:
    """A numeric column.

    Attributes:
        name: Its name.
        mean: Mean of its values.
        spread: Their standard deviation.
        unit: Its unit; "" for none.
        other_unit: Another unit in which some rows may be written; "" for none.
        factor: How many of the other unit one unit is.
    """

    name: str
    mean: float
    spread: float
    unit: str = ""
    other_unit: str = ""
    factor: float = 1.0


@dataclass(frozen=True)
class Theme:
    """What a table is about.

    Attributes:
        text: One sentence on the rows.
        target: The column to be predicted.
        kind: binary (0 or 1), classes (0, 1, …) or regression.
        columns: Numeric columns; the first has another unit.
        group: A column of few texts.
        groups: Its texts.
        leak: A column that is filled in when the target is known, and says it.
        leak_text: What is said of that column.
        centre: Mean of a numeric target.
        scale: Its standard deviation.
        bundled: Which data set of scikit-learn the rows are of; "" for drawn ones.
    """

    text: str
    target: str
    kind: Kind
    columns: tuple[Column, ...]
    group: str
    groups: tuple[str, ...]
    leak: str
    leak_text: str
    centre: float = 0.0
    scale: float = 1.0
    bundled: str = ""


THEMES: Mapping[str, Theme] = {
    "loans": Theme(
        "A row is a loan.", "default", "binary",
        (Column("amount", 9000, 3000, "EUR", "thousand EUR", 0.001), Column("income", 2900, 700, "EUR a month"),
         Column("age", 44, 11, "years"), Column("debts", 2.4, 1.1), Column("months", 42, 14, "months")),
        "purpose", ("car", "house", "study"), "closing_balance", "What was still owed when the loan was closed.",
    ),
    "machines": Theme(
        "A row is a machine after a month of work.", "failure", "binary",
        (Column("temperature", 61, 8, "C", "F x 10", 18.0), Column("vibration", 3.1, 0.9, "mm/s"),
         Column("hours", 410, 90, "h"), Column("pressure", 5.2, 0.7, "bar"), Column("oil_age", 95, 30, "days")),
        "site", ("north", "south", "harbour"), "repair_cost", "Cost of the repair that followed, in EUR.",
    ),
    "houses": Theme(
        "A row is a house that was sold.", "price", "regression",
        (Column("area", 118, 30, "m2", "ft2", 10.764), Column("rooms", 4.6, 1.2), Column("age", 35, 14, "years"),
         Column("distance", 7.5, 2.5, "km"), Column("garden", 260, 90, "m2")),
        "district", ("east", "west", "centre"), "tax_paid", "Tax on the sale, paid after it, in EUR.", 310_000, 70_000,
    ),
    "crops": Theme(
        "A row is a field after the harvest.", "yield", "regression",
        (Column("rain", 540, 110, "mm", "inch", 0.03937), Column("sun", 1500, 210, "h"),
         Column("nitrogen", 120, 30, "kg/ha"), Column("acidity", 6.4, 0.5, "pH"), Column("slope", 6, 2, "degrees")),
        "soil", ("clay", "loam", "sand"), "storage_bill", "Bill of the store that took the harvest, in EUR.", 6.8, 1.2,
    ),
    "visits": Theme(
        "A row is a stay in a hospital.", "returns", "binary",
        (Column("weight", 76, 13, "kg", "lb", 2.2046), Column("age", 61, 13, "years"), Column("stay", 6.2, 1.9, "days"),
         Column("drugs", 5.1, 1.7), Column("pulse", 78, 9, "a minute")),
        "ward", ("inner", "surgery", "heart"), "next_letter", "Days until a letter on a further stay was written.",
    ),
    "trips": Theme(
        "A row is a trip of a taxi.", "minutes", "regression",
        (Column("distance", 6.4, 2.1, "km", "m", 1000.0), Column("stops", 8, 2.4), Column("traffic", 52, 14, "percent"),
         Column("load", 2.2, 0.8), Column("hour", 13, 4, "h")),
        "weather", ("dry", "rain", "snow"), "fare_paid", "Fare that was paid at the end, in EUR.", 19, 5,
    ),
    "bees": Theme(
        "A row is a hive before winter.", "survives", "binary",
        (Column("honey", 14, 3.5, "kg", "lb", 2.2046), Column("mites", 38, 12), Column("brood", 5.4, 1.3, "frames"),
         Column("height", 410, 120, "m"), Column("queen_age", 1.9, 0.6, "years")),
        "forest", ("lime", "pine", "none"), "spring_weight", "Weight of the hive in spring, in kg.",
    ),
    "solar": Theme(
        "A row is a week of a solar roof.", "energy", "regression",
        (Column("area", 31, 8, "m2", "ft2", 10.764), Column("clouds", 46, 16, "percent"),
         Column("tilt", 32, 7, "degrees"), Column("dust", 2.2, 0.8), Column("heat", 19, 6, "C")),
        "maker", ("alpha", "beta", "gamma"), "payment", "What the network paid for the week's energy, in EUR.", 140, 30,
    ),
    "wines": Theme(
        "A row is a wine of one of three growers.", "grower", "classes", (), "bottle", ("slim", "wide", "magnum"),
        "label_code", "Code on the label that the grower printed.", bundled="wine",
    ),
    "cells": Theme(
        "A row is a sample of cells seen under a microscope.", "benign", "binary", (), "lab", ("one", "two", "three"),
        "second_report", "Score of the report that was written when the case was known.", bundled="breast_cancer",
    ),
    "sugar": Theme(
        "A row is a person with diabetes.", "progress", "regression", (), "clinic", ("one", "two", "three"),
        "dose_after", "Dose of the drug in the year after, in units.", bundled="diabetes",
    ),
    "digits": Theme(
        "A row is a written digit, as 64 grey values.", "digit", "classes", (), "pen", ("ink", "lead", "felt"),
        "keyed_in", "What a typist keyed in for the digit, on a scale.", bundled="digits",
    ),
}  # fmt: skip
"""By name. Those with `bundled` take numeric columns from there."""
TRAINED = ("loans", "machines", "houses", "crops", "wines", "sugar")
UNSEEN = ("visits", "trips", "bees", "solar", "cells", "digits")
