"""The list of Bob's own parsers, and what to tell the owner of a document that none of them takes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Registration:
    """A parser by name; `target` is "module:Class" and is imported at first use.

    `suffixes` are lower-case endings with their dot, `file_names` whole lower-case names without an ending.
    """

    name: str
    target: str
    suffixes: tuple[str, ...]
    file_names: tuple[str, ...] = ()


_CODE = """
    .py .pyi .pyx .c .h .cc .cpp .cxx .hh .hpp .hxx .m .mm .cs .java .kt .kts .scala .groovy .go .rs .swift
    .dart .js .jsx .mjs .cjs .ts .tsx .vue .svelte .php .rb .pl .pm .lua .r .jl .ex .exs .erl .hs .ml .mli
    .clj .cljs .lisp .el .sh .bash .zsh .fish .ps1 .bat .sql .proto .graphql .tf .nix .cmake .mk
    .css .scss .less .zig .v .sv .vhd .f90 .asm .s
"""
_CONFIG = ".yaml .yml .toml .json .jsonl .jsonc .json5 .ini .cfg .conf .properties .editorconfig .env"
CODE_SUFFIXES = tuple(_CODE.split())
CONFIG_SUFFIXES = tuple(_CONFIG.split())

BUILT_IN = (
    Registration(
        "markdown",
        "bob.documents.formats.markdown:MarkdownParser",
        (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"),
    ),
    Registration(
        "plain",
        "bob.documents.formats.plain:PlainParser",
        (".txt", ".text", ".log"),
        (
            "readme",
            "license",
            "licence",
            "copying",
            "notice",
            "authors",
            "contributors",
            "changelog",
            "changes",
            "news",
            "todo",
            "install",
            "history",
            "maintainers",
            "codeowners",
        ),
    ),
    Registration(
        "restructured",
        "bob.documents.formats.restructured.parser:RestructuredParser",
        (".rst", ".rest", ".rst.txt"),
    ),
    Registration("org", "bob.documents.formats.org:OrgParser", (".org", ".org_archive")),
    Registration("latex", "bob.documents.formats.latex.parser:LatexParser", (".tex", ".ltx")),
    Registration("asciidoc", "bob.documents.formats.asciidoc.parser:AsciidocParser", (".adoc", ".asciidoc")),
    Registration("html", "bob.documents.formats.html.parser:HtmlParser", (".html", ".htm", ".xhtml")),
    Registration(
        "code",
        "bob.documents.formats.code:CodeParser",
        CODE_SUFFIXES,
        (
            "makefile",
            "gnumakefile",
            "kbuild",
            "dockerfile",
            "containerfile",
            "justfile",
            "rakefile",
            "gemfile",
            "jenkinsfile",
            "vagrantfile",
            "cmakelists.txt",
            "go.mod",
        ),
    ),
    Registration("config", "bob.documents.formats.config:ConfigParser", CONFIG_SUFFIXES, ("pom.xml",)),
    Registration("csv", "bob.documents.formats.csv_table:CsvParser", (".csv", ".tsv")),
    Registration("notebook", "bob.documents.formats.notebook:NotebookParser", (".ipynb",)),
    Registration("pdf", "bob.documents.formats.pdf.parser:PdfParser", (".pdf",)),
    Registration("word", "bob.documents.formats.office.word:WordParser", (".docx", ".dotx")),
    Registration("excel", "bob.documents.formats.office.excel:ExcelParser", (".xlsx", ".xlsm", ".xltx")),
    Registration(
        "powerpoint", "bob.documents.formats.office.powerpoint:PowerPointParser", (".pptx", ".ppsx")
    ),
    Registration("epub", "bob.documents.formats.epub:EpubParser", (".epub",)),
    Registration("transcript", "bob.documents.formats.transcripts:TranscriptParser", (".srt", ".vtt")),
    Registration("calendar", "bob.documents.formats.calendars:CalendarParser", (".ics", ".ical")),
    Registration("contacts", "bob.documents.formats.calendars:ContactsParser", (".vcf", ".vcard")),
    Registration("mail", "bob.documents.formats.mail.parser:MailParser", (".eml", ".mbox")),
)

ADVICE = {
    ".doc": "old Word format: save it as .docx",
    ".dot": "old Word template: save it as .docx",
    ".docm": "Word with macros: save it as .docx",
    ".xls": "old Excel format: save it as .xlsx",
    ".xlsb": "binary Excel format: save it as .xlsx",
    ".ppt": "old PowerPoint format: save it as .pptx",
    ".pps": "old PowerPoint format: save it as .pptx",
    ".pptm": "PowerPoint with macros: save it as .pptx",
    ".emlx": "Apple Mail message: save it as .eml (raw message source)",
    ".msg": "Outlook message: save it as .eml",
    ".pst": "Outlook mailbox: export it as .mbox or .eml",
    ".ost": "Outlook mailbox: export it as .mbox or .eml",
    ".one": "OneNote section: export its pages as .docx or .pdf",
    ".odt": "OpenDocument text: save it as .docx",
    ".ods": "OpenDocument spreadsheet: save it as .xlsx",
    ".odp": "OpenDocument presentation: save it as .pptx",
    ".pages": "Pages document: export it as .docx",
    ".numbers": "Numbers spreadsheet: export it as .xlsx",
    ".rtf": "rich text: save it as .docx",
    ".wpd": "WordPerfect document: save it as .docx",
    ".wps": "Works document: save it as .docx",
    ".mobi": "Kindle book: convert it to .epub",
    ".azw": "Kindle book: convert it to .epub",
    ".azw3": "Kindle book: convert it to .epub",
    ".fb2": "FictionBook: convert it to .epub",
    ".djvu": "scanned document: convert it to a .pdf with a text layer",
    ".ps": "PostScript: convert it to .pdf",
    ".xps": "XPS document: convert it to .pdf",
    ".mht": "saved web page: save it as .html",
    ".mhtml": "saved web page: save it as .html",
    ".webarchive": "saved web page: save it as .html",
}
