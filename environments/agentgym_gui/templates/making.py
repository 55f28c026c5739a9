"""Files of the desktop's applications, written by hand: the same arguments give the same bytes.

Workbooks, account books, notebooks and archives were read back by their applications. What applications write
themselves is read by `verify`.
"""

from __future__ import annotations

import binascii
import gzip
import io
import sqlite3
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from contextlib import closing
from xml.sax.saxutils import escape, quoteattr

Cell = str | float
_EPOCH = (1980, 1, 1, 0, 0, 0)
_WRITER = 96
"""Where a database says which SQLite wrote it, in four bytes."""


def text(content: str) -> bytes:
    """A text file."""
    return content.encode()


def csv_file(rows: Sequence[Sequence[Cell]]) -> bytes:
    """Comma-separated rows; none of the values may hold a comma or a quote."""
    return text("".join(",".join(map(shown, row)) + "\n" for row in rows))


def shown(value: Cell) -> str:
    """A value as a spreadsheet shows it: whole numbers without a point."""
    return value if isinstance(value, str) else f"{value:.10g}"


def gnumeric_file(sheets: Mapping[str, Sequence[Sequence[Cell]]]) -> bytes:
    """A workbook of Gnumeric; a text that begins with an equals sign is a formula, and an empty text is no cell."""
    namespace = 'xmlns:gnm="http://www.gnumeric.org/v10.dtd"'
    names = "".join(f'<gnm:SheetName gnm:Cols="256" gnm:Rows="65536">{escape(each)}</gnm:SheetName>' for each in sheets)
    bodies = "".join(_gnumeric_sheet(name, rows) for name, rows in sheets.items())
    whole = f'<?xml version="1.0" encoding="UTF-8"?>\n<gnm:Workbook {namespace}><gnm:SheetNameIndex>{names}'
    whole += f"</gnm:SheetNameIndex><gnm:Sheets>{bodies}</gnm:Sheets></gnm:Workbook>\n"
    return gzip.compress(whole.encode(), mtime=0)


def _gnumeric_sheet(name: str, rows: Sequence[Sequence[Cell]]) -> str:
    cells = ""
    for row, values in enumerate(rows):
        for column, value in enumerate(values):
            kind = ' ValueType="60"' if isinstance(value, str) else ' ValueType="40"'
            kind = "" if isinstance(value, str) and value.startswith("=") else kind
            if value != "":
                cells += f'<gnm:Cell Row="{row}" Col="{column}"{kind}>{escape(shown(value))}</gnm:Cell>'
    size = f"<gnm:MaxCol>{max(map(len, rows)) - 1}</gnm:MaxCol><gnm:MaxRow>{len(rows) - 1}</gnm:MaxRow>"
    return f"<gnm:Sheet><gnm:Name>{escape(name)}</gnm:Name>{size}<gnm:Cells>{cells}</gnm:Cells></gnm:Sheet>"


def zip_file(members: Mapping[str, bytes]) -> bytes:
    """A zip archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), content, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def mail(sender: str, subject: str, body: str, *, number: int = 1, to: str = "Alex Reed <alex@example.org>") -> bytes:
    """A plain mail, as an MH folder keeps it; the number gives it a minute and an identity of its own."""
    lines = [
        f"From: {sender}",
        f"To: {to}",
        f"Subject: {subject}",
        f"Date: Mon, 02 Nov 2026 {8 + number // 60:02}:{number % 60:02}:00 +0000",
        f"Message-ID: <{number}.{zlib.crc32(subject.encode()):08x}@example.org>",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=UTF-8",
        "Content-Transfer-Encoding: 8bit",
    ]
    return text("\n".join(lines) + "\n\n" + body.rstrip("\n") + "\n")


def zim_page(title: str, body: str) -> bytes:
    """A page of Zim, as Zim writes it itself."""
    head = "Content-Type: text/x-zim-wiki\nWiki-Format: zim 0.6\nCreation-Date: 2026-11-02T09:00:00+00:00\n\n"
    return text(f"{head}====== {title} ======\n\n{body.rstrip(chr(10))}\n")


def zim_notebook(folder: str, pages: Mapping[str, str]) -> dict[str, bytes]:
    """A notebook of Zim with pages by name, such as "Projects:Garden"."""
    head = "[Notebook]\nversion=0.4\nname=Notes\ninterwiki=\nhome=Home\nicon=\n"
    files = {f"{folder}/notebook.zim": text(head)}
    for name, body in pages.items():
        path = name.replace(":", "/").replace(" ", "_")
        files[f"{folder}/{path}.txt"] = zim_page(name.rpartition(":")[2], body)
    return files


def ledger_file(
    accounts: Mapping[str, float],
    payees: Sequence[str] = (),
    categories: Sequence[str] = (),
    transactions: Sequence[tuple[int, float, str, str, str, str]] = (),
) -> bytes:
    """An account book of HomeBank in euros.

    Args:
        accounts: The initial balance by name; the first is a bank account.
        payees: Names of payees.
        categories: Names of categories.
        transactions: Day (see `ledgers.day_number`), amount, account, payee, category and memo of each.
    """
    numbers = [{name: key for key, name in enumerate(names, 1)} for names in (accounts, payees, categories)]
    lines = ['<?xml version="1.0"?>', '<homebank v="1.4" d="050602">']
    lines.append('<properties title="Household" curr="1" auto_smode="1" auto_weekday="1"/>')
    lines.append(
        '<cur key="1" flags="0" iso="EUR" name="Euro" symb="€" syprf="0" dchar="." gchar="" frac="2" rate="0"/>'
    )
    for name, key in numbers[0].items():
        kind = 1 if key == 1 else 2
        head = f'<account key="{key}" pos="{key}" type="{kind}" curr="1" name={quoteattr(name)}'
        lines.append(f'{head} initial="{accounts[name]:g}" minimum="0" maximum="0"/>')
    lines += [f'<pay key="{key}" name={quoteattr(name)}/>' for name, key in numbers[1].items()]
    lines += [f'<cat key="{key}" name={quoteattr(name)}/>' for name, key in numbers[2].items()]
    for day, amount, account, payee, category, memo in transactions:
        places = [("account", numbers[0].get(account)), ("payee", numbers[1].get(payee))]
        places.append(("category", numbers[2].get(category)))
        keys = "".join(f' {name}="{key}"' for name, key in places if key)
        wording = f" wording={quoteattr(memo)}" if memo else ""
        lines.append(f'<ope date="{day}" amount="{amount:g}"{keys}{wording}/>')
    return text("\n".join([*lines, "</homebank>"]) + "\n")


def calendar_file(items: Sequence[Mapping[str, str]]) -> bytes:
    """A calendar with events, each by its properties in upper case."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Xfce//Orage//EN"]
    for number, item in enumerate(items):
        lines += ["BEGIN:VEVENT", f"UID:event-{number}@example.org", "DTSTAMP:20261102T080000Z"]
        lines += [f"{key}:{value}" for key, value in item.items()]
        lines.append("END:VEVENT")
    return text("\r\n".join([*lines, "END:VCALENDAR"]) + "\r\n")


def png_file(width: int, height: int, colour: tuple[int, int, int]) -> bytes:
    """A picture of one colour."""
    row = b"\0" + bytes(colour) * width
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(row * height, 9)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", binascii.crc32(kind + body))
        for kind, body in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def pdf_file(pages: Sequence[Sequence[str]]) -> bytes:
    """A document with lines of plain text on each page."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = ["<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>"]
    objects.append("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
    for number, lines in enumerate(pages):
        drawn = "".join(f"({_pdf_text(line)}) Tj T* " for line in lines)
        stream = f"BT /F1 14 Tf 20 TL 60 760 Td {drawn}ET"
        box = "/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>"
        objects.append(f"<</Type/Page/Parent 2 0 R{box}/Contents {5 + 2 * number} 0 R>>")
        objects.append(f"<</Length {len(stream)}>>stream\n{stream}\nendstream")
    whole, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(whole))
        whole += text(f"{number} 0 obj\n{body}\nendobj\n")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer<</Size {len(objects) + 1}/Root 1 0 R>>\n"
    return whole + text(f"{end}startxref\n{len(whole)}\n%%EOF\n")


def _pdf_text(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def journal_file(pages: Sequence[tuple[str, str]]) -> bytes:
    """A journal of Xournal++, by the style of the paper and one line of text for each page."""
    whole = '<?xml version="1.0" standalone="no"?>\n<xournal creator="xournalpp 1.1.3" fileversion="4">\n'
    for style, line in pages:
        place = '<text font="Sans" size="14" x="80" y="100" color="#000000ff" ts="0" fn="">'
        whole += '<page width="595.27559055" height="841.88976378">\n<background type="solid" color="#ffffffff" '
        whole += f'style="{style}"/>\n<layer>\n{place}{escape(line)}</text>\n</layer>\n</page>\n'
    return gzip.compress(text(f"{whole}</xournal>\n"), mtime=0)


def database_file(tables: Mapping[str, tuple[Sequence[str], Sequence[Sequence[Cell]]]]) -> bytes:
    """A database of SQLite.

    Args:
        tables: The columns, as "name TYPE", and the rows of each table by its name.
    """
    with closing(sqlite3.connect(":memory:")) as connection:
        for name, (columns, rows) in tables.items():
            connection.execute(f'CREATE TABLE "{name}" ({", ".join(columns)})')
            connection.executemany(f'INSERT INTO "{name}" VALUES ({", ".join("?" * len(columns))})', rows)  # noqa: S608 - ours
        connection.commit()
        content = connection.serialize()
    return content[:_WRITER] + bytes(4) + content[_WRITER + 4 :]
