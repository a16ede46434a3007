#!/usr/bin/env python3
"""Fails where a function in an anonymous namespace is called like one that a header of its own module declares, or one of base/ or linalg/, and where two
sources of a module have a constant or a type of one name in theirs.

Sources of a module are compiled in groups (LIMBER_UNITY): those after the function would call it in place of the header's, without a word where the
arguments convert; and which sources share a group is decided by their number."""

import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ANONYMOUS = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
# A declaration or definition that starts its line: words and types, then NAME(.
FUNCTION = re.compile(r"^(?![\s#/}])[^\n;{}()=]*?[\s&*]([a-z_]\w*)\(", re.MULTILINE)
# A constant or a type that starts its line.
CONSTANT = re.compile(r"^(?:constexpr|const)\b[^\n;(){}]*?=[^;]*;|^(?:constexpr|const)\b[^;(){}=]*\{[^;]*;", re.MULTILINE)
DECLARED = re.compile(r"(?<![.\w])([a-z]\w*)(?:\[\w*\])?\s*(?:=[^=]|\{)")
TYPE = re.compile(r"^(?:struct|class|enum class|enum)\s+(\w+)", re.MULTILINE)
EVERYWHERE = ("src/limber/base", "src/limber/linalg")


def functions(text: str) -> set[str]:
    return set(FUNCTION.findall(text))


def main() -> int:
    declared: dict[str, set[str]] = defaultdict(set)
    for header in [*ROOT.glob("src/limber/*/*.hpp"), *ROOT.glob("apps/limber/*.hpp")]:
        declared[str(header.parent.relative_to(ROOT))] |= functions(header.read_text())
    everywhere = set().union(*(declared[folder] for folder in EVERYWHERE))
    found = []
    alone = re.search(r"set\(LIMBER_ALONE(.*?)\)", (ROOT / "cmake/LimberTarget.cmake").read_text(), re.DOTALL)[1].split()
    owners: dict[tuple[str, str], Path] = {}
    for source in sorted([*ROOT.glob("src/limber/*/*.cpp"), *ROOT.glob("apps/limber/*.cpp")]):
        blocks = ANONYMOUS.findall(source.read_text())
        names = set().union(*(functions(block) for block in blocks))
        for name in sorted(names & (declared[str(source.parent.relative_to(ROOT))] | everywhere)):
            found.append(f"{source.relative_to(ROOT)}: {name}() in an anonymous namespace hides one of a header from the sources after it; rename it")
        if source.parent.name == "bodies" or f"{source.parent.name}/{source.stem}" in alone:
            continue
        own = {name for block in blocks for name in TYPE.findall(block)}
        own |= {name for block in blocks for constant in CONSTANT.findall(block) for name in DECLARED.findall(constant)}
        for name in sorted(own):
            owner = owners.setdefault((str(source.parent), name), source)
            if owner != source:
                found.append(f"{source.relative_to(ROOT)}: {name} is also in an anonymous namespace of {owner.name}; rename one of them")
    print("\n".join(found) if found else "names: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
