"""A program that dies between any two of its system calls while it puts a folder; a script.

Arguments: a scratch folder, and "fresh" or "again" (an earlier folder stands there). For
n = 1, 2, … a child puts a folder and dies before its n-th call that changes a folder; what it
left is looked at; then an undisturbed child goes on. Ends when a child lives to its end. Prints
how many died, then each problem.
"""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from plateau_tui.report.place import put_folder

DEAD = 9
OLD, NEW = {"a": b"old", "b/c": b"old too"}, {"a": b"new", "b/d": b"new too"}


def build(path: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_bytes(data)


def put(target: Path, files: dict[str, bytes]) -> None:
    put_folder(target, 0o750, lambda path: build(path, files), lambda _: True)


def die_at(number: int) -> None:
    left = [number]

    def counted(call: Callable[..., object]) -> Callable[..., object]:
        def wrapper(*arguments: object, **more: object) -> object:
            left[0] -= 1
            if not left[0]:
                os._exit(DEAD)
            return call(*arguments, **more)

        return wrapper

    for name in ("mkdir", "rename", "fsync", "rmdir", "unlink", "chmod"):
        setattr(os, name, counted(getattr(os, name)))


def in_child(work: Callable[[], None]) -> int:
    pid = os.fork()
    if not pid:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def content(path: Path) -> dict[str, bytes] | None:
    if not path.exists():
        return None
    return {p.relative_to(path).as_posix(): p.read_bytes() for p in path.rglob("*") if p.is_file()}


def problems_of(target: Path, *, again: bool) -> list[str]:
    found, aside = content(target), content(target.with_name(f".{target.name}.old"))
    if found == NEW or (again and found == OLD) or (not again and found is None):
        return []
    if again and found is None and aside == OLD:
        return []  # between the two renames: whole, under the other name
    return [f"left {found}, aside {aside}"]


def main() -> None:
    scratch, again = Path(sys.argv[1]), sys.argv[2] == "again"
    died, problems, number = 0, [], 0
    while True:
        number += 1
        place = scratch / str(number)
        place.mkdir()
        target = place / "export"
        if again:
            put(target, OLD)

        def doomed(target: Path = target, number: int = number) -> None:
            die_at(number)
            put(target, NEW)

        status = in_child(doomed)
        died += status == DEAD
        problems += [f"{number}: {text}" for text in problems_of(target, again=again)]
        put(target, NEW)
        if content(place) != {f"export/{name}": data for name, data in NEW.items()}:
            problems.append(f"{number}: afterwards {content(place)}")
        shutil.rmtree(place)
        if status != DEAD:
            break
    sys.stdout.write("\n".join([str(died), *problems]) + "\n")


if __name__ == "__main__":
    main()
