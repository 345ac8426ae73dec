"""Marks words in a PDF as a viewer does: boxes over the words' lines, in an annotation of its own."""

import pypdf
import pypdfium2 as pdfium
from pypdf.annotations import Highlight
from pypdf.generic import ArrayObject, FloatObject, NameObject, TextStringObject


def boxes(path, words, page=0):
    """The boxes of the words on a page, one for each line, as a viewer makes them from a selection."""
    text = pdfium.PdfDocument(path)[page].get_textpage()
    whole = text.get_text_range()
    start = whole.index(words[0])
    end = whole.index(words[-1], start) + len(words[-1])
    return [text.get_rect(at) for at in range(text.count_rects(start, end - start))]


def quads(rectangles, order="rows"):
    found = []
    for left, bottom, right, top in rectangles:
        corners = [(left, top), (right, top), (left, bottom), (right, bottom)]
        if order == "around":
            corners[2:] = reversed(corners[2:])
        found += [FloatObject(value) for corner in corners for value in corner]
    return ArrayObject(found)


def annotated(path, target, annotations, page=0):
    writer = pypdf.PdfWriter(clone_from=path)
    for each in annotations:
        writer.add_annotation(page, each)
    writer.write(target)
    return target


def highlight(rectangles, order="rows", kind="/Highlight", **values):
    left = min(each[0] for each in rectangles)
    bottom = min(each[1] for each in rectangles)
    right, top = max(each[2] for each in rectangles), max(each[3] for each in rectangles)
    made = Highlight(rect=(left, bottom, right, top), quad_points=quads(rectangles, order))
    made[NameObject("/Subtype")] = NameObject(kind)
    made.pop("/Contents", None)
    made.update({NameObject(f"/{key}"): TextStringObject(value) for key, value in values.items()})
    return made
