"""What every run of the command must keep to, whatever it was asked. Each rule gives what it found as (rule, detail)."""

import re
import signal
from pathlib import Path

from .files import belongs_to
from .process import Outcome

Finding = tuple[str, str]

NOTE = re.compile(r"limber: (warning|note): \S")
ERROR = re.compile(r"limber: error: .*\S")
# Where work takes longer than two seconds, as on a busy machine, a line says how far it is.
PROGRESS = re.compile(r"^.+  \d+ %(  .+ left)?\n", re.MULTILINE)
# How long something took, which a note says.
TIME_TAKEN = re.compile(r" in \d+(\.\d+)? s\b")

# Words that no message may hold: numbers that are none, and what only the program's own authors know.
# A word that the user wrote is quoted back to him, which is right.
INTERNAL = re.compile(
    r"std::|basic_\w+|vector::|_M_|terminate|exception|\bwhat\(\)|json\.|parse_error|type_error|Eigen|assert"
    r"|cholmod|openblas|lapack|\bstod\b|\bstoi\b|filesystem error|bad_\w+|nullptr|limber::|\.[ch]pp\b|\b0x[0-9a-f]+"
    r"|\(Success\)|\{\}|-?\bnan\b|-?\binf\b|\bnull\b|1\.79769|-2147483648|18446744073709551615|9223372036854775807",
    re.IGNORECASE,
)
# Keys of scenes, of which nobody is told who wrote none.
KEYS = re.compile(r"bodies\[|\b(solver|basis|forces|domains|material)\.\w")
LONGEST_MESSAGE = 500
MOST_MEMORY = 2 << 30  # bytes, for the tiny bodies of all cases


def judge_end(outcome: Outcome) -> list[Finding]:
    """How it ended: by itself, with a status that means something, in time."""
    if outcome.killed:
        return []
    if outcome.hung:
        return [("hang", "still running when its time was over")]
    if outcome.signal:
        return [("signal", f"ended by {signal.Signals(outcome.signal).name}")]
    if outcome.status not in (0, 1, 2):
        return [("status", f"status {outcome.status}, expected 0, 1 or 2")]
    if outcome.memory > MOST_MEMORY:
        return [("memory", f"took {outcome.memory / 2**30:.1f} GB")]
    return []


def judge_stderr(outcome: Outcome, given: str) -> list[Finding]:
    """One clear line on failure, none but warnings and notes otherwise. given: all that the user wrote, command and scene."""
    if outcome.killed or outcome.hung or outcome.signal:
        return []
    lines = PROGRESS.sub("", outcome.err).splitlines()
    errors = [line for line in lines if not NOTE.match(line)]
    found = []
    if outcome.err and not outcome.err.endswith("\n"):
        found.append(("stderr", "its last line has no end"))
    if outcome.status == 0 and errors:
        found.append(("stderr", f"success, but it says: {errors[0]}"))
    if outcome.status != 0 and len(errors) != 1:
        found.append(("one line", f"{len(errors)} lines that are no warnings, expected 1: {errors[:3]}"))
    if outcome.status != 0 and len(errors) == 1 and not ERROR.match(errors[0]):
        found.append(("one line", f"expected 'limber: error: ...': {errors[0]}"))
    for line in lines:
        found += judge_message(line, given)
    return found


def judge_message(line: str, given: str) -> list[Finding]:
    """A message that a person can use."""
    found = []
    for match in INTERNAL.finditer(line):
        said = match.group().lower()
        # What a binary file holds is quoted back too, where that is what is wrong with it.
        quoted = said.strip("-") in ("inf", "nan") and ("1e999" in given or "expected a finite number" in line)
        if said not in given.lower() and not quoted:
            found.append(("message", f"'{match.group()}' in: {line}"))
            break
    if "bodies" not in given and (match := KEYS.search(line)) and match.group() not in given:
        found.append(("message", f"speaks of a scene, where there is none: {line}"))
    if any(ord(character) < 32 for character in line):
        found.append(("message", f"control characters in: {line!r}"))
    if "out of memory" in line:
        found.append(("memory", f"for a tiny body: {line}"))
    if len(line) > LONGEST_MESSAGE + len(given):
        found.append(("message", f"{len(line)} characters long: {line[:200]}..."))
    if re.search(r"(:|;|,)\s*$", line):
        found.append(("message", f"ends in the middle: {line}"))
    if "  " in line and "  " not in given:
        found.append(("message", f"two blanks in: {line}"))
    return found


def judge_files(
    outcome: Outcome, before: dict[str, str], after: dict[str, str], outputs: frozenset[str]
) -> list[Finding]:
    """Nothing left behind on failure, no input changed, nothing made that was not asked for."""
    found = []
    for name in sorted(before.keys() - after.keys()):
        if not (belongs_to(name, outputs) and outcome.status == 0):
            found.append(("input lost", f"{name} is gone"))
    for name in sorted(before.keys() & after.keys()):
        if before[name] == after[name]:
            continue
        if outcome.killed and belongs_to(name, outputs):
            continue
        if outcome.status != 0 or not belongs_to(name, outputs):
            found.append(("input changed", f"{name} was changed"))
    new = sorted(after.keys() - before.keys())
    if outcome.killed or outcome.hung:  # it had no chance to clean up
        return found
    if outcome.status == 1:  # a motion that fails keeps the frames that it had
        new = [name for name in new if not belongs_to(name, outputs) or Path(name).suffix not in ("", ".vtu", ".pvd")]
    if outcome.status != 0 or outcome.signal:
        if new:
            found.append(("left behind", ", ".join(new[:5]) + (f" and {len(new) - 5} more" if len(new) > 5 else "")))
    else:
        found += [("not asked for", f"{name} was made") for name in new if not belongs_to(name, outputs)]
    return found


def judge_temporary(before: dict[str, str], after: dict[str, str], outcome: Outcome) -> list[Finding]:
    """Nothing stays in the folder for temporary files."""
    new = sorted(after.keys() - before.keys())
    if not new or outcome.killed:
        return []
    return [("left behind", "temporary files: " + ", ".join(new[:5]))]


def judge_expected(outcome: Outcome, expect: str, names: tuple[str, ...]) -> list[Finding]:
    """expect: 'good', 'bad' or 'any'. names: words of which a refusal must hold one, as the option that is wrong; what is good may be refused with one."""
    if outcome.killed or outcome.hung or outcome.signal:
        return []
    if expect == "good" and outcome.status == 2 and any(name in outcome.err for name in names):
        return []
    if expect == "good" and outcome.status != 0:
        return [("refused", f"status {outcome.status}: {outcome.err.strip()[:300]}")]
    if expect == "bad" and outcome.status == 0:
        return [("accepted", "what is wrong was taken without a word")]
    if expect == "bad" and outcome.status != 2:
        return [("status", f"status {outcome.status} for bad input, expected 2: {outcome.err.strip()[:300]}")]
    if expect == "bad" and names and not any(name.lower() in outcome.err.lower() for name in names):
        return [("message", f"names none of {', '.join(names)}: {outcome.err.strip()[:300]}")]
    return []
