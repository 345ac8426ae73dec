"""Reads what is filled in on a page of a PDF: form fields and typed comments, as lines of text."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

_MAX_FIELDS = 2_000  # a page has room for no more
_PASSWORD_FLAG = 1 << 13  # what is typed there is shown as dots, and stays out of an index
_TICKED = (pdfium_c.FPDF_FORMFIELD_CHECKBOX, pdfium_c.FPDF_FORMFIELD_RADIOBUTTON)
_TYPED = (
    pdfium_c.FPDF_FORMFIELD_TEXTFIELD,
    pdfium_c.FPDF_FORMFIELD_COMBOBOX,
    pdfium_c.FPDF_FORMFIELD_LISTBOX,
)


def form_values(document: pdfium.PdfDocument, page: pdfium.PdfPage) -> str:
    """The filled-in fields of the page, a line each as "label: value"; "" when there are none."""
    return "\n".join(dict.fromkeys(_values(document, page)))


def _values(document: pdfium.PdfDocument, page: pdfium.PdfPage) -> Iterator[str]:
    for index in range(min(pdfium_c.FPDFPage_GetAnnotCount(page), _MAX_FIELDS)):
        annotation = pdfium_c.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            value = _value(document.formenv, annotation)
        finally:
            pdfium_c.FPDFPage_CloseAnnot(annotation)
        if value:
            yield value


def _value(form: pdfium.PdfFormEnv | None, annotation: object) -> str:
    kind = pdfium_c.FPDFAnnot_GetSubtype(annotation)
    if kind == pdfium_c.FPDF_ANNOT_FREETEXT:
        return _string(lambda *room: pdfium_c.FPDFAnnot_GetStringValue(annotation, b"Contents", *room))
    return _field(form, annotation) if kind == pdfium_c.FPDF_ANNOT_WIDGET and form else ""


def _field(form: pdfium.PdfFormEnv, annotation: object) -> str:
    kind = pdfium_c.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in _TICKED and pdfium_c.FPDFAnnot_IsChecked(form, annotation):
        value = _string(lambda *room: pdfium_c.FPDFAnnot_GetFormFieldExportValue(form, annotation, *room))
        value = "yes" if value.lower() in ("", "on", "yes", "1") else value
    elif kind in _TYPED and not pdfium_c.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD_FLAG:
        value = _string(lambda *room: pdfium_c.FPDFAnnot_GetFormFieldValue(form, annotation, *room))
    else:
        value = ""
    if not value:
        return ""
    label = _string(lambda *room: pdfium_c.FPDFAnnot_GetFormFieldAlternateName(form, annotation, *room))
    label = label or _string(lambda *room: pdfium_c.FPDFAnnot_GetFormFieldName(form, annotation, *room))
    return f"{label}: {value}" if label else value


def _string(read: Callable[..., int]) -> str:
    """Calls a PDFium getter twice, for the size in bytes and for the UTF-16 text."""
    size = read(None, 0)
    if size <= 2:
        return ""
    room = (ctypes.c_ushort * (size // 2))()
    read(room, size)
    text = bytes(room)[: size - 2].decode("utf-16-le", "ignore")
    return " ".join(text.replace("\x00", "").split())
