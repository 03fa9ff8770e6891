"""Makes ``sample_runs/`` anew: two demo runs, the stories with known answers, what was published.

Run it as ``make sample-runs``. All but the two demos come out the same to the byte.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from samples.published import write_p1, write_p2
from samples.readme import readme_text
from samples.story import STORIES
from samples.writing import write_story

SAMPLES = Path(__file__).parent.parent / "sample_runs"
DEMOS = ("builders_vs_hoarders", "hoarders_vs_hoarders")


def make_demo(scenario: str, path: Path) -> None:
    """Run the demo and keep what makes a run readable."""
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / scenario
        command = [sys.executable, "-m", "plateau_tui", "demo", "--headless", "--to", str(made)]
        subprocess.run([*command, "--scenario", scenario, "--cycles", "10"], check=True)
        path.mkdir()
        for name in ("registration.toml", "rows.jsonl", "journal.jsonl"):
            shutil.copyfile(made / name, path / name)


def main() -> None:
    """Make all samples anew."""
    os.umask(0o022)
    shutil.rmtree(SAMPLES, ignore_errors=True)
    SAMPLES.mkdir()
    (SAMPLES / "README.md").write_text(readme_text(), encoding="utf-8")
    for story in STORIES:
        write_story(story, SAMPLES / story.name)
    write_p1(SAMPLES / "p1_inventory")
    write_p2(SAMPLES / "p2_final_counts")
    for scenario in DEMOS:
        make_demo(scenario, SAMPLES / scenario)


if __name__ == "__main__":
    main()
