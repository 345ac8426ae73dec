"""Texts that would run a script wherever they became markup, and documents of every kind that hold them.

Each text calls `ran(number)` if it runs, which a browser's test defines. All are on one line, and none has
characters that XML cannot hold, so that they can stand in every format.
"""

import html
import json
import zipfile
from email.message import EmailMessage

PATTERNS = (
    # Elements that run when they are read.
    "<script>ran({n})</script>",
    "<ScRiPt >ran({n})</sCrIpT\t>",
    "<script src='data:text/javascript,ran({n})'></script>",
    "<script type=module>ran({n})</script>",
    "<scr<script>ipt>ran({n})</scr</script>ipt>",
    "<svg><script>ran({n})</script></svg>",
    "<svg><script xlink:href=data:,ran({n})></script></svg>",
    "<iframe srcdoc='&lt;script>ran({n})&lt;/script>'></iframe>",
    "<iframe src=javascript:ran({n})></iframe>",
    "<object data='data:text/html,<script>ran({n})</script>'></object>",
    "<embed src=javascript:ran({n})>",
    "<base href=javascript:ran({n})//>",
    "<meta http-equiv=refresh content='0;url=javascript:ran({n})'>",
    "<link rel=stylesheet href='data:text/css,*{{color:red}}' onload=ran({n})>",
    # Handlers that run by themselves.
    "<img src=x onerror=ran({n})>",
    "<IMG SRC=x OnErRoR='ran({n})'>",
    "<img/src/onerror=ran({n})>",
    '<img src="x" onerror="&#114;an({n})">',
    "<svg onload=ran({n})>",
    "<svg/onload=ran({n})//",
    "<body onload=ran({n})>",
    "<body onpageshow=ran({n})>",
    "<video><source onerror=ran({n})></video>",
    "<audio src=x onerror=ran({n})></audio>",
    "<details open ontoggle=ran({n})><summary>x</summary></details>",
    "<input autofocus onfocus=ran({n})>",
    "<select autofocus onfocus=ran({n})></select>",
    "<marquee onstart=ran({n})>x</marquee>",
    "<style onload=ran({n})></style>",
    "<object data=x onerror=ran({n})></object>",
    "<dialog open><form method=dialog><button autofocus onfocus=ran({n})>x</button></form></dialog>",
    "<template shadowrootmode=open><img src=x onerror=ran({n})></template>",
    "<svg><animate onbegin=ran({n}) attributeName=x dur=1s></svg>",
    "<svg><set onbegin=ran({n}) attributeName=x></svg>",
    "<svg><foreignObject><img src=x onerror=ran({n})></foreignObject></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=ran({n})></style></mglyph></table></mtext></math>",
    "<noscript><p title='</noscript><img src=x onerror=ran({n})>'></noscript>",
    # Out of what text may stand in.
    '"><img src=x onerror=ran({n})>',
    "'><img src=x onerror=ran({n})>",
    '" autofocus onfocus=ran({n}) x="',
    "</title><img src=x onerror=ran({n})>",
    "</textarea><img src=x onerror=ran({n})>",
    "</script><script>ran({n})</script>",
    "--><img src=x onerror=ran({n})>",
    "]]><img src=x onerror=ran({n})>",
    "';ran({n});//",
    "\\';ran({n});//",
    "${{ran({n})}}",
    "{{{{constructor.constructor('ran({n})')()}}}}",
    "#{{ran({n})}} <%= ran({n}) %>",
    # Links, in each way of writing them.
    "[a link](javascript:ran({n}))",
    "[a link](JaVaScRiPt&colon;ran({n}))",
    '![a picture](x"onerror="ran({n}))',
    "<javascript:ran({n})>",
    "<a href='javascript:ran({n})'>a link</a>",
    "<a href='&#106;avascript:ran({n})' autofocus onfocus=ran({n})>a link</a>",
    "[a link](data:text/html,<script>ran({n})</script>)",
    "<form action=javascript:ran({n})><button autofocus onfocus=ran({n})>x</button></form>",
    # Styles, and characters that change what is read.
    "<style>@import 'javascript:ran({n})';*{{display:none}}</style>",
    '<div style="background:url(javascript:ran({n}));position:fixed;inset:0">over all</div>',
    "<img src=x onerror\u2028=\u2029ran({n})>",
    "\u202e<img src=x onerror=ran({n})>\u2066 gnp.exe",
    "\ufeff\u200b<img src=x onerror=ran({n})>\u00a0",
    "\uff1cimg src=x onerror=ran({n})\uff1e",
    "+ADw-script+AD4-ran({n})+ADw-/script+AD4-",
)
PAYLOADS = tuple(pattern.format(n=number) for number, pattern in enumerate(PATTERNS))
NAMES = tuple(each for each in PAYLOADS if "/" not in each and "\\" not in each and len(each) < 60)[1::2]
"""Half of those that a file may be called."""


def sentence(payload):
    """A payload in words, so that it can be asked for."""
    return f"The heron eats {payload} in the pond."


SENTENCES = [sentence(each) for each in PAYLOADS]
WRITTEN = [f"<p>{html.escape(each)}</p>" for each in SENTENCES]
RAW = "\n".join(f"<p>{each}</p>" for each in SENTENCES)


def write_documents(folder):
    """A document of each kind, every one with all payloads; {kind: path}."""
    folder.mkdir(parents=True, exist_ok=True)
    title, tag = PAYLOADS[14], PAYLOADS[37]
    text = "\n\n".join(SENTENCES)
    front = f"---\ntitle: {json.dumps(title)}\ntags: [{json.dumps(tag)}]\nauthor: {json.dumps(tag)}\n---\n"
    page = f"<html><head><title>{html.escape(title)}</title></head><body>"
    steps = "\n".join(f"- {each}" for each in SENTENCES)
    cells = [{"cell_type": "markdown", "source": [each], "metadata": {}} for each in SENTENCES]
    cells += [_code_cell(each) for each in SENTENCES[:8]]
    plain = {
        "markdown.md": f"{front}# {title}\n\n{text}\n",
        "text.txt": f"{title}\n\n{text}\n",
        "restructured.rst": f"{title}\n{'=' * len(title)}\n\n{text}\n",
        "outline.org": f"#+TITLE: {title}\n\n{text}\n",
        "thesis.tex": f"\\begin{{document}}\n\\section{{{title}}}\n\n{text}\n",
        "guide.adoc": f"= {title}\n\n{text}\n",
        "talk.srt": "\n\n".join(
            f"{n}\n00:{n:02}:00,000 --> 00:{n:02}:09,000\n{each}" for n, each in enumerate(SENTENCES)
        ),
        "year.ics": _components("VCALENDAR", "VEVENT", "DTSTART:20240517T093000Z\nSUMMARY"),
        "people.vcf": _components("", "VCARD", "VERSION:4.0\nFN:Ana\nNOTE"),
        "raw.html": f"<html><head><title>{title}</title></head><body>{RAW}</body></html>",
        "written.html": f"{page}<h1>{html.escape(title)}</h1>{''.join(WRITTEN)}</body></html>",
        "code.py": "\n\n".join(f"def f{n}():\n    return {each!r}" for n, each in enumerate(SENTENCES)),
        "settings.json": json.dumps({each: each for each in SENTENCES}, indent=1, ensure_ascii=False),
        "table.csv": "name,says\n"
        + "".join(f'x,"{each.replace(chr(34), chr(34) * 2)}"\n' for each in SENTENCES),
        "book.ipynb": json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}),
        "soup.cook": f">> title: {title}\n\n{text}\n",
        "recipe.recipe.json": json.dumps(
            {
                "@type": "Recipe",
                "name": title,
                "recipeIngredient": list(PAYLOADS),
                "recipeInstructions": steps,
            }
        ),
    }
    for name, content in plain.items():
        (folder / name).write_text(content, "utf-8")
    for name, write in (
        ("mail.eml", _mail),
        ("move.docx", _word),
        ("hours.xlsx", _excel),
        ("season.pptx", _slides),
        ("light.epub", _book),
        ("rules.pdf", _pdf),
    ):
        write(folder / name, title)
    return {each.name: each for each in sorted(folder.iterdir())}


def _components(outer, inner, fields):
    """A calendar or a list of contacts: a component with these fields for each sentence."""
    lines = [f"BEGIN:{inner}\n{fields}:{each}\nEND:{inner}" for each in SENTENCES]
    return "\n".join([f"BEGIN:{outer}", *lines, f"END:{outer}"] if outer else lines)


def _code_cell(text):
    output = {"output_type": "stream", "name": "stdout", "text": [text]}
    return {"cell_type": "code", "source": [text], "metadata": {}, "outputs": [output], "execution_count": 1}


def _mail(path, title):
    message = EmailMessage()
    message["Subject"], message["From"] = title, '"<img src=x onerror=ran(0)>" <ana@example.org>'
    message["Date"] = "Fri, 17 May 2024 09:30:00 +0000"
    message.set_content("\n\n".join(SENTENCES))
    message.add_alternative(RAW, subtype="html")
    message.add_attachment(RAW.encode(), "text", "html", filename=f"{NAMES[0]}.html")
    path.write_bytes(message.as_bytes())


def _word(path, title):
    import docx

    document = docx.Document()
    document.core_properties.title, document.core_properties.author = title, title
    document.core_properties.keywords = PAYLOADS[37]
    document.add_heading(title, 0)
    for each in SENTENCES:
        document.add_paragraph(each)
    document.add_table(1, 1).cell(0, 0).text = title
    document.save(path)


def _excel(path, title):
    import openpyxl

    book = openpyxl.Workbook()
    book.properties.title = title
    book.active.title = "<svg onload=ran(18)>"
    for row, each in enumerate(SENTENCES, 1):
        book.active.cell(row, 1, each)
    book.save(path)


def _slides(path, title):
    import pptx

    deck = pptx.Presentation()
    deck.core_properties.title = title
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = title
    slide.placeholders[1].text = "\n".join(SENTENCES)
    slide.notes_slide.notes_text_frame.text = title
    deck.save(path)


def _book(path, title):
    said = html.escape(title)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata><dc:title>{said}</dc:title><dc:creator>{said}</dc:creator></metadata>"
        '<manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/></spine></package>'
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
        '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    page = (
        f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{said}</title><script>ran(0)</script></head>'
        f"<body><h1>{said}</h1>{''.join(WRITTEN)}</body></html>"
    )
    with zipfile.ZipFile(path, "w") as write:
        write.writestr("mimetype", "application/epub+zip")
        write.writestr("META-INF/container.xml", container)
        write.writestr("book.opf", package)
        write.writestr("a.xhtml", page)


def _pdf(path, title):
    """One page, with a script that a viewer would run; a reader finds the objects without a table of them."""

    def string(text):
        plain = text.encode("latin-1", "replace").decode("latin-1")
        return "".join(f"\\{each}" if each in "\\()" else each for each in plain)

    lines = "".join(
        f"BT /F 5 Tf 20 {830 - 12 * row} Td ({string(each)}) Tj ET\n" for row, each in enumerate(SENTENCES)
    )
    objects = (
        "<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (ran\\(0\\)) >> >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        "/Resources << /Font << /F 5 0 R >> >> >>",
        f"<< /Length {len(lines.encode('latin-1'))} >>\nstream\n{lines}endstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        f"<< /Title ({string(title)}) /Author ({string(title)}) /Keywords ({string(title)}) >>",
    )
    body = "".join(f"{at} 0 obj\n{each}\nendobj\n" for at, each in enumerate(objects, 1))
    path.write_bytes(f"%PDF-1.7\n{body}trailer << /Root 1 0 R /Info 6 0 R >>\n".encode("latin-1"))


def write_badly_named(folder):
    """Small files whose names are markup, and one that cannot be read; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for name in NAMES:
        path = folder / f"{name}.md"
        path.write_text(f"# {name}\n\nA goose says {name} to the heron.\n", "utf-8")
        found.append(path)
    (folder / f"{NAMES[0]}.docx").write_bytes(b"PK no")
    return found
