"""A picture as a coarse grid of brightness (fixtures, "stable-retro Airstriker")."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROWS: Final = 24
COLUMNS: Final = 40


def cells(pixels: "NDArray[np.uint8]") -> "NDArray[np.int64]":
    """Return the floor of each cell's mean luminance: an array of 24 x 40 values, 0 to 255.

    ``pixels`` is an array of height x width x 3 RGB bytes. The luminance of a pixel is
    (2R + 5G + B) div 8; a cell begins at floor(i height / 24) and floor(j width / 40).
    """
    import numpy as np  # noqa: PLC0415 - the core loads without it

    height, width = pixels.shape[:2]
    light = 2 * pixels[:, :, 0].astype(np.uint16)
    light += 5 * pixels[:, :, 1].astype(np.uint16)
    light += pixels[:, :, 2]
    light //= 8
    tops = np.arange(ROWS) * height // ROWS
    lefts = np.arange(COLUMNS) * width // COLUMNS
    rows = np.add.reduceat(light, lefts, axis=1, dtype=np.int64)
    sums = np.add.reduceat(rows, tops, axis=0)
    heights = np.diff(np.append(tops, height))
    widths = np.diff(np.append(lefts, width))
    means: NDArray[np.int64] = sums // np.outer(heights, widths)
    return means
