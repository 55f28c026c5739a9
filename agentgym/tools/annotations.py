"""Annotations as JSON schemas, and JSON values as what the annotations say.

Values are checked against the schema before they are converted; that is the work of `agentgym.arguments`.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from agentgym.errors import ContractError
from agentgym.tools.docstring import read_docstring

_SCALARS: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_NAMES = {**_SCALARS, NoneType: "null"}
_SUPPORTED = (
    "str, int, float, bool, Literal, Enum, list, dict with text keys, TypedDict, dataclasses, Any, and each of them "
    "or None"
)

Convert = Callable[[Any], Any]
"""Makes of a JSON value that fits the schema what the annotation says."""


class Form(NamedTuple):
    """How values of an annotation look.

    Attributes:
        schema: Their JSON schema.
        convert: Makes them of JSON values.
    """

    schema: dict[str, Any]
    convert: Convert


def form_of(annotation: Any, where: str, inside: tuple[Any, ...] = ()) -> Form:
    """The form of an annotation.

    Args:
        annotation: With its names resolved.
        where: Names it in errors.
        inside: The classes that it stands in.

    Raises:
        ContractError: There is no JSON schema for it here.
    """
    origin, parts = get_origin(annotation), get_args(annotation)
    if annotation is Any:
        return Form({}, _same)
    if isinstance(annotation, type) and annotation in _SCALARS:
        return Form({"type": _SCALARS[annotation]}, annotation if annotation in (int, float) else _same)
    if origin is Literal:
        return Form(_choice(parts, where), _same)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return Form(_choice([member.value for member in annotation], where), annotation)
    if origin in (Union, UnionType):
        return _union(parts, where, inside)
    if list in (annotation, origin) or origin is Sequence:
        return _list(parts, where, inside)
    if dict in (annotation, origin) or origin is Mapping:
        return _dict(parts, where, inside)
    if typing.is_typeddict(annotation) or (isinstance(annotation, type) and dataclasses.is_dataclass(annotation)):
        return _record(annotation, where, inside)
    raise ContractError(f"{where} is annotated {annotation!r}, for which there is no schema; use {_SUPPORTED}")


def resolve(annotations: Mapping[str, Any], scope: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Annotations with the names in them resolved.

    Raises:
        ContractError: A name is not known where the tool is defined.
    """

    class Holder:
        """Carries annotations for `get_type_hints`."""

    Holder.__annotations__ = dict(annotations)
    try:
        return typing.get_type_hints(Holder, dict(scope))
    except NameError as error:
        raise ContractError(
            f"{where} has an annotation that cannot be resolved: {error}; import or define the type before the tool, "
            "at the level of the module"
        ) from error


def _same(value: Any) -> Any:
    return value


def _choice(options: Sequence[Any], where: str) -> dict[str, Any]:
    kinds = list(dict.fromkeys(type(option) for option in options))
    if not kinds or not set(kinds) <= _NAMES.keys():
        raise ContractError(f"{where} has the options {list(options)!r}; expected text, numbers, booleans or None")
    names = [_NAMES[kind] for kind in kinds]
    return {"type": names[0] if len(names) == 1 else names, "enum": list(options)}


def _union(parts: Sequence[Any], where: str, inside: tuple[Any, ...]) -> Form:
    others = [part for part in parts if part is not NoneType]
    if len(others) > 1:
        lists = [part for part in others if list in (part, get_origin(part))]
        if len(lists) > 1 or not set(others) - set(lists) <= _SCALARS.keys():
            raise ContractError(
                f"{where} is a union of {others!r}; alternatives are text, numbers, booleans and one kind of list"
            )
        names = [_NAMES[part] for part in parts if part not in lists]
        if not lists:
            return Form({"type": names}, _same)
        schema, convert_list = form_of(lists[0], where, inside)
        schema = {**schema, "type": [*names, "array"]}
        return Form(schema, lambda value: convert_list(value) if isinstance(value, list) else value)
    schema, convert = form_of(others[0], where, inside)
    kinds = schema.get("type")
    if kinds is not None:
        schema = {**schema, "type": [*(kinds if isinstance(kinds, list) else [kinds]), "null"]}
    if "enum" in schema:
        schema["enum"] = [*schema["enum"], None]
    return Form(schema, lambda value: None if value is None else convert(value))


def _list(parts: Sequence[Any], where: str, inside: tuple[Any, ...]) -> Form:
    if not parts:
        return Form({"type": "array"}, _same)
    item, convert = form_of(parts[0], f"an item of {where}", inside)
    return Form({"type": "array", "items": item}, lambda values: [convert(value) for value in values])


def _dict(parts: Sequence[Any], where: str, inside: tuple[Any, ...]) -> Form:
    if not parts:
        return Form({"type": "object"}, _same)
    if parts[0] is not str:
        raise ContractError(f"{where} is a dict with keys of {parts[0]!r}; keys of JSON objects are text")
    item, convert = form_of(parts[1], f"a value of {where}", inside)
    schema = {"type": "object", "additionalProperties": item or True}
    return Form(schema, lambda values: {key: convert(value) for key, value in values.items()})


def _record(kind: type, where: str, inside: tuple[Any, ...]) -> Form:
    """A TypedDict or a dataclass as an object; its docstring may describe the fields."""
    if kind in inside:
        raise ContractError(f"{where} is a {kind.__name__}, which contains itself; tools take finite values only")
    hints = typing.get_type_hints(kind)
    if dataclasses.is_dataclass(kind):
        fields = [field for field in dataclasses.fields(kind) if field.init]
        missing = dataclasses.MISSING
        required = [each.name for each in fields if each.default is missing and each.default_factory is missing]
        names = [each.name for each in fields]
        make: Callable[..., Any] = kind
    else:
        names, make = list(hints), dict
        required = [name for name in names if name in kind.__required_keys__]  # type: ignore[attr-defined]
    forms = {name: form_of(hints[name], f"{kind.__name__}.{name} of {where}", (*inside, kind)) for name in names}
    schema = object_schema(forms, read_docstring(kind.__doc__).arguments, required)
    return Form(schema, lambda values: make(**{name: forms[name].convert(value) for name, value in values.items()}))


def object_schema(forms: Mapping[str, Form], described: Mapping[str, str], required: Sequence[str]) -> dict[str, Any]:
    """The schema of an object with these fields and no others."""
    properties = {
        name: {**form.schema, "description": described[name]} if described.get(name) else form.schema
        for name, form in forms.items()
    }
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
