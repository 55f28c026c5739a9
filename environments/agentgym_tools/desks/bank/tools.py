"""All tools of the bank: those of before, and those that find documents."""

from __future__ import annotations

from typing import Any

from agentgym_tools.desks.bank.library import Procedures, found_by, library_of
from agentgym_tools.desks.bank.ranking import MAX_QUERY_CHARACTERS
from agentgym_tools.desks.setting.days import date_of
from agentgym_tools.worlds.toolbox import ToolFailure, reads


class BankTools(Procedures):
    """Read documents and everything else; make changes, most of them by procedures."""

    @reads
    def search_documents(self, query: str) -> Any:
        """Find documents by words; shows the best ten, without what they say.

        Args:
            query: Words of what it is about.
        """
        if not query.strip():
            raise ToolFailure("query is empty; give words of what it is about.")
        if len(query) > MAX_QUERY_CHARACTERS:
            raise ToolFailure(f"query has {len(query)} characters; at most {MAX_QUERY_CHARACTERS} are searched for.")
        library, found = library_of(self.world.rules), found_by(query)
        if not found:
            raise ToolFailure("No document has any of these words.")
        for each in found:
            self.show("found", each.key)
        return [
            {"document_id": library.number_of(each.key), "title": each.title, "from": date_of(each.day)}
            for each in found
        ]

    @reads
    def open_document(self, document_id: str) -> Any:
        """Read a document.

        Args:
            document_id: Its number, such as D4711.
        """
        library = library_of(self.world.rules)
        document = library.find(document_id.strip().upper())
        if document is None:
            raise ToolFailure(f"There is no document {document_id[:40]!r}; search_documents shows numbers.")
        self.show("documents", document.key)
        for key in document.references:
            self.show("found", key)
        return {
            "document_id": library.number_of(document.key),
            "title": document.title,
            "from": date_of(document.day),
            "text": library.text_of(document),
        }
