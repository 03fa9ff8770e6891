"""Whether a file still begins with the bytes that were read from it, or written to it."""

import os
from hashlib import blake2b
from typing import Final

_BLOCK: Final = 1 << 20


class Fingerprint:
    """Digests of the first ``size`` bytes of a file, a mebibyte each.

    Equal bytes are told from others however the file was changed: in place, by the same number
    of bytes, or by more.
    """

    def __init__(self) -> None:
        self.size = 0
        self._blocks: list[bytes] = []
        self._open = blake2b(digest_size=16)
        self._turn = 0

    def take(self, data: bytes) -> None:
        """Take in the bytes that follow those taken in so far."""
        at = 0
        while at < len(data):
            piece = data[at : at + _BLOCK - self.size % _BLOCK]
            self._open.update(piece)
            self.size += len(piece)
            at += len(piece)
            if self.size % _BLOCK == 0:
                self._blocks.append(self._open.digest())
                self._open = blake2b(digest_size=16)

    def take_from(self, fd: int, end: int) -> None:
        """Take in an open file's bytes up to ``end``, or up to its end where that comes first.

        Raises:
            OSError: it cannot be read.

        """
        while self.size < end and (piece := os.pread(fd, min(_BLOCK, end - self.size), self.size)):
            self.take(piece)

    def holds(self, fd: int, blocks: int | None = None, end: bytes = b"") -> bool:
        """Say whether an open file begins with these bytes.

        Args:
            fd: the file; its position stays where it is.
            blocks: how many mebibytes before the last are read again, by turns; None: all.
            end: what is thought to stand behind the file's end.

        Raises:
            OSError: it cannot be read.

        """
        count = len(self._blocks)
        if not self._block_holds(fd, count, self._open.digest(), end):
            return False
        for _ in range(count if blocks is None else min(blocks, count)):
            self._turn = (self._turn + 1) % count
            if not self._block_holds(fd, self._turn, self._blocks[self._turn], end):
                return False
        return True

    def _block_holds(self, fd: int, number: int, digest: bytes, end: bytes) -> bool:
        start = number * _BLOCK
        wanted = min(_BLOCK, self.size - start)
        data = os.pread(fd, wanted, start)
        if len(data) < wanted:
            data += end
        return blake2b(data, digest_size=16).digest() == digest
