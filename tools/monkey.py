#!/usr/bin/env python3
"""Random commands and random scenes for the command limber, checked by rules.

  tools/monkey.py --limber build/release/apps/limber/limber --runs 1000 --seed 1

A run is a case: a few small files, good or odd, and a few commands. It is made from the seed and its number alone. What
breaks a rule is a finding: its command and the rule are printed, and its folder is kept. `--only K` repeats run K.

The rules: no death by a signal, no status but 0, 1 and 2, one clear line on failure, nothing left behind then, no input
changed, nothing written that was not asked for, results that are whole, finite and plausible, energy that does not grow,
the same bits in another folder with another environment and heap, nearly the same numbers with two threads, resumed runs
that end as whole ones do; all within limits of time and memory. tools/monkey/ holds them.

Exit status: 0 without findings, 1 with some, 2 where it could not run.
"""

import argparse
import collections
import json
import re
import shutil
import sys
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent))

from monkey import cases, files, options, process  # noqa: E402
from monkey.case import BEAM, Case, Stock  # noqa: E402
from monkey.judge import Found, Judge, Record  # noqa: E402
from monkey.process import Limits, Surroundings  # noqa: E402
from monkey.scenes import schema_keys  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
SHARE_AGAIN = 0.15  # of the cases that may be repeated for their bits
SHARE_THREADS = 0.1
MOST_OF_A_KIND = 3  # findings that look alike are counted, not printed

# What cases start from: results of these commands.
POOL = {
    "model_exact.glb": ["reduce", BEAM, "--modes", "4", "--rank", "6"],
    "model_inertia.glb": ["reduce", BEAM, "--basis", "inertia", "--modes", "4", "--rank", "6", "--condense", "random"],
    "model_cubature.glb": ["reduce", BEAM, "--law", "neo-hookean", "--modes", "3", "--rank", "4", "--points", "12"],
    "model_modal.glb": ["reduce", BEAM, "--law", "corotational", "--forces", "modal-cubature", "--modes", "3", "--rank", "4"],
    "model_small.glb": ["reduce", BEAM, "--modes", "2", "--rank", "3", "--no-simulation-mesh"],
    "tree_auto.glb": ["reduce", "builtin:beam?cells=6,1,1", "--domains", "auto:3", "--rank", "4"],
    "tree_free.glb": ["reduce", "builtin:beam?cells=6,1,1", "--domains", "auto:2", "--rank", "3", "--free"],
}  # fmt: skip


def make_pool(limber: Path, folder: Path, limits: Limits) -> dict[str, bytes]:
    """Runs the commands of the pool. Throws where one fails: cases would mean little then."""
    shutil.rmtree(folder, ignore_errors=True)
    aside = folder / "aside"
    aside.mkdir(parents=True)
    pool = {}
    commands = {name: [*words, "-o", name] for name, words in POOL.items()}
    scene = {
        "bodies": [{"mesh": BEAM, "loads": [{"nearest": [1, 0, 0], "force": [0, 0, -50]}]}],
        "output": {"displacements": "u.csv"},
    }
    files.put(folder, {"scene.json": json.dumps(scene).encode()})
    commands["u.csv"] = ["simulate", "scene.json"]
    for name, words in commands.items():
        outcome = process.run([str(limber), *words], folder, aside, limits, Surroundings())
        if outcome.status != 0 or outcome.signal:
            raise RuntimeError(f"limber {' '.join(words)}: status {outcome.status}, signal {outcome.signal}: {outcome.err}")
        pool[name] = (folder / name).read_bytes()
    return pool


def read_examples() -> dict[str, bytes]:
    """Scenes and motions of the project, by their paths below examples/."""
    examples = ROOT / "examples"
    found = [*examples.glob("scenes/*.json"), *examples.glob("motions/*")]
    return {path.relative_to(examples).as_posix(): path.read_bytes() for path in found}


def read_corpus() -> list[tuple[str, bytes]]:
    """Small files of every format that the fuzzers start from."""
    found = sorted(path for path in (ROOT / "tests/fuzz/corpus").glob("*/*.*") if path.suffix != ".bin")
    return [(path.name, path.read_bytes()) for path in found]


class Session:
    """All runs of one call."""

    def __init__(self, arguments):
        self.seed: int = arguments.seed
        self.work = Path(arguments.work).resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        limits = Limits(seconds=arguments.limit)
        self.limber = Path(arguments.limber).resolve()
        self.judge = Judge(self.limber, limits)
        aside = self.work / "aside"
        aside.mkdir(exist_ok=True)

        def described(*words: str) -> dict:
            return json.loads(process.run([str(self.limber), *words], self.work, aside, limits, Surroundings()).out)

        if wrong := options.differences(described("schema", "--commands")):
            raise RuntimeError(f"tools/monkey/options.py {'; '.join(wrong)}")
        pool = make_pool(self.limber, self.work / "pool", limits)
        self.stock = Stock(pool, read_examples(), read_corpus(), schema_keys(described("schema")))
        self.ends: collections.Counter[str] = collections.Counter()
        self.kinds: collections.Counter[str] = collections.Counter()
        self.seconds: collections.Counter[str] = collections.Counter()
        self.findings: collections.Counter[str] = collections.Counter()
        self.messages: dict[str, str] = {}
        self.runs = 0

    def run(self, number: int, keep: bool = False) -> None:
        random = Random(f"{self.seed}/{number}")
        case = cases.make(self.stock, random)
        folder = self.work / f"run-{self.seed}-{number}"
        started = time.monotonic()
        cores = random.choice((1, 1, 1, 2))
        record = self.judge.run(case, folder, cores=cores)
        found = list(record.found)
        succeeded = all(outcome and outcome.status == 0 and not outcome.killed for outcome in record.outcomes)
        if case.same_bits and not found and random.random() < SHARE_AGAIN:
            found += self.judge.again(case, record, folder, random, cores)
        if case.threads_agree and succeeded and not found and random.random() < SHARE_THREADS:
            found += self.judge.with_threads(case, record, folder)
        self._count(case, record, time.monotonic() - started)
        for one in found:
            self._report(number, case, folder, one)
        if not found and not keep:
            shutil.rmtree(folder)

    def _count(self, case: Case, record: Record, seconds: float) -> None:
        self.runs += 1
        self.kinds[case.kind] += 1
        self.seconds[case.kind] += seconds
        for step, outcome in zip(case.steps, record.outcomes):
            if outcome is None:
                continue
            command = step.words[0] if step.words and re.fullmatch("[a-z]+", step.words[0]) else "limber"
            end = "killed" if outcome.killed else "signal" if outcome.signal else str(outcome.status)
            self.ends[f"{command} {end}"] += 1
            for line in outcome.err.splitlines():
                self.messages.setdefault(_alike(line), line)

    def _report(self, number: int, case: Case, folder: Path, found: Found) -> None:
        kind = f"{found.rule}: {_alike(found.detail)}"
        self.findings[kind] += 1
        if self.findings[kind] > MOST_OF_A_KIND:
            return
        print(f"\nfinding in run {number} of seed {self.seed} ({case.kind}), rule '{found.rule}': {found.detail}")
        print(f"  cd {folder}/case && {found.command}")
        print(f"  again: tools/monkey.py --limber {self.limber} --seed {self.seed} --only {number}", flush=True)

    def summary(self) -> str:
        ends = ", ".join(f"{name}: {count}" for name, count in sorted(self.ends.items()))
        total = sum(self.findings.values())
        return f"{self.runs} runs, {total} findings of {len(self.findings)} kinds; ends by command: {ends}"


def _alike(text: str) -> str:
    """A message without the numbers and names that differ from case to case."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "'...'", text)
    text = re.sub(r"\b[\w.-]+\.(\w{2,10})\b", r"NAME.\1", text)
    return re.sub(r"[-+]?\b\d[\d.,e+-]*", "N", text)[:160]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limber", required=True, help="the command under test")
    parser.add_argument("--runs", type=int, default=1000, help="number of cases [1000]")
    parser.add_argument("--seed", type=int, default=1, help="of all random numbers [1]")
    parser.add_argument("--seconds", type=float, default=0.0, help="stop after this time even if runs are left")
    parser.add_argument("--first", type=int, default=0, help="number of the first case [0]")
    parser.add_argument("--only", type=int, help="repeat this case alone and keep its folder")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds after which a command counts as hanging [60]")
    parser.add_argument("--work", default="build/monkey", help="folder for cases; those with findings stay [build/monkey]")
    parser.add_argument("--messages", help="write one example of each message seen to this file")
    parser.add_argument("--profile", action="store_true", help="print how long each kind of case took")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    try:
        session = Session(arguments)
    except (OSError, RuntimeError, ValueError) as error:
        print(f"monkey: {error}", file=sys.stderr)
        return 2
    started = said = time.monotonic()
    one = arguments.only is not None
    numbers = [arguments.only] if one else range(arguments.first, arguments.first + arguments.runs)
    for number in numbers:
        session.run(number, keep=one)
        now = time.monotonic()
        if now - said > 30.0:
            said = now
            print(f"{session.runs} runs after {now - started:.0f} s, {sum(session.findings.values())} findings", flush=True)
        if arguments.seconds and now - started > arguments.seconds:
            break
    if arguments.messages:
        Path(arguments.messages).write_text("\n".join(sorted(session.messages.values())) + "\n")
    if arguments.profile:
        for kind, seconds in session.seconds.most_common():
            print(f"{seconds:8.1f} s  {session.kinds[kind]:5d} x {kind}")
    for kind, count in session.findings.most_common():
        print(f"{count:6d} x {kind}")
    print(session.summary())
    return 1 if session.findings else 0


if __name__ == "__main__":
    sys.exit(main())
