"""A coverage-guided fuzzer for everything that reads bytes from elsewhere.

Reply parsers, rows, journal lines, mailbox requests, registration, attestation, connection file:
the targets, and what each of them promises, are those of the tests (tests/hostile/targets.py).

    .venv/bin/python benchmarks/fuzz.py [TARGET …] [--seconds 60] [--seed 1] [--engine own|atheris]

``own`` is small and needs nothing: it keeps an input when it reaches a new pair of lines, one after
the other, in this package; inputs are changed by bytes, pieces, numbers and the words of the
formats. ``atheris`` is libFuzzer, where that package is installed (``pip install atheris``); it
sees more and is much faster. The seconds are for each target. An input that crashes, that breaks
a promise or that takes over two seconds is made smaller and written to ``--crashes DIR``; the exit
code is then 1. Each crash that was ever found stands as a test in tests/hostile/test_found.py.
"""

import argparse
import importlib
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, Final, cast

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

PACKAGE: Final = str(ROOT / "plateau_tui")
SLOW_S: Final = 2.0
LONGEST: Final = 20_000
MAX_STEPS: Final = 4
WORDS: Final = (
    b" has ", b" scores:", b"[", b"]", b"]: ", b"UNI-10-1", b"mine_stone", b"There are ", b"\n",
    b"Found ", b" matching items on player ", b"Removed ", b"\xc2\xa7c", b"<--[HERE]", b"\xff",
    b"Unknown ", b"-2147483649", b"99999999999999999999", b"0", b"-1", b"1e400", b"null", b"true",
    b"{", b"}", b'"', b":", b",", b"[[", b"]]", b" = ", b"'''", b'"""', b"#", b"\\u0000",
    b"\\ud800", b"\x1b[2J", b"\xe2\x80\xae", b"\0", b"inf", b"nan", b"0x", b"1979-05-27",
    b"../", b"@a", b"cycle", b"poll_ts", b"9999-12-31T23:59:59.999Z",
)  # fmt: skip
"""Words of the formats, and of those who would break them."""

VALUES: Final = (
    b"null", b"true", b"-1", b"0", b"1.5", b"1e308", b"9223372036854775808", b"inf", b"nan",
    b"-9223372036854775809", b'""', b'"\\u0000\\u001b[2J"', b'"\\u202e"', b"[]", b"{}", b'[""]',
    b'{"a":null}', b'"9999-12-31T23:59:59.999Z"', b'"0001-01-01T00:00:00.000Z"', b"2026-01-01",
    b'"2026-02-30T00:00:00.000Z"', b'"@a"', b'"UNI-10-1"', b'"uni-10-1"', b"1" * 400,
    b'"' + b"x" * 3000 + b'"',
)  # fmt: skip
"""What may stand where a value of JSON or TOML is wanted."""

_VALUE: Final = re.compile(
    rb'(?<=[:=,\[ ])(?:"(?:[^"\\\n]|\\.){0,2000}"|-?[0-9][0-9.e+-]*|true|false|null)(?![^,\]}\s])'
)

Run = Callable[[bytes], None]
Edges = set[tuple[str, int, int]]


def edges_of(run: Run, data: bytes) -> Edges:
    """Return the pairs of lines of this package that were run one after the other."""
    found: Edges = set()

    def local(frame: FrameType, event: str, _argument: object) -> Any:  # noqa: ANN401 - the hook's
        if event == "line":
            found.add((frame.f_code.co_filename, last.get(frame, 0), frame.f_lineno))
            last[frame] = frame.f_lineno
        return local

    def called(frame: FrameType, event: str, _argument: object) -> Any:  # noqa: ANN401 - the hook's
        inside = event == "call" and frame.f_code.co_filename.startswith(PACKAGE)
        return local if inside else None

    last: dict[FrameType, int] = {}
    before = sys.gettrace()
    sys.settrace(called)
    try:
        run(data)
    finally:
        sys.settrace(before)
    return found


def failure(run: Run, data: bytes) -> str | None:
    """Return what is wrong with how a target takes some bytes, or None."""
    started = time.process_time()
    try:
        run(data)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        return f"{type(error).__name__}: {str(error)[:200]}"
    took = time.process_time() - started
    return f"took {took:.1f} s" if took > SLOW_S else None


def revalued(rng: random.Random, data: bytes, _corpus: list[bytes]) -> bytes:
    """Return the same JSON object or TOML text with one value replaced; the form stays whole."""
    spots = list(_VALUE.finditer(data))
    if not spots:
        return data
    spot = rng.choice(spots)
    value = rng.choice(VALUES) if rng.random() < 0.8 else rng.choice(spots)[0]  # noqa: PLR2004 - most
    return data[: spot.start()] + value + data[spot.end() :]


def changed(rng: random.Random, data: bytes, corpus: list[bytes]) -> bytes:
    """Return other bytes, made of ``data`` by a few steps."""
    # Often enough whole in form, to get behind the decoder.
    step = revalued if rng.random() < 0.4 else _cut_and_pasted  # noqa: PLR2004 - a share
    for _ in range(rng.randint(1, MAX_STEPS)):
        data = step(rng, data, corpus)
    return data[:LONGEST]


def _cut_and_pasted(rng: random.Random, data: bytes, corpus: list[bytes]) -> bytes:
    at = rng.randrange(len(data) + 1)
    end = min(len(data), at + rng.choice((1, 1, 2, 4, 16, 64)))
    before, piece, behind = data[:at], data[at:end], data[end:]
    match rng.randrange(7):
        case 0:
            return before + rng.randbytes(end - at) + behind
        case 1:
            return before + behind
        case 2:
            return before + rng.choice(WORDS) + piece + behind
        case 3:
            return before + rng.choice(WORDS) + behind
        case 4:
            return before + piece * rng.choice((2, 3, 50)) + behind
        case 5:
            other = rng.choice(corpus)
            start = rng.randrange(len(other) + 1)
            return before + other[start : start + rng.randint(1, 200)] + behind
        case _:
            return before + bytes(byte ^ 1 << rng.randrange(8) for byte in piece[:1]) + behind


def smaller(run: Run, data: bytes, limit_s: float = 10.0) -> bytes:
    """Return a shorter input that fails in the same way, as far as the time allows."""
    kind = (failure(run, data) or "").split(":")[0]
    until = time.monotonic() + limit_s
    size = max(1, len(data) // 2)
    while size and time.monotonic() < until:
        at = 0
        while at < len(data) and time.monotonic() < until:
            shorter = data[:at] + data[at + size :]
            if (failure(run, shorter) or "").split(":")[0] == kind:
                data = shorter
            else:
                at += size
        size //= 2
    return data


def fuzz(name: str, run: Run, seeds: tuple[bytes, ...], seconds: float, seed: int) -> list[bytes]:
    """Fuzz one target by the engine of our own; return what failed, made smaller."""
    rng = random.Random(f"{name} {seed}")
    corpus, seen, failed = list(seeds), Edges(), dict[str, bytes]()
    for each in seeds:
        seen |= edges_of(run, each)
    runs, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        data = changed(rng, rng.choice(corpus), corpus)
        runs += 1
        wrong = failure(run, data)
        if wrong is not None:
            kind = wrong.split(":")[0]
            if kind not in failed:
                failed[kind] = smaller(run, data)
                print(f"{name}: {wrong}: {failed[kind][:200]!r}", flush=True)
            continue
        new = edges_of(run, data) - seen
        if new:
            seen |= new
            corpus.append(data)
    told = f"{runs} inputs, {len(seen)} edges, {len(corpus)} kept, {len(failed)} failures"
    print(f"{name:13} {told}", flush=True)
    return list(failed.values())


def with_atheris(name: str, seconds: int, seed: int, crashes: Path) -> bool:
    """Fuzz one target with libFuzzer in a process of its own; say whether nothing failed."""
    crashes.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [sys.executable, __file__, "--inside-atheris", name, "--crashes", str(crashes),
         "--seconds", str(seconds), "--seed", str(seed)],
        capture_output=True, text=True, check=False, errors="replace",
    )  # fmt: skip
    lines = [line for line in done.stderr.splitlines() if re.match(r"#[0-9]+\s", line)]
    print(f"{name:13} {lines[-1] if lines else done.stderr[-500:]}", flush=True)
    if done.returncode:
        print(f"exit status {done.returncode}: {done.stdout[-2000:]}{done.stderr[-1000:]}")
    return done.returncode == 0


def inside_atheris(name: str, seconds: int, seed: int, crashes: Path) -> None:
    """Become libFuzzer on one target; never returns."""
    atheris = importlib.import_module("atheris")  # an extra of whoever fuzzes

    with atheris.instrument_imports(include=["plateau_tui"]):
        from hostile.targets import TARGETS  # noqa: PLC0415 - loaded instrumented
    target = TARGETS[name]
    corpus = crashes / f"corpus-{name}"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(target.seeds):
        (corpus / f"seed-{number}").write_bytes(data)
    words = crashes / "words.txt"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in WORDS), encoding="ascii")
    options = [
        f"-max_total_time={seconds}", f"-seed={seed}", f"-dict={words}", "-timeout=10",
        f"-max_len={LONGEST}", f"-artifact_prefix={crashes}/{name}-", str(corpus),
    ]  # fmt: skip

    def run(data: bytes) -> None:
        try:
            target.run(data)
        except Exception:
            (crashes / f"{name}-crash").write_bytes(data)
            raise

    atheris.Setup([sys.argv[0], *options], run)
    atheris.Fuzz()


def _escaped(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word)


def main() -> None:
    """Fuzz, print what was run, and keep what failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", choices=("own", "atheris"), default="own")
    parser.add_argument("--crashes", type=Path, default=Path("fuzz-crashes"))
    parser.add_argument("--inside-atheris", metavar="TARGET", help=argparse.SUPPRESS)
    given = parser.parse_args()
    crashes = cast("Path", given.crashes)
    if given.inside_atheris:
        inside_atheris(given.inside_atheris, given.seconds, given.seed, crashes)
    from hostile.targets import TARGETS  # noqa: PLC0415 - atheris must be the first to load it

    good = True
    for name in given.targets or TARGETS:
        if given.engine == "atheris":
            good &= with_atheris(name, given.seconds, given.seed, crashes)
            continue
        target = TARGETS[name]
        failed = fuzz(name, target.run, target.seeds, given.seconds, given.seed)
        for number, data in enumerate(failed):
            crashes.mkdir(parents=True, exist_ok=True)
            (crashes / f"{name}-{number}").write_bytes(data)
        good &= not failed
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
