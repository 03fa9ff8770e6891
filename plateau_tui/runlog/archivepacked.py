"""Files that are no log but have one in them: what packed them, and what to do."""

import tarfile
from typing import Final

from plateau_tui.runlog.archivebytes import LogBytes

_SEVERAL: Final = {
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!\x1a\x07": "rar",
}
"""How an archive of several files begins."""
_ONE: Final = {
    b"\xfd7zXZ\x00": "xz",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
    b"LZIP": "lzip",
}
"""How a file begins that was packed by other means than gzip: of rows, or a tar archive."""


def packed_words(data: LogBytes) -> str:
    """Return what a file is that must be unpacked first, and how to go on; nothing for others.

    Raises:
        OSError: it cannot be read.

    """
    start = data.read(0, tarfile.BLOCKSIZE)
    for magic, name in _SEVERAL.items():
        if start.startswith(magic):
            return f"is an archive of several files ({name}): unpack it, then replay the folder"
    for magic, name in _ONE.items():
        if start.startswith(magic):
            return f"is packed with {name}: unpack it, then replay what was in it"
    if _is_tar(start):
        return "is an archive of several files (tar): unpack it (tar -xf), then replay the folder"
    return ""


def _is_tar(start: bytes) -> bool:
    """Say whether bytes are a tar header, of whatever age: its checksum is right."""
    try:
        tarfile.TarInfo.frombuf(start, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True
