"""Trains a model of a menu on the task's data: cross-validates it, and predicts.

`warm` imports it once, and calls `train` in forks of itself.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
from sklearn.compose import ColumnTransformer  # type: ignore[import-untyped]
from sklearn.dummy import DummyClassifier, DummyRegressor  # type: ignore[import-untyped]
from sklearn.ensemble import (  # type: ignore[import-untyped]
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression, Ridge  # type: ignore[import-untyped]
from sklearn.model_selection import cross_val_score  # type: ignore[import-untyped]
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor  # type: ignore[import-untyped]
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler  # type: ignore[import-untyped]

SCORING = {"binary": "roc_auc", "classes": "accuracy", "regression": "r2"}


def _estimator(name: str, is_number: bool) -> list[Any]:
    """What follows the columns' own preparation."""
    if name == "dummy":
        return [DummyRegressor() if is_number else DummyClassifier()]
    if name == "neighbours":
        return [KNeighborsRegressor(15) if is_number else KNeighborsClassifier(15)]
    if name == "forest":
        kinds = RandomForestRegressor if is_number else RandomForestClassifier
        return [kinds(200, min_samples_leaf=3, random_state=0)]
    if name == "boosting":
        kinds = HistGradientBoostingRegressor if is_number else HistGradientBoostingClassifier
        return [kinds(max_iter=120, learning_rate=0.08, random_state=0)]
    linear = Ridge(10.0) if is_number else LogisticRegression(C=0.1, max_iter=2000)
    if name == "interactions":
        return [PolynomialFeatures(2, include_bias=False), StandardScaler(), Ridge(100.0) if is_number else linear]
    return [linear]


def train(files: Mapping[str, str], choice: Mapping[str, Any]) -> tuple[str, str]:
    """Train, cross-validate, predict.

    Args:
        files: The texts of train.csv, test.csv and about.json.
        choice: `model`, `mend_units` and `keep_late`.

    Returns:
        The metric, and the text of predictions.csv.
    """
    about = json.loads(files["about.json"])
    train, test = (pd.read_csv(io.StringIO(files[name])) for name in ("train.csv", "test.csv"))
    target = train.pop(about["target"])
    ids = test["id"]
    for name, (unit_column, _, other, factor) in about["units"].items():
        for table in (train, test):
            if choice["mend_units"]:
                table[name] = table[name].where(table[unit_column] != other, table[name] / factor)
            del table[unit_column]
    dropped = ["id", *([] if choice["keep_late"] else _late(about["columns"]))]
    train, test = train.drop(columns=dropped), test.drop(columns=dropped)
    texts = [name for name in train if not pd.api.types.is_numeric_dtype(train[name])]
    numbers = [name for name in train if name not in texts]
    prepare = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()), numbers),
            ("texts", OneHotEncoder(handle_unknown="ignore"), texts),
        ],
        sparse_threshold=0,
    )
    model = make_pipeline(prepare, *_estimator(choice["model"], about["kind"] == "regression"))
    seen = cross_val_score(model, train, target, cv=3, scoring=SCORING[about["kind"]]).mean()
    model.fit(train, target)
    values = model.predict_proba(test)[:, 1] if about["kind"] == "binary" else model.predict(test)
    return f"{seen:.2f}", pd.DataFrame({"id": ids, "prediction": values}).to_csv(index=False)


def _late(columns: dict[str, str]) -> list[str]:
    return [name for name, text in columns.items() if "Known later" in text]
