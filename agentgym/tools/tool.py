"""`@tool`: a function that a model may call, with the schema that follows from its signature and docstring.

Carrying out the calls of a message is in `agentgym.tools.dispatch`.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Self, overload

from agentgym.arguments import MAX_LEVELS, check_arguments
from agentgym.errors import ActionSyntaxError, ContractError
from agentgym.message import ToolSchema
from agentgym.tools.annotations import Form, form_of, object_schema, resolve
from agentgym.tools.docstring import read_docstring

_SELF = "self"


def tool_schema(name: str, description: str, /, **parameters: str | Mapping[str, Any]) -> ToolSchema:
    """An OpenAI function schema in which every parameter is required.

    Args:
        name: Name of the tool.
        description: What it does, for the model.
        parameters: For each parameter its description (then it is a string) or its JSON schema.
    """
    properties = {
        key: {"type": "string", "description": value} if isinstance(value, str) else dict(value)
        for key, value in parameters.items()
    }
    schema = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


class Tool(dict[str, Any]):
    """A function as a tool: an OpenAI schema that can be called like the function.

    It can be used wherever a schema can, such as in `ToolEnv.tools`. A method taken from an object remembers the
    object; a copy of the object has its own tool. A pickled tool is only its schema.

    Args:
        function: What it does. A first parameter called `self` is the environment or game and not an argument of the
            call.
        name: Name of the tool; None takes the function's.

    Attributes:
        function: What it does.
        owner: The object that the method was taken from; None for a function, and for a method that is not bound yet.
        is_method: Whether the function takes the environment or game as its first argument.

    Raises:
        ContractError: The signature or the docstring lacks something that the model has to know.
    """

    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None:
        self.function = function
        self.owner: object | None = None
        self.is_method = next(iter(inspect.signature(function).parameters), None) == _SELF
        self._forms, required = _parameters(function)
        said = read_docstring(function.__doc__)
        _require_documented(function, self._forms, said.description, said.arguments)
        schema = object_schema(self._forms, said.arguments, required)
        described = {"name": name or function.__name__, "description": said.description, "parameters": schema}
        super().__init__({"type": "function", "function": described})
        self.__wrapped__, self.__doc__ = function, function.__doc__

    def arguments(self, given: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call as the function takes them: checked and converted to the annotated types.

        Args:
            given: JSON values by parameter name.

        Raises:
            ActionSyntaxError: They do not fit the schema, or a class that they are converted to refuses them.
        """
        check_arguments(given, self, MAX_LEVELS)
        converted = {}
        for name, value in given.items():
            try:
                converted[name] = self._forms[name].convert(value)
            except (ValueError, OverflowError) as error:  # a float has no room for 400 digits
                raise ActionSyntaxError(f"{self['function']['name']}.{name} is refused: {error}") from error
        return converted

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        return self.function(*args, **kwargs) if self.owner is None else self.function(self.owner, *args, **kwargs)

    def __get__(self, owner: object | None, kind: type | None = None) -> Self:
        """The tool of an object, where the function is a method."""
        if owner is None or not self.is_method:
            return self
        bound = type(self).__new__(type(self))
        bound.update(self)
        bound.__dict__.update(self.__dict__, owner=owner)
        return bound

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """The tool of the copy of its owner."""
        return self if self.owner is None else self.__get__(copy.deepcopy(self.owner, memo))

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(*, name: str) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(function: Callable[..., Any] | None = None, /, *, name: str | None = None) -> Any:
    """Decorator: a function or method as a tool, described by its signature and its docstring.

    The description is the docstring's text before its sections; the texts of parameters are under `Args:`. The model
    may leave out a parameter with a default. Annotations may be str, int, float, bool, Literal, Enum, list, dict with
    text keys, TypedDict, dataclasses, unions of scalars, and each of them or None. The function returns a text, or an
    `EnvReply` (in games a `GameReply`).

    Args:
        function: What the tool does. A first parameter called `self` is the environment or game.
        name: Name of the tool; None takes the function's.

    Raises:
        ContractError: A parameter has no annotation, no description or a type without a schema; or it is `*args`,
            `**kwargs` or positional-only.

    Examples:
        >>> from agentgym import tool
        >>> @tool
        ... def search(query: str, limit: int = 5) -> str:
        ...     '''Find entities by a part of their name.
        ...
        ...     Args:
        ...         query: A part of the name.
        ...         limit: Most results.
        ...     '''
        ...     return "Nothing found."
        >>> search["function"]["parameters"]["required"]
        ['query']
    """
    if function is None:
        return lambda decorated: Tool(decorated, name)
    return Tool(function, name)


def _parameters(function: Callable[..., Any]) -> tuple[dict[str, Form], list[str]]:
    """The form of each parameter of a call, and the names of those without a default."""
    where = f"the tool {function.__qualname__}()"
    parameters = dict(inspect.signature(function).parameters)
    parameters.pop(_SELF, None)
    for name, parameter in parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            shown = parameter.replace(annotation=parameter.empty)
            raise ContractError(f"{where} has the parameter {shown}; tools are called by named arguments only")
        if parameter.annotation is parameter.empty:
            raise ContractError(f"{where} has no annotation for {name!r}; write one, such as {name}: str")
    scope = getattr(function, "__globals__", {})
    hints = resolve({name: each.annotation for name, each in parameters.items()}, scope, where)
    forms = {name: form_of(hints[name], f"{name!r} of {where}") for name in parameters}
    return forms, [name for name, each in parameters.items() if each.default is each.empty]


def _require_documented(
    function: Callable[..., Any], forms: Mapping[str, Form], description: str, arguments: Mapping[str, str]
) -> None:
    where = f"the tool {function.__qualname__}()"
    if not description:
        raise ContractError(f"{where} has no docstring; write what it does, for the model to read")
    missing = [name for name in forms if not arguments.get(name)]
    if missing:
        raise ContractError(f"{where} describes no {missing[0]!r}; write a line for it under 'Args:' in its docstring")
    unknown = [name for name in arguments if name not in forms]
    if unknown:
        raise ContractError(f"{where} describes {unknown[0]!r} under 'Args:', but has no such parameter")
