"""What bytes are by how they begin, whatever the name of their file or their sender says."""

from __future__ import annotations

__all__ = ["media_type_of"]

_STARTS: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"\x00\x00\x00\x0cJXL ", "image/jxl"),
    (b"\xff\x0a", "image/jxl"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"\x7fELF", "application/x-executable"),
    (b"MZ", "application/x-msdownload"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"OggS", "audio/ogg"),
    (b"\x1a\x45\xdf\xa3", "video/x-matroska"),
)
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
_BRANDS = {b"avif": "image/avif", b"avis": "image/avif", b"heic": "image/heic", b"heix": "image/heic",
           b"mif1": "image/heic", b"M4A ": "audio/mp4", b"qt  ": "video/quicktime"}  # fmt: skip
_SHORT = (b"BM", b"MZ", b"\xff\x0a", b"ID3", b"\x1f\x8b")
"""Starts that a text may have as well, or nearly: they count only where a text is out of the question."""


def media_type_of(data: bytes) -> str:
    """The media type of pictures, sounds, films, PDF, archives and programs; empty for everything else."""
    if data[:4] == b"RIFF":
        return _RIFF.get(data[8:12], "application/octet-stream")
    if data[4:8] == b"ftyp":
        return _BRANDS.get(data[8:12], "video/mp4")
    if len(data) > 2 and data[0] == 0xFF and data[1] & 0xE6 == 0xE2:
        return "audio/mpeg"  # a frame of layer III or II
    found = next(((start, kind) for start, kind in _STARTS if data.startswith(start)), None)
    if found is None or (found[0] in _SHORT and b"\x00" not in data[:512] and found[0].isascii()):
        return ""
    return found[1]
