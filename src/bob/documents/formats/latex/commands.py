"""The commands and environments of LaTeX that are not read by their arguments alone."""

from __future__ import annotations

from bob.documents.formats.latex.tokens import BREAK

LEVELS = {"part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "frametitle": 5,
    "addpart": 1, "addchap": 1, "addsec": 2, "minisec": 5}  # fmt: skip
CODE = frozenset(["verbatim", "Verbatim", "lstlisting", "minted", "alltt"])
MATH = frozenset(
    ["equation", "align", "gather", "multline", "eqnarray", "displaymath", "math", "alignat", "flalign"]
)
HIDDEN = frozenset(["tikzpicture", "comment", "filecontents", "picture", "pgfpicture"])
LISTS = frozenset(["itemize", "enumerate", "description", "thebibliography", "outline"])
TABLES = {
    "tabular": 1,
    "tabular*": 2,
    "tabularx": 2,
    "tabulary": 2,
    "longtable": 1,
    "supertabular": 1,
    "tblr": 1,
}
"""How many arguments stand before the rows."""

DROPPED = {
    name: arguments
    for arguments, names in (
        (0, "addlinespace endhead endfirsthead endfoot endlastfoot"),
        (
            1,
            "label ref cref Cref eqref autoref pageref nameref vref index vspace hspace "
            "includegraphics input include subfile bibliography bibliographystyle addbibresource "
            "usepackage documentclass pagestyle thispagestyle todo fixme hypersetup graphicspath "
            "color pagenumbering phantom hphantom vphantom lstset lstinputlisting tikzset linespread "
            "selectlanguage thanks nocite cline cmidrule includeonly theoremstyle glsaddall "
            "rowcolor cellcolor columncolor arrayrulecolor hhline noalign",
        ),
        (
            2,
            "setcounter addtocounter setlength addtolength DeclareMathOperator newtheorem markboth "
            "fontsize rule",
        ),
        (
            3,
            "addcontentsline definecolor specialrule rowcolors",
        ),
    )
    for name in names.split()
}
"""Commands that show nothing of their own, with how many arguments they have."""

SECOND = frozenset(
    ["multicolumn", "textcolor", "href", "colorbox", "multirow", "foreignlanguage", "hyperref", "raisebox"]
)
"""Commands whose last argument is what is read."""

SIGNS = {"LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX", "ldots": "…", "dots": "…", "textellipsis": "…",
    "ss": "ß", "o": "ø", "O": "Ø", "ae": "æ", "AE": "Æ", "oe": "œ", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł",
    "i": "ı", "euro": "€", "texteuro": "€", "pounds": "£", "S": "§", "copyright": "©", "textdegree": "°",
    "degree": "°", "textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textbar": "|",
    "textless": "<", "textgreater": ">", "textendash": "–", "textemdash": "—", "and": ", ", "quad": " ",
    "qquad": " ", "newline": " ", "linebreak": " ", "textquotedblleft": '"', "textquotedblright": '"',
    "slash": "/", "EUR": "€",
    "textunderscore": "_", "textbullet": "•", "times": "×", "percent": "%", "squared": "²", "cubed": "³",
    "today": "", "par": BREAK}  # fmt: skip
ACCENTS = {"'": "\u0301", "`": "\u0300", '"': "\u0308", "^": "\u0302", "~": "\u0303", "=": "\u0304",
    ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a", "d": "\u0323",
    "b": "\u0331"}  # fmt: skip
SPACES = {",": " ", ";": " ", ":": " ", " ": " ", "\n": "\n", "/": "", "-": "", "!": "", "@": "", "\\": " ",
    "(": "$", ")": "$"}  # fmt: skip
