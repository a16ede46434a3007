"""Which cases there are, and how often each comes up."""

from random import Random
from typing import Callable

from . import file_cases, model_cases, scene_cases, word_cases
from .case import Case, Stock

# Name: what makes it, and how often relative to others.
KINDS: dict[str, tuple[Callable, float]] = {
    "help": (word_cases.help, 1),
    "usage": (word_cases.usage, 4),
    "bad option": (word_cases.bad_option, 14),
    "good options": (word_cases.good_options, 12),
    "refused output": (word_cases.refused_output, 3),
    "full disk": (word_cases.full_disk, 3),
    "mesh files": (file_cases.mesh_files, 10),
    "surface files": (file_cases.surface_files, 7),
    "damaged file": (file_cases.damaged_file, 9),
    "builtins": (file_cases.builtins, 3),
    "scene": (scene_cases.scene, 20),
    "mutated scene": (scene_cases.mutated_scene, 16),
    "mutated example": (scene_cases.mutated_example, 4),
    "energy": (scene_cases.energy, 4),
    "killed": (scene_cases.killed, 2),
    "reduce": (model_cases.reduce, 10),
    "models used": (model_cases.models_used, 6),
    "compare": (model_cases.compare, 4),
    "bench": (word_cases.bench, 0.3),
    "view": (word_cases.view, 0.3),
    "demo": (word_cases.demo, 0.03),
}


def make(stock: Stock, random: Random) -> Case:
    names = sorted(KINDS)
    kind = random.choices(names, [KINDS[name][1] for name in names])[0]
    return KINDS[kind][0](stock, random)
