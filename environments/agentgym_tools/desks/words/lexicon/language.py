"""The language of a desk: its phrases and its closed vocabulary, compiled once for each world that tasks name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from agentgym_tools.desks.domain import Domain
from agentgym_tools.desks.words.customer_wording import name_of
from agentgym_tools.desks.words.lexicon.phrases import Phrases, content_of
from agentgym_tools.desks.words.lexicon.rows import Rows, plurals
from agentgym_tools.desks.words.lexicon.sentences import Sentence
from agentgym_tools.desks.words.lexicon.values import Shape, Vocabulary, form_of, is_code, shape_of
from agentgym_tools.worlds.toolbox import WorldTool

MAX_TEXTS = 6000
"""Most different values of a column that are words to be spotted."""
_LISTED = re.compile(r"(?:one of:?|:) ([^.;]+)\.?", re.IGNORECASE)
_WHOLE = re.compile(r"([\w ]+(?:, [\w ]+)* or [\w ]+)\.")
"""A description that is nothing but a list of values."""
_REFERRED = re.compile(r"\b(\w+_id)\b")
_WORDS = re.compile(r"_+")


def spoken(name: str) -> str:
    """A name as words, such as "order number" for `order_id`."""
    said = _WORDS.sub(" ", name)
    said = re.sub(r"\bids\b", "numbers", re.sub(r"\bid\b", "number", said))
    return re.sub(r" (?:cents|on)$", "", said)


class Language:
    """What can be said at a desk.

    Args:
        domain: The desk.
        size: The size of the world whose rows give the vocabulary.

    Attributes:
        domain: As given.
        facts: Phrases of the facts that the customer is asked for.
        all_facts: Phrases of all facts, as a customer says them.
        told: Phrases of the facts that the desk tells.
        reasons: Phrases of reasons.
        actions: Phrases of the tools that write.
        user_actions: Phrases of the customer's own tools.
        kinds: Phrases of kinds of goals.
        parameters: For each tool that writes, and each of the customer's own, the shapes of its parameters by name.
        fact_shapes: The shapes of facts by name.
        customer_forms: The forms of the customers' keys.
        vocabulary: What is spotted as values.
        rows: The rows of the world by what they are called.
    """

    def __init__(self, domain: Domain, size: str) -> None:
        self.domain = domain
        self._columns = _columns(domain, size)
        self.rows = Rows(domain.sizes[size], domain.customers_table)
        more = domain.synonyms
        told = domain.told or tuple(domain.facts)
        volunteered = {name for kind in domain.kinds.values() for name in kind.volunteered}
        asked = [name for name in domain.facts if name in volunteered or name not in domain.told]
        self.facts = Phrases({name: [spoken(name), domain.facts[name], *more.get(name, ())] for name in asked})
        self.all_facts = Phrases(
            {name: [spoken(name), name_of(domain, name), *more.get(name, ())] for name in domain.facts}
        )
        self.told = Phrases(
            {name: [spoken(name), domain.facts[name], *more.get(name, ())] for name in told if name in domain.facts}
        )
        self.reasons = Phrases(
            {name: [spoken(name), text, *more.get(name, ())] for name, text in domain.reasons.items()}
        )
        writing = {name: domain.toolbox.tools[name] for name in domain.writing}
        self.actions = Phrases({name: _said(name, tool, more) for name, tool in writing.items()})
        self.user_actions = Phrases({name: _said(name, tool, more) for name, tool in domain.user_tools.items()})
        self.kinds = Phrases(
            {name: [spoken(name), kind.phrase, *more.get(name, ())] for name, kind in domain.kinds.items()}
        )
        self.parameters = {
            name: {key: self._shape(key, schema) for key, schema in _properties(tool).items()}
            for name, tool in {**writing, **domain.user_tools}.items()
        }
        given = {key: shape for shapes in self.parameters.values() for key, shape in shapes.items()}
        self.fact_shapes = {name: self._fact_shape(name, given) for name in domain.facts}
        self.customer_forms = self._shape(f"{domain.customers_table}.id", {"type": "string"}).forms
        self.form_words = self._form_words()
        enums = [text for name in given for text in given[name].words]
        columns = [text for texts in self._columns.values() for text in texts if not is_code(text)]
        self.vocabulary = Vocabulary([*columns, *self._listed(writing.values()), *enums])

    def value(self, tool: str, parameter: str, text: str) -> Any:
        """A spotted text as the value that a parameter takes."""
        schema = self._schema(tool, parameter)
        for known in schema.get("enum", ()):
            if str(known).casefold() == text.casefold():
                return known
        return int(text) if schema.get("type") == "integer" and text.lstrip("-").isdecimal() else text

    @cache  # noqa: B019 - a language lives as long as the program
    def table_of(self, tool: str, parameter: str) -> str | None:
        """The table whose keys a parameter takes; None if it takes none, or if that is not clear."""
        shape = self.parameters[tool][parameter]
        stems = [re.sub(r"^new_|_ids?$", "", parameter), parameter.rsplit("_", 1)[-1]]
        stems += [name.removesuffix("_id") for name in _REFERRED.findall(self.described(tool, parameter))]
        for table in self.rows.tables_called(stems):
            if {form_of(key) for key in self._columns.get(f"{table}.id", ())} & shape.forms:
                return table
        return None

    def _form_words(self) -> dict[str, frozenset[str]]:
        """What a code of a form is, such as an order, where only one parameter has codes of this form."""
        found: dict[str, set[frozenset[str]]] = {}
        for shapes in self.parameters.values():
            for name, shape in shapes.items():
                for form in shape.forms if name.endswith(("_id", "_ids")) and not name.startswith("new_") else ():
                    found.setdefault(form, set()).add(content_of(spoken(name)) - {"number"})
        return {form: next(iter(words)) for form, words in found.items() if len(words) == 1}

    def words(self, sentence: Sentence) -> list[str]:
        """The plain words of a sentence; a code also counts as the word for what it is the code of."""
        found: list[str] = []
        for token in sentence.tokens:
            if token.plain != "#":
                found.append(token.plain)
                continue
            found.append(token.text.casefold())
            found += self.form_words.get(form_of(token.text), ())
        return found

    def described(self, tool: str, parameter: str) -> str:
        """What a tool says of a parameter."""
        return str(self._schema(tool, parameter).get("description", ""))

    @cache  # noqa: B019 - a language lives as long as the program
    def lists(self, tool: str) -> frozenset[str]:
        """The parameters of a tool that take several values."""
        return frozenset(name for name in self.parameters[tool] if self._schema(tool, name)["type"] == "array")

    def _schema(self, tool: str, parameter: str) -> Mapping[str, Any]:
        tools = self.domain.toolbox.tools if tool in self.domain.toolbox.tools else self.domain.user_tools
        schema: Mapping[str, Any] = _properties(tools[tool])[parameter]
        return schema

    def _listed(self, tools: Iterable[WorldTool]) -> list[str]:
        return [text for tool in tools for schema in _properties(tool).values() for text in _values_of(schema)]

    def _fact_shape(self, name: str, given: Mapping[str, Shape]) -> Shape:
        phrase = self.domain.facts[name]
        if name in given:
            return given[name]
        is_count = phrase.startswith("how many") or " MB" in phrase or name.startswith("num_")
        is_count = is_count or name in ("miles",)
        if name.endswith("_cents"):
            return Shape(is_money=True)
        if is_count and not name.endswith("_id") and not self._texts(name):
            return Shape(is_number=True, units=frozenset(name.split("_")))
        if name.endswith("_on") or "date" in name or "depart" in name or name.startswith("born"):
            return Shape(is_date=True)
        named = [self._columns.get(f"{name}s.{column}", ()) for column in ("name", "kind")]
        return shape_of(name, [*self._texts(name), *(text for texts in named for text in texts)], {"type": "string"})

    def _shape(self, name: str, schema: Mapping[str, Any]) -> Shape:
        if "enum" in schema:
            return Shape(frozenset(str(each).casefold() for each in schema["enum"]))
        texts = _values_of(schema) or self._texts(name, str(schema.get("description", "")))
        return shape_of(name, texts, schema)

    def _texts(self, name: str, description: str = "") -> list[str]:
        """Known values of what a name stands for, from the columns of the world."""
        names = dict.fromkeys(
            (name, name.removeprefix("new_"), name.removesuffix("s"), *_REFERRED.findall(description))
        )
        return next(filter(None, map(self._columns_of, names)), self._last(name))

    def _columns_of(self, name: str) -> list[str]:
        if name in self._columns:
            return list(self._columns[name])
        exact = [text for key, texts in self._columns.items() if key.split(".")[1] == name for text in texts]
        if exact:
            return exact
        if name.endswith("_name"):
            return list(self._columns.get(f"{name.removesuffix('_name')}s.name", ()))
        stem = name.removesuffix("_id").removesuffix("_code").removesuffix("_number")
        if stem != name and not name.endswith("_id") and (again := self._columns_of(stem)):
            return again
        keys = [f"{table}.{column}" for table in plurals(stem) for column in ("id", "name", "kind")]
        if name.endswith("_id"):
            keys = [f"{table}.id" for table in self._tables() if table.startswith(stem) or table.endswith(f"{stem}s")]
        return next((list(self._columns[key]) for key in keys if self._columns.get(key)), [])

    def _last(self, name: str) -> list[str]:
        owner, _, last = name.rpartition("_")
        if own := next(filter(None, (self._columns.get(f"{table}.{last}") for table in plurals(owner))), None):
            return list(own)
        if last in (name, "id", "name"):
            return []
        if name != f"new_{last}" and (keys := self._columns.get(f"{last}s.id")):
            return list(keys)
        return [text for key, texts in self._columns.items() if key.split(".")[1] == last for text in texts]

    def _tables(self) -> list[str]:
        return list(dict.fromkeys(key.split(".")[0] for key in self._columns))


@cache
def language_of(domain: Domain, size: str) -> Language:
    """The language of a desk in a world of a size."""
    return Language(domain, size)


def _columns(domain: Domain, size: str) -> dict[str, tuple[str, ...]]:
    """The different texts of every column of a world, by "table.column"; of keys that are numbers, some."""
    domain.world(size).close()
    base = domain.sizes[size]
    db = base.connect()
    try:
        found: dict[str, tuple[str, ...]] = {}
        for table in base.tables:
            for column in table.columns:
                sql = f"SELECT DISTINCT {column} FROM {table.name} WHERE {column} <> '' LIMIT {MAX_TEXTS}"  # noqa: S608 - names of the schema
                texts = tuple(row[0] for row in db.execute(sql))
                if all(isinstance(text, str) for text in texts) or column == "id":
                    found[f"{table.name}.{column}"] = tuple(map(str, texts))
        return found
    finally:
        db.close()


def _properties(tool: WorldTool) -> Mapping[str, Any]:
    found: Mapping[str, Any] = tool["function"]["parameters"]["properties"]
    return found


def _values_of(schema: Mapping[str, Any]) -> list[str]:
    """The values that a parameter's description lists."""
    described = str(schema.get("description", ""))
    listed = _LISTED.search(described) or _WHOLE.fullmatch(described)
    if listed is None or schema.get("type") == "integer":
        return []
    parts = [part.strip() for part in re.split(r",| or ", listed[1]) if part.strip()]
    return parts if len(parts) > 1 else []


def _said(name: str, tool: WorldTool, more: Mapping[str, Iterable[str]]) -> list[str]:
    described = re.split(r"[;:,.]", tool["function"]["description"])[0]
    return [spoken(name), described, *more.get(name, ())]
