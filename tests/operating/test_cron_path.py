"""Cron's own PATH is /usr/bin:/bin, where no package index puts a program."""

import re

from operating.unitfiles import UNITS


def test_the_crontab_looks_where_the_units_have_the_program() -> None:
    text = (UNITS / "plateau-tui.cron").read_text(encoding="utf-8")
    before, _, _ = text.partition("plateau-tui collect")
    (path,) = re.findall(r"^PATH=(\S+)$", before, re.MULTILINE)
    units = "".join(unit.read_text(encoding="utf-8") for unit in UNITS.glob("*.service"))
    folders = set(re.findall(r"^ExecStart=(\S+)/plateau-tui ", units, re.MULTILINE))
    assert folders
    assert folders <= set(path.split(":"))
