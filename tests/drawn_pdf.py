"""A PDF of text that is drawn piece by piece, as `(x, y, text)` or `(x, y, text, font, size)`.

Fonts: "regular", "bold", "italic", and "scaled", one of a point that the page enlarges. A page may also be
the text of its stream, such as `SCAN`.
"""

from pathlib import Path

SCAN = "q 595 0 0 842 0 0 cm /I Do Q"
LOGO = "q 90 0 0 40 60 760 cm /I Do Q"
_IMAGE = (
    "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8"
    " /Length 1 >>\nstream\nA\nendstream"
)

FONTS = {
    "regular": "Helvetica",
    "bold": "Helvetica-Bold",
    "italic": "Helvetica-Oblique",
    "scaled": "Helvetica",
}


def drawn_pdf(path: Path, *pages, rotation=0) -> Path:
    """Writes the PDF and returns its path."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", _IMAGE]
    for name in FONTS.values():
        objects.append(f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>")
    fonts = " ".join(f"/{name} {number} 0 R" for number, name in enumerate(FONTS, start=4))
    kids = []
    for pieces in pages:
        drawn = pieces if isinstance(pieces, str) else "".join(_drawn(*piece) for piece in pieces)
        objects.append(f"<< /Length {len(drawn.encode('cp1252'))} >>\nstream\n{drawn}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Rotate {rotation} "
            f"/Contents {len(objects)} 0 R /Resources << /Font << {fonts} >> /XObject << /I 3 0 R >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>"
    out = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + body.encode("cp1252") + b"\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in places)
    count = len(objects) + 1
    end = f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer << /Size {count} /Root 1 0 R >>"
    path.write_bytes(out + f"{end}\nstartxref\n{len(out)}\n%%EOF\n".encode())
    return path


def _drawn(x, y, text, font="regular", size=11):
    for special in "\\()":
        text = text.replace(special, f"\\{special}")
    scale = size if font == "scaled" else 1
    return f"BT /{font} {size / scale:g} Tf {scale} 0 0 {scale} {x} {y} Tm ({text}) Tj ET\n"


def paragraph(*lines, x=72, y=760, pitch=14, font="regular", size=11):
    """The pieces of lines under one another."""
    return [(x, y - pitch * number, line, font, size) for number, line in enumerate(lines)]


def table(*rows, xs=(72, 220, 330, 440), y=700, pitch=18):
    """The pieces of rows of cells; an empty one is not drawn."""
    return [
        (x, y - pitch * number, cell)
        for number, row in enumerate(rows)
        for x, cell in zip(xs, row, strict=False)
        if cell
    ]
