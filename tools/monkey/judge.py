"""Runs a case and says what it found; runs it again elsewhere where its bits must be the same."""

import json
import math
import re
import shlex
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from . import files, process, results, rules
from .case import Case, Step
from .process import Limits, Outcome
from .rules import Finding

# What a run says about itself that may differ from one to the next.
TIMES = frozenset(("seconds", "peak_memory_bytes", "speed_up", "speedup_estimate", "read", "setup", "solve", "write", "step", "total"))
# Files that say how long things took.
TIMED_FILES = re.compile(r"(^|/)report/|\.html$")
ROUNDING = 1e-6  # by which one and two threads may differ, as a share of the largest number


@dataclass
class Found:
    step: int  # of the case, from 0
    rule: str
    detail: str
    command: str  # as for a shell


@dataclass
class Record:
    """What a case did: how each step ended, what it printed, and what is in the folder now."""

    outcomes: list[Outcome | None] = field(default_factory=list)
    content: dict[str, str] = field(default_factory=dict)
    found: list[Found] = field(default_factory=list)


class Judge:
    def __init__(self, limber: Path, limits: Limits):
        self.limber = limber
        self.limits = limits

    def run(self, case: Case, folder: Path, variables: tuple[tuple[str, str], ...] = (), cores: int = 1) -> Record:
        """Runs all steps in a fresh folder."""
        record = Record()
        shutil.rmtree(folder, ignore_errors=True)
        inside, aside = folder / "case", folder / "aside"
        inside.mkdir(parents=True)
        aside.mkdir()
        files.put(inside, case.files)
        record.content = files.snapshot(inside)
        for number, step in enumerate(case.steps):
            last = record.outcomes[-1] if record.outcomes else None
            if step.only_after_success and (last is None or last.status != 0 or last.signal):
                record.outcomes.append(None)
                continue
            outcome, after, found = self._step(step, case, inside, aside, record.content, variables, cores)
            record.outcomes.append(outcome)
            record.content = after
            command = shlex.join([str(self.limber), *step.words])
            record.found += [Found(number, rule, detail, command) for rule, detail in found]
        return record

    def _step(self, step: Step, case: Case, inside: Path, aside: Path, before: dict[str, str], variables, cores: int):
        limits = replace(self.limits, cores=cores)
        if step.file_bytes:
            limits = replace(limits, file_bytes=step.file_bytes)
        around = replace(step.around, variables=variables)
        temporary = files.snapshot(aside / "tmp") if (aside / "tmp").exists() else {}
        outcome = process.run([str(self.limber), *step.words], inside, aside, limits, around)
        after = files.snapshot(inside)
        given = _given(step, case)
        found = rules.judge_end(outcome)
        found += rules.judge_stderr(outcome, given)
        # Where only standard output takes nothing, the files are whole and stay.
        complete = bool(step.around.stdout) and outcome.status == 1
        found += rules.judge_files(replace(outcome, status=0) if complete else outcome, before, after, step.outputs)
        found += rules.judge_temporary(temporary, files.snapshot(aside / "tmp"), outcome)
        found += rules.judge_expected(outcome, step.expect, step.names)
        if outcome.status == 0 and not outcome.signal:
            found += self._judge_results(step, inside, outcome, before, after, given)
        return outcome, after, found

    def _judge_results(self, step: Step, inside: Path, outcome: Outcome, before, after, given: str) -> list[Finding]:
        found = []
        farthest = results.farthest_of(given)
        if not step.around.stdout and "--json" in step.words:
            found += results.judge_json(outcome.out, farthest)
        elif not step.around.stdout:
            found += results.judge_text(outcome.out, given)
        for name in sorted(after):
            if after[name] != before.get(name) and after[name] != "folder":
                found += results.judge_file(inside / name, farthest)
        if step.check and not found:
            try:
                found += step.check(inside, outcome)
            except (KeyError, ValueError, TypeError) as error:
                found.append(("results", f"not as expected: {error!r}"))
        return found

    def again(self, case: Case, first: Record, folder: Path, random: Random, cores: int = 1) -> list[Found]:
        """The case once more in a folder of another name, with another environment and another heap: the same bits."""
        variables = (("SOME_VARIABLE", "x" * random.randrange(4000)), *random.choice(HEAPS))
        elsewhere = folder.with_name(folder.name + "-again" + "x" * random.randrange(1, 80))
        second = self.run(case, elsewhere, variables, cores)
        found = self._compare(case, first, second)
        if not found:
            shutil.rmtree(elsewhere)
        return found

    def _compare(self, case: Case, first: Record, second: Record) -> list[Found]:
        for number, (a, b) in enumerate(zip(first.outcomes, second.outcomes)):
            if a is None or b is None:
                continue
            command = shlex.join([str(self.limber), *case.steps[number].words])
            said = [rules.TIME_TAKEN.sub("", rules.PROGRESS.sub("", outcome.err)) for outcome in (a, b)]
            if (a.status, a.signal, said[0]) != (b.status, b.signal, said[1]):
                return [Found(number, "same bits", f"ends otherwise: {a.status} {a.err!r}, then {b.status} {b.err!r}", command)]
            if "--json" in case.steps[number].words and a.status == 0 and _timeless(a.out) != _timeless(b.out):
                return [Found(number, "same bits", "prints other numbers: " + _first_difference(a.out, b.out), command)]
        names = first.content.keys() | second.content.keys()
        other = [n for n in sorted(names) if first.content.get(n) != second.content.get(n) and not TIMED_FILES.search(n)]
        if not other:
            return []
        last = shlex.join([str(self.limber), *case.steps[-1].words])
        return [Found(len(case.steps) - 1, "same bits", "other bits in " + ", ".join(other[:4]), last)]

    def with_threads(self, case: Case, first: Record, folder: Path) -> list[Found]:
        """The case with two threads in place of one: the same numbers to rounding."""
        steps = [replace(step, words=[*step.words, "--threads", "2"]) for step in case.steps if step.words[0] == "simulate"]
        second_folder = folder.with_name(folder.name + "-threads")
        second = self.run(replace(case, steps=steps), second_folder, cores=2)
        found = list(second.found)
        for name in first.content:
            if name.endswith(".csv") and name not in case.files and not found:
                a = results.read_csv(folder / "case" / name)
                b = results.read_csv(second_folder / "case" / name)
                off = _largest_difference(a, b)
                if off > ROUNDING:
                    command = shlex.join([str(self.limber), *steps[0].words])
                    found.append(Found(0, "threads", f"{name} differs by {off:.2g} of its largest number", command))
        if not found:
            shutil.rmtree(second_folder)
        return found


# Other heaps: filled with other bytes, without the cache of freed blocks, with large blocks apart, in one arena.
HEAPS = (
    (),
    (("MALLOC_PERTURB_", "165"),),
    (("MALLOC_PERTURB_", "90"), ("MALLOC_MMAP_THRESHOLD_", "4096")),
    (("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0"),),
    (("GLIBC_TUNABLES", "glibc.malloc.mmap_threshold=1024:glibc.malloc.perturb=255"),),
    (("MALLOC_ARENA_MAX", "1"), ("MALLOC_TOP_PAD_", "12345")),
)


def _given(step: Step, case: Case) -> str:
    """All that the user wrote: words that may come back in messages."""
    texts = [content.decode("utf-8", "replace") for content in case.files.values() if len(content) < 200_000]
    return " ".join([*step.words, *case.files, *texts])


def _timeless(text: str):
    def strip(value):
        if isinstance(value, dict):
            return {key: strip(inner) for key, inner in value.items() if key not in TIMES}
        return [strip(inner) for inner in value] if isinstance(value, list) else value

    try:
        return json.dumps(strip(json.loads(text)))
    except ValueError:
        return text


def _first_difference(a: str, b: str) -> str:
    for x, y in zip(a.splitlines(), b.splitlines()):
        if x != y and not re.search("|".join(f'"{word}"' for word in TIMES), x):
            return f"{x.strip()[:80]} and {y.strip()[:80]}"
    return "of different lengths"


def _largest_difference(a: list[list[float]], b: list[list[float]]) -> float:
    if [len(row) for row in a] != [len(row) for row in b]:
        return math.inf
    largest = max((abs(x) for row in a for x in row), default=0.0)
    off = max((abs(x - y) for p, q in zip(a, b) for x, y in zip(p, q)), default=0.0)
    return off / largest if largest > 0.0 else off
