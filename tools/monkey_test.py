#!/usr/bin/env python3
"""The monkey finds faults that are planted for it, and none where there is none.

Its command is a script here that does what a test says, in place of limber.
"""

import json
import stat
import struct
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent))

from monkey import cases, damage, meshes, options, results, rules, scene_cases, scenes, surfaces  # noqa: E402
from monkey.case import Case, Step, Stock  # noqa: E402
from monkey.judge import Judge  # noqa: E402
from monkey.process import Limits, Surroundings  # noqa: E402

PROLOGUE = """
import json, os, signal, sys, tempfile, time
def fail(text, status=2):
    sys.stderr.write(text)
    sys.exit(status)
def write(name, text):
    open(name, "w").write(text)
"""


EMPTY = Stock({}, {}, [], [])


class MonkeyTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name)

    def command(self, body: str, seconds: float = 20.0) -> Judge:
        """A judge of a command that does what `body` says."""
        script = self.folder / "limber"
        script.write_text(f"#!{sys.executable}\n{PROLOGUE}\n{textwrap.dedent(body)}")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        return Judge(script, Limits(seconds=seconds))

    def found(self, body: str, step: Step, seconds: float = 20.0) -> list[tuple[str, str]]:
        case = Case("test", {"input.msh": b"a mesh"}, [step])
        record = self.command(body, seconds).run(case, self.folder / "run")
        return [(one.rule, one.detail) for one in record.found]

    def expect(self, rule: str, body: str, step: Step | None = None, seconds: float = 20.0):
        found = self.found(body, step or Step(["inspect", "input.msh"]), seconds)
        self.assertIn(rule, [name for name, _ in found], found)

    def expect_nothing(self, body: str, step: Step | None = None):
        self.assertEqual(self.found(body, step or Step(["inspect", "input.msh"])), [])


class Rules(MonkeyTest):
    def test_nothing_is_found_where_all_is_well(self):
        self.expect_nothing("print('a mesh')")
        self.expect_nothing("fail('limber: error: input.msh: is no mesh; give another\\n')")
        self.expect_nothing("fail('modes  21 %  6 s left\\nlimber: error: input.msh: is no mesh; give another\\n')")
        self.expect_nothing("sys.stderr.write('limber: warning: coarse\\n'); write('out.csv', '1,2,3\\n')",
                            Step(["x"], "good", outputs=frozenset({"out.csv"})))  # fmt: skip

    def test_death_by_a_signal(self):
        self.expect("signal", "os.kill(os.getpid(), signal.SIGSEGV)")

    def test_another_status(self):
        self.expect("status", "fail('limber: error: no\\n', 3)")
        self.expect("status", "fail('limber: error: no\\n', 1)", Step(["x"], "bad"))

    def test_a_hang(self):
        self.expect("hang", "time.sleep(60)", seconds=0.1)
        self.expect("hang", "while True: pass", seconds=1.0)

    def test_much_memory(self):
        usual, rules.MOST_MEMORY = rules.MOST_MEMORY, 50 << 20
        try:
            self.expect("memory", "b = bytearray(60 << 20)")
        finally:
            rules.MOST_MEMORY = usual
        self.expect("memory", "fail('limber: error: out of memory: use a coarser mesh\\n')")

    def test_more_or_less_than_one_line(self):
        self.expect("one line", "fail('limber: error: a\\nlimber: error: b\\n')")
        self.expect("one line", "sys.exit(2)")
        self.expect("one line", "fail('something went wrong\\n')")
        self.expect("stderr", "fail('limber: error: no end')")
        self.expect("stderr", "sys.stderr.write('limber: error: but status 0\\n')")

    def test_messages_for_nobody(self):
        for text in ("std::bad_alloc", "the force is nan", "[json.exception.type_error.302]", "expected 18446744073709551615",
                     "vector::_M_range_check", "at 0x7ffe12", "read failed (Success)", "tab\\there", "expected:",
                     "bodies[0]: no mesh", "basis.modes is 0"):  # fmt: skip
            self.expect("message", f"fail('limber: error: {text}\\n')")
        self.expect_nothing("fail(f'limber: error: {sys.argv[2]} is no number; give one\\n')", Step(["modes", "nan"]))
        self.expect_nothing("fail('limber: error: basis.modes is 0\\n')", Step(["simulate", "basis.modes"]))

    def test_what_is_left_behind(self):
        self.expect("left behind", "write('out.glb', 'half'); fail('limber: error: no\\n')",
                    Step(["x"], outputs=frozenset({"out.glb"})))  # fmt: skip
        self.expect("left behind", "os.mkdir('frames'); fail('limber: error: no\\n')")
        self.expect("left behind", "write('.limber-abc', ''); os.kill(os.getpid(), signal.SIGABRT)")
        self.expect("left behind", "tempfile.mkstemp(); print('fine')")

    def test_inputs_that_change(self):
        self.expect("input changed", "write('input.msh', 'other')")
        self.expect("input lost", "os.remove('input.msh')")
        self.expect("input changed", "write('input.msh', 'other'); fail('limber: error: no\\n')",
                    Step(["x"], outputs=frozenset({"input.msh"})))  # fmt: skip

    def test_what_was_not_asked_for(self):
        self.expect("not asked for", "write('more.txt', 'x')")

    def test_what_was_expected(self):
        self.expect("refused", "fail('limber: error: no\\n')", Step(["x"], "good"))
        self.expect("accepted", "print('fine')", Step(["x"], "bad"))
        self.expect("message", "fail('limber: error: no\\n')", Step(["x"], "bad", ("--rank",)))
        self.expect_nothing("fail('limber: error: --rank is 0; give 1 or more\\n')", Step(["x"], "bad", ("--rank",)))

    def test_a_full_disk(self):
        body = """
            try:
                with open('out.csv', 'w') as out: out.write('1,2,3\\n' * 10000)
            except OSError:
                {then}
                fail('limber: error: out.csv: cannot be written\\n', 1)"""
        step = Step(["x"], file_bytes=1000, outputs=frozenset({"out.csv"}))
        self.expect("left behind", body.format(then="pass"), step)
        self.expect_nothing(body.format(then="os.remove('out.csv')"), step)


class Results(MonkeyTest):
    def judged(self, name: str, content: bytes) -> list[str]:
        path = self.folder / name
        path.write_bytes(content)
        return [rule for rule, _ in results.judge_file(path)]

    def test_json(self):
        self.expect("json", "print('{\"a\": NaN}')", Step(["x", "--json"]))
        self.expect("json", "print('{\"a\": 1')", Step(["x", "--json"]))
        self.expect("json", "print('{\"largest_gap\": null}')", Step(["x", "--json"]))
        self.expect("finite", "print('{\"a\": 1e999}')", Step(["x", "--json"]))
        self.expect("plausible", "print('{\"max_displacement\": 1e9}')", Step(["x", "--json"]))
        self.expect_nothing("print('{\"max_displacement\": 1e9}')", Step(["x", "--json", "--velocity", "2e9"]))
        self.expect("plausible", "print('{\"seconds\": -1}')", Step(["x", "--json"]))
        self.expect_nothing("print('{\"seconds\": 1, \"amplitude_shift\": null}')", Step(["x", "--json"]))

    def test_text(self):
        self.expect("finite", "print('energy -nan J')")
        self.expect_nothing("print('information about nano.msh')")

    def test_files(self):
        self.assertEqual(self.judged("a.csv", b"1,2,3\n4,5,6\n"), [])
        self.assertEqual(self.judged("a.csv", b"1,2,nan\n"), ["finite"])
        self.assertEqual(self.judged("a.csv", b"1,2,3\n4,5\n"), ["results"])
        self.assertEqual(self.judged("a.csv", b"1,2,1e30\n"), ["finite"])
        self.assertEqual(self.judged("a.vtu", b"<VTKFile><a></VTKFile>"), ["results"])
        self.assertEqual(self.judged("a.vtu", meshes.to_vtu(meshes.grid((1, 1, 1), (1.0, 1.0, 1.0)))[".vtu"]), [])
        bad = meshes.to_vtu(meshes.grid((1, 1, 1), (1.0, float("nan"), 1.0)))[".vtu"]
        self.assertEqual(self.judged("a.vtu", bad), ["finite"])
        self.assertEqual(self.judged("a.svg", b"<svg><path d='M 1 nan'/></svg>"), ["finite"])
        self.assertEqual(self.judged("a.png", b"\x89PNG\r\n\x1a\n half"), ["results"])
        self.assertEqual(self.judged("a.html", b"<html>"), ["results"])
        self.assertEqual(self.judged("a.glb", b""), ["results"])

    def test_glb(self):
        def glb(value: float) -> bytes:
            document = {"bufferViews": [{"buffer": 0, "byteLength": 12}],
                        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 1, "type": "VEC3"}]}  # fmt: skip
            text = json.dumps(document).encode()
            text += b" " * (-len(text) % 4)
            binary = struct.pack("<3f", 0.0, value, 1.0)
            size = 12 + 8 + len(text) + 8 + len(binary)
            return (struct.pack("<4sIIII", b"glTF", 2, size, len(text), 0x4E4F534A) + text
                    + struct.pack("<II", len(binary), 0x004E4942) + binary)  # fmt: skip

        self.assertEqual(self.judged("a.glb", glb(1.0)), [])
        self.assertEqual(self.judged("a.glb", glb(float("inf"))), ["finite"])
        self.assertEqual(self.judged("a.glb", glb(1.0)[:-1]), ["results"])


class Repeats(MonkeyTest):
    def again(self, body: str, words=("x", "--json")) -> list[str]:
        judge = self.command(body)
        case = Case("test", {}, [Step(list(words), outputs=frozenset({"out.csv"}))])
        first = judge.run(case, self.folder / "run")
        return [found.rule for found in judge.again(case, first, self.folder / "run", Random(1))]

    def test_the_same_bits(self):
        self.assertEqual(self.again("write('out.csv', '1,2,3\\n'); print('{\"seconds\": %r}' % time.time())"), [])

    def test_bits_that_depend_on_the_folder(self):
        self.assertEqual(self.again("write('out.csv', '%d,2,3\\n' % len(os.getcwd())); print('{}')"), ["same bits"])

    def test_bits_that_depend_on_the_environment(self):
        self.assertEqual(self.again("print('{\"a\": %d}' % sum(map(len, os.environ.values())))"), ["same bits"])

    def test_an_end_that_depends_on_the_folder(self):
        body = "if len(os.getcwd()) % 2 == len(os.path.dirname(sys.argv[0])) % 2: fail('limber: error: odd\\n')\nprint('{}')"
        ends = {tuple(self.again(body)) for _ in range(4)}
        self.assertTrue(ends <= {(), ("same bits",)})
        self.assertEqual(self.again("fail('limber: error: in %d\\n' % len(os.getcwd()))"), ["same bits"])

    def with_threads(self, body: str) -> list[str]:
        judge = self.command(body)
        case = Case("test", {}, [Step(["simulate"], outputs=frozenset({"out.csv"}))])
        first = judge.run(case, self.folder / "run")
        return [found.rule for found in judge.with_threads(case, first, self.folder / "run")]

    def test_threads(self):
        self.assertEqual(self.with_threads("write('out.csv', '1,2,%.17g\\n' % (3 + 1e-12 * len(sys.argv)))"), [])
        self.assertEqual(self.with_threads("write('out.csv', '1,2,%d\\n' % len(sys.argv))"), ["threads"])


class Checks(MonkeyTest):
    """What single cases look at."""

    def run_case(self, body: str, case: Case) -> list[str]:
        return [found.rule for found in self.command(body).run(case, self.folder / "run").found]

    def test_energy_that_grows(self):
        body = "scene = json.load(open(sys.argv[2])); print('{\"energy\": %g}' % ENERGY)"
        case = scene_cases.energy(EMPTY, Random(1))
        self.assertEqual(self.run_case(body.replace("ENERGY", "1.0"), case), [])
        grows = body.replace("ENERGY", "scene['solver']['steps'] ** 4")
        self.assertIn("energy", self.run_case(grows, scene_cases.energy(EMPTY, Random(1))))

    def test_a_resumed_run_that_differs(self):
        body = """
            folder = sys.argv[sys.argv.index('--output-dir') + 1]
            os.makedirs(folder, exist_ok=True)
            if folder == 'parts' and '--resume' not in sys.argv: time.sleep(20)
            write(folder + '/u.csv', '1,2,{}\\n')"""
        case = scene_cases.killed(EMPTY, Random(1))
        self.assertEqual(self.run_case(body.format("3"), case), [])
        self.assertIn("resume", self.run_case(body.replace("{}", "%d").replace("\\n')", "\\n' % len(sys.argv))"), case))

    def test_options_that_the_monkey_does_not_know(self):
        def described(name: str, takes_value: bool) -> dict:
            return {"names": ["-x", name], "takes_value": takes_value}

        commands = {
            command: {"options": [described(option.name, bool(option.good)) for option in known] + [described("--help", False)]}
            for command, known in options.COMMANDS.items()
        }
        self.assertEqual(options.differences({"commands": commands}), [])
        commands["schema"]["options"][0] = described("--colour", True)
        commands["bench"]["options"][0]["takes_value"] = False
        commands["paint"] = {"options": [described("--red", False)]}
        self.assertEqual(options.differences({"commands": commands}), [
            "gives --filter of bench a value", "lacks --red of paint", "lacks --colour of schema",
            "has --markdown of schema, which knows no such option"])  # fmt: skip

    def test_a_kill(self):
        step = Step(["view"], around=Surroundings(kill_after=0.2))
        self.assertEqual(self.run_case("write('half', ''); time.sleep(20)", Case("test", {}, [step])), [])


class Cases(unittest.TestCase):
    """Cases are made from their random numbers alone, and are what they say."""

    def stock(self) -> Stock:
        pool = {name: b"glTF" + name.encode() for name in ("model_exact.glb", "model_small.glb", "tree_auto.glb", "tree_free.glb", "u.csv")}
        example = json.dumps({"bodies": [{"mesh": "builtin:spoon"}], "solver": {"steps": 500}}).encode()
        keys = scenes.schema_keys({"properties": {"bodies": {"items": {"properties": {"mesh": {}}}}}})
        self.assertEqual(keys, ["bodies", "mesh"])
        return Stock(pool, {"scenes/one.json": example, "motions/a.gltf": b"{}"}, [("a.obj", b"v 0 0 0\n")], keys)

    def test_the_same_seed_makes_the_same_case(self):
        stock = self.stock()
        for number in range(300):
            a, b = cases.make(stock, Random(f"1/{number}")), cases.make(stock, Random(f"1/{number}"))
            self.assertEqual((a.kind, a.files, [s.words for s in a.steps]), (b.kind, b.files, [s.words for s in b.steps]))

    def test_every_kind_of_case_and_every_command_comes_up(self):
        stock = self.stock()
        made = [cases.make(stock, Random(number)) for number in range(3000)]
        words = {step.words[0] for case in made for step in case.steps if step.words}
        self.assertTrue(set(options.COMMANDS) - {"demo"} <= words, words)
        kinds = {case.kind.split(":")[0] for case in made}
        self.assertTrue(set(cases.KINDS) - {"demo"} <= kinds, kinds)

    def test_every_bad_value_comes_with_its_option(self):
        for command, known in options.COMMANDS.items():
            names = [option.name for option in known]
            self.assertEqual(len(names), len(set(names)), command)
            self.assertTrue(all(name.startswith("--") for name in names), command)

    def test_meshes_have_the_volume_they_should(self):
        mesh = meshes.grid((2, 1, 3), (2.0, 1.0, 3.0))
        volume = 0.0
        for a, b, c, d in mesh.elements:
            x, y, z = ([mesh.vertices[v][i] - mesh.vertices[a][i] for i in range(3)] for v in (b, c, d))
            part = sum(x[i] * (y[(i + 1) % 3] * z[(i + 2) % 3] - y[(i + 2) % 3] * z[(i + 1) % 3]) for i in range(3)) / 6
            self.assertGreater(part, 0.0)
            volume += part
        self.assertAlmostEqual(volume, 6.0)

    def test_every_odd_mesh_can_be_written_in_every_format(self):
        for seed in range(300):
            mesh = meshes.odd(Random(seed))
            for write in meshes.WRITERS:
                self.assertTrue(all(isinstance(content, bytes) for content in write(mesh).values()))
            surface = surfaces.odd(Random(seed))
            for write in surfaces.WRITERS.values():
                self.assertIsInstance(write(surface), bytes)

    def test_damage_changes_files(self):
        content = b"$Nodes\n1 0.5 0.25 2\n$EndNodes\n" * 5
        changed = sum(damage.damaged(Random(seed), content) != content for seed in range(200))
        self.assertGreater(changed, 190)

    def test_mutations_change_scenes(self):
        scene = {"bodies": [{"mesh": "builtin:beam"}], "solver": {"type": "dynamic", "steps": 4, "timestep": 0.1}}
        changed = sum(json.dumps(scenes.mutated(Random(seed), scene, ["mass"])) != json.dumps(scene) for seed in range(200))
        self.assertGreater(changed, 170)


if __name__ == "__main__":
    unittest.main()
