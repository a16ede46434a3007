#!/usr/bin/env python3
"""Fails unless every block of C++ in docs/embedding.md stands, as it is but for its indentation, in the example that tests compile and run."""

import pathlib
import re
import sys
import textwrap

root = pathlib.Path(__file__).resolve().parent.parent
page = (root / "docs/embedding.md").read_text()
example = "\n".join(line.strip() for line in (root / "examples/library/embed_a_body.cpp").read_text().splitlines())

blocks = re.findall(r"^```cpp\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
missing = [block for block in blocks if "\n".join(line.strip() for line in block.strip().splitlines()) not in example]
for block in missing:
    print("docs/embedding.md: not in examples/library/embed_a_body.cpp:\n" + textwrap.indent(block, "  "), file=sys.stderr)
if missing or not blocks:
    sys.exit(1)
print(f"embedding: ok, {len(blocks)} blocks")
