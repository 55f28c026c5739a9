"""Results of MCP tools as an agent reads them: text, structured content as JSON, pictures where they are wanted.

They come from a server, which is untrusted: they are shortened and lose what does not print.
"""

from __future__ import annotations

import json
from typing import Any

from agentgym.authoring.long_outputs import without_surrogates
from agentgym.message import Message

MAX_SHOWN = 8_000
"""Most characters of a result that an agent sees."""
MAX_PICTURES, MAX_PICTURE_CHARS = 4, 4 << 20
PICTURES = {"image/png", "image/jpeg"}
NOTHING = "(no result)"


def shown_result(result: Any, shows_pictures: bool) -> Message:
    """A result as a message, whose role and call are filled in later.

    Args:
        result: What the client of the package `mcp` returns.
        shows_pictures: Whether pictures are passed on; else they are named.
    """
    texts: list[str] = []
    pictures: list[Message] = []
    for part in result.content:
        if part.type == "image" and shows_pictures and _is_fine(part) and len(pictures) < MAX_PICTURES:
            pictures.append({"type": "image_url", "image_url": {"url": f"data:{part.mimeType};base64,{part.data}"}})
        else:
            texts.append(_text(part, shows_pictures))
    if not texts and not pictures and result.structuredContent is not None:
        texts.append(json.dumps(result.structuredContent, ensure_ascii=False))
    text = shortened("\n".join(texts))
    if result.isError and not text.startswith("Error"):
        text = f"Error: {text}"
    if not pictures:
        return {"role": "user", "content": text or NOTHING}
    return {"role": "user", "content": [*([{"type": "text", "text": text}] if text else []), *pictures]}


def shortened(text: str) -> str:
    """A text without what UTF-8 cannot hold, cut with a remark where it is long."""
    text = without_surrogates(text).replace("\0", "\\0")
    if len(text) <= MAX_SHOWN:
        return text
    return f"{text[:MAX_SHOWN]}\n(cut after {MAX_SHOWN:,} of {len(text):,} characters; ask for less)"


def _text(part: Any, shows_pictures: bool) -> str:
    resource = getattr(part, "resource", None)
    text = getattr(part, "text", None) or getattr(resource, "text", None)
    if isinstance(text, str):
        return text
    if part.type == "image":
        why = "it is too large or of another kind" if shows_pictures else "pictures are not shown here"
        return f"(a picture, {str(part.mimeType)[:40]}: {why})"
    uri = getattr(part, "uri", None) or getattr(resource, "uri", None)
    return f"({part.type}{f' {str(uri)[:200]}' if uri else ''}: it has no text)"


def _is_fine(part: Any) -> bool:
    return part.mimeType in PICTURES and len(part.data) <= MAX_PICTURE_CHARS
