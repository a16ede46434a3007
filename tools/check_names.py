#!/usr/bin/env python3
"""Fails where a function in an anonymous namespace is called like one that a header of its own module declares, or one of base/ or linalg/.

Sources of a module are compiled in groups (LIMBER_UNITY): those after it would call it in place of the header's, without a word where the
arguments convert."""

import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ANONYMOUS = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
# A declaration or definition that starts its line: words and types, then NAME(.
FUNCTION = re.compile(r"^(?![\s#/}])[^\n;{}()=]*?[\s&*]([a-z_]\w*)\(", re.MULTILINE)
EVERYWHERE = ("src/limber/base", "src/limber/linalg")


def functions(text: str) -> set[str]:
    return set(FUNCTION.findall(text))


def main() -> int:
    declared: dict[str, set[str]] = defaultdict(set)
    for header in [*ROOT.glob("src/limber/*/*.hpp"), *ROOT.glob("apps/limber/*.hpp")]:
        declared[str(header.parent.relative_to(ROOT))] |= functions(header.read_text())
    everywhere = set().union(*(declared[folder] for folder in EVERYWHERE))
    found = []
    for source in sorted([*ROOT.glob("src/limber/*/*.cpp"), *ROOT.glob("apps/limber/*.cpp")]):
        names = set().union(*(functions(block) for block in ANONYMOUS.findall(source.read_text())))
        for name in sorted(names & (declared[str(source.parent.relative_to(ROOT))] | everywhere)):
            found.append(f"{source.relative_to(ROOT)}: {name}() in an anonymous namespace hides one of a header from the sources after it; rename it")
    print("\n".join(found) if found else "names: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
