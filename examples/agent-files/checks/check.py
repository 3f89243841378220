"""Judges the entry that an agent has put into CHANGELOG.md: prints what is wrong with it, then the share that is right."""

import json
import re
import sys
from difflib import ndiff
from pathlib import Path

SECTIONS = ["Added", "Changed", "Fixed", "Removed"]
LONGEST = 90


def lines_of(path):
    path = Path(path)
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []


def section_of(lines, number):
    """The release and the section in which a line stands."""
    before = lines[:number]
    release = next((line for line in reversed(before) if line.startswith("## ")), "")
    section = next((line for line in reversed(before) if line.startswith("#")), "")
    return release.removeprefix("## "), section.removeprefix("### ")


def sections_of(lines, release):
    """The sections of a release, as they stand there."""
    start = lines.index(release) + 1 if release in lines else len(lines)
    end = next((number for number in range(start, len(lines)) if lines[number].startswith("## ")), len(lines))
    return [line.removeprefix("### ") for line in lines[start:end] if line.startswith("### ")]


def entries_beside(lines, number):
    """The entries of the same section, the one in question among them."""
    first = last = number
    while first > 0 and lines[first - 1].startswith("- "):
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].startswith("- "):
        last += 1
    return lines[first : last + 1]


def number_of(entry):
    found = re.search(r"\(#(\d+)\)$", entry)
    return int(found[1]) if found else None


def checks(task, before, after):
    """Each check with what to say when it fails."""
    changes = [line for line in ndiff(before, after) if line[:2] in ("+ ", "- ")]
    added = [line[2:] for line in changes if line.startswith("+ ")]
    gone = [line[2:] for line in changes if line.startswith("- ") and line[2:].strip()]
    entries = [line for line in added if line.startswith("- ")]
    yield len(entries) == 1, f"There should be one new entry, and there are {len(entries)}."
    if len(entries) != 1:
        return
    [entry] = entries
    place = next(number for number, line in enumerate(after) if line == entry)
    release, section = section_of(after, place)
    allowed = [line for line in added if line.strip() and line != entry and line != f"### {task['section']}"]
    yield not gone and not allowed, f"Other lines were changed: {(gone + allowed)[:3]}."
    yield release == "Unreleased", f'The entry stands under "{release}", not under "Unreleased".'
    yield section == task["section"], f'It stands in the section "{section}"; it is a change of the kind "{task["section"]}".'
    shown = sections_of(after, "## Unreleased")
    in_order = [name for name in SECTIONS if name in shown]
    yield shown == in_order, f"Sections come once each, in the order {', '.join(SECTIONS)}."
    numbers = [number_of(line) for line in entries_beside(after, place)]
    yield None not in numbers and numbers == sorted(numbers, reverse=True), "In a section, the highest number comes first."
    yield entry.startswith(f"- {task['area']}: "), f'An entry begins with the part of the program, "- {task["area"]}: ".'
    yield number_of(entry) == task["number"], f'An entry ends with the number of the change, "(#{task["number"]})".'
    text = re.sub(r"^- \w+: ", "", re.sub(r"\s*\(#\d+\)$", "", entry))
    marked = text.startswith("**Breaking:** ")
    yield marked == task["breaking"], (
        'What users have to adapt to is marked "**Breaking:** " before the sentence.'
        if task["breaking"]
        else 'Only what users have to adapt to is marked "**Breaking:** ".'
    )
    sentence = text.removeprefix("**Breaking:** ")
    yield re.match(r"[A-Z`]", sentence) is not None, "The sentence begins with a capital letter."
    yield not sentence.endswith("."), "There is no full stop at the end of the sentence."
    yield len(entry) <= LONGEST, f"An entry has at most {LONGEST} characters; this one has {len(entry)}."


def main():
    task = json.loads(Path("task.json").read_text(encoding="utf-8"))
    results = list(checks(task, lines_of("project/CHANGELOG.md"), lines_of("CHANGELOG.md")))
    problems = [problem for right, problem in results if not right]
    for problem in problems:
        print(problem)
    # Without an entry there is nothing to be right about.
    print(0 if len(results) == 1 else round(1 - len(problems) / len(results), 3))
    return 1 if problems else 0


sys.exit(main())
