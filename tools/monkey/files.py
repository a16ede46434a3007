"""What is in a folder: names, and what they hold, to see what a command changed."""

import hashlib
import os
from pathlib import Path


def snapshot(folder: Path) -> dict[str, str]:
    """Every file and folder below, by its path from there: a hash of its content, or 'folder', or where a link leads."""
    found = {}
    for parent, folders, names in os.walk(folder):
        for name in folders + names:
            path = Path(parent, name)
            key = path.relative_to(folder).as_posix()
            if path.is_symlink():
                found[key] = "link to " + os.readlink(path)
            elif path.is_dir():
                found[key] = "folder"
            else:
                found[key] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def belongs_to(name: str, outputs: frozenset[str]) -> bool:
    """Whether a path is one of the outputs, or below one that ends with '/', or a folder above one."""
    for output in outputs:
        if output.endswith("/"):
            if name == output[:-1] or name.startswith(output):
                return True
        elif name == output:
            return True
        if output.startswith(name + "/"):
            return True
    return False


def put(folder: Path, files: dict[str, bytes]) -> None:
    """Writes files into a folder. A name that ends with '/' is an empty folder."""
    for name, content in files.items():
        path = folder / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
