#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tools/check_layers.py see each broken rule, and say what to do?"""
import contextlib
import importlib.util
import io
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "check_layers.py"
SPEC = importlib.util.spec_from_file_location("check_layers", TOOL)
sys.dont_write_bytecode = True
layers = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(layers)

FOLDERS = {"low": [".", "mid", ("top", "beside")]}
HOOKS = {"low/mid/hook.h": "a reason"}
EXCEPTIONS = {("low/a.c", "low/top/top.h"): "a reason", ("low/d.h", "low/top/"): "a reason"}
# One use of each hook and exception.
USES = {"low/uses.c": ["low/mid/hook.h"], "low/a.c": ["low/top/top.h"], "low/d.h": "int d(int);\n",
        "low/top/d.c": "int d(int)\n{\n}\n"}


class Layers(unittest.TestCase):
    def check(self, files, folders=None):
        """Answers (exit status, lines) for files NAME: text, or NAME: [included, ...]."""
        with tempfile.TemporaryDirectory() as folder:
            src = Path(folder)
            src.joinpath("LAYERS").write_text("# lowest first\nbase  a\nlow  b\nhigh  c\n")
            for name, text in files.items():
                path = src / name
                path.parent.mkdir(parents=True, exist_ok=True)
                if isinstance(text, list):
                    text = "".join(f'#include "{included}"\n' for included in text)
                path.write_text(text)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                status = layers.check(src, folders or layers.Folders({}, {}, {}))
            return status, out.getvalue().replace(f"{src}/", "").splitlines()

    def inside(self, files):
        """The same with the rules inside layer `low`."""
        return self.check({**USES, **files}, layers.Folders(FOLDERS, HOOKS, EXCEPTIONS))

    def assert_offence(self, result, place, *parts):
        """There is one offence, at that place, and its line has these parts."""
        status, lines = result
        self.assertEqual((status, len(lines)), (1, 2), lines)
        self.assertTrue(lines[0].startswith(place + ": "), lines)
        for part in parts:
            self.assertIn(part, lines[0])
        self.assertIn(" 1 offences", lines[1])

    def assert_good(self, result):
        self.assertEqual((result[0], len(result[1])), (0, 1), result[1])

    # --- Between layers

    def test_layers(self):
        self.assert_good(self.check({"high/a.c": ["low/a.h", "usermm/page.h"]}))
        self.assert_offence(self.check({"low/a.c": "\n#include \"high/a.h\"\n"}), "low/a.c:2",
                            '"high/a.h": low is below high in src/LAYERS', "move the code up")
        self.assert_offence(self.check({"low/a.c": ["other/a.h"]}), "low/a.c:1",
                            "other is no layer", "add the layer to src/LAYERS")
        self.assert_offence(self.check({"low/a.c": ["a.h"]}), "low/a.c:1", 'write "LAYER/a.h"')
        self.assert_offence(self.check({"other/a.c": ""}), "other/a.c:1", "other is no layer",
                            "move the file into a layer's folder")

    def test_nothing(self):
        self.assertEqual(self.check({})[0], 1, "nothing was looked at")

    # --- Inside a layer

    def test_downward(self):
        self.assert_good(self.inside({
            "low/mid/b.c": ["low/a.h", "low/mid/private.h"],
            "low/mid/b.h": ["low/a.h"],
            "low/top/c.h": ["low/a.h", "low/mid/private.h", "low/beside/d.h"],
            "low/beside/d.h": ["low/top/private.h"],
            "high/e.c": ["low/top/private.h"],
        }))

    def test_hook(self):
        self.assert_good(self.inside({"low/b.c": ["low/mid/hook.h"],
                                      "low/b.cc": ["low/mid/hook.h"]}))
        self.assert_offence(self.inside({"low/b.h": ["low/mid/hook.h"]}), "low/b.h:1",
                            "inside low the spine is below mid/", "a header must not",
                            "move the code to a .c file")
        self.assert_offence(self.inside({"low/b.c": ["low/mid/private.h"]}), "low/b.c:1",
                            '"low/mid/private.h": inside low the spine is below mid/',
                            "no hook", "include low/mid/hook.h", "move the code up to mid/")

    def test_no_hook(self):
        for name, own in ("low/b.c", "the spine"), ("low/mid/b.c", "mid/"):
            self.assert_offence(self.inside({name: ["low/top/top.h"]}), f"{name}:1",
                                f"inside low {own} is below top/", "no hooks",
                                "move the code up to top/")

    def test_unknown_folder(self):
        for files in {"low/new/b.c": ["low/top/top.h"]}, {"high/new/b.c": []}:
            place, = files
            self.assert_offence(self.inside(files), f"{place}:1", "has no rank inside",
                                "add new to FOLDERS in tools/check_layers.py")

    def test_declared_elsewhere(self):
        function = "/* f(); */\nint f(int a,\n      int b)"
        for below in "low/a.h", "low/mid/private.h":
            self.assert_offence(self.inside({below: function + ";\n",
                                             "low/top/c.c": function + "\n{\n}"}),
                                f"{below}:2", "f() is defined in top/",
                                "declare it in a header of top/")
        for good in (("low/top/a.h", "low/top/c.c"), ("low/mid/a.h", "high/c.c")):
            self.assert_good(self.inside({good[0]: function + ";\n",
                                          good[1]: function + "\n{\n}"}))
        self.assert_good(self.inside({"low/a.h": function + ";\n",
                                      "low/top/c.c": "static " + function[11:] + "\n{\n}"}))

    def test_unused(self):
        for files, entry in (
                ({"low/uses.c": [], "low/mid/b.c": ["low/mid/hook.h"]}, "HOOKS: low/mid/hook.h"),
                ({"low/a.c": []}, "EXCEPTIONS: low/a.c, low/top/top.h"),
                ({"low/d.h": ""}, "EXCEPTIONS: low/d.h, low/top/")):
            status, lines = self.inside(files)
            self.assertEqual((status, len(lines)), (0, 2), lines)
            self.assertIn(f"warning: {entry}: nothing needs it; delete the entry", lines[0])

    def test_own_tables(self):
        """Each hook and exception of src/ goes upward between known folders, and is argued."""
        ranks = layers.Folders(layers.FOLDERS, layers.HOOKS, layers.EXCEPTIONS).ranks
        for hook, reason in layers.HOOKS.items():
            layer, folder = layers.split(hook)
            self.assertGreater(ranks[layer][folder], 0, hook)
            self.assertTrue(reason, hook)
        for (name, header), reason in layers.EXCEPTIONS.items():
            (layer, own), (other_layer, other) = layers.split(name), layers.split(header)
            self.assertEqual(layer, other_layer)
            if not header.endswith("/"):
                self.assertLess(ranks[layer][own], ranks[layer][other], name)
            self.assertTrue(reason, name)

    # --- Single files

    def test_hooks_to_layers(self):
        table = {"base/upward_hooks.h": "extern void (*hook)(void);\n"}
        for hook in ("static void (*hook)(void);\n", "extern int (*hook)(int a);\n",
                     "bool (*hook)(void) = NULL;\n"):
            self.assert_offence(self.check({**table, "low/a.c": '#include "low/b.h"\n' + hook}),
                                "low/a.c:2", "a hook at file scope",
                                "declare it in base/upward_hooks.h")
            self.assert_good(self.check({"low/a.c": hook}))
            self.assert_good(self.check({**table, "low/a.c":
                                         '#include "base/upward_hooks.h"\n' + hook}))
        typed = "typedef void (*call)(void);\nstatic call above;\n"
        self.assert_offence(self.check({**table, "low/a.c": typed}), "low/a.c:2",
                            "a hook at file scope", "declare it in base/upward_hooks.h")
        for other in "typedef void (*call)(void);\n", "void run(void (*call)(void))\n":
            self.assert_good(self.check({**table, "low/a.h": other}))

    def test_leaf(self):
        with unittest.mock.patch.dict(layers.LEAVES, {"low/a.c": ["low/a.h"]}):
            files = {"low/a.h": "", "low/b.h": ""}
            self.assert_good(self.check({**files, "low/a.c": '#include "low/a.h"\n'}))
            self.assert_offence(self.check({**files, "low/a.c": '#include "low/b.h"\n'}),
                                "low/a.c:1", "is a leaf", "move the code")

    def test_forbidden(self):
        for text, what, way in (("#include <stdio.h>\n", "<stdio.h>", "base/fmt.h"),
                                ("#include <locale.h>\n", "<locale.h>", "base/fmt.h"),
                                ("#include <dlfcn.h>\n", "<dlfcn.h>", "link to the symbol"),
                                ("#include <stdatomic.h>\n", "<stdatomic.h>", "base/atomic.h"),
                                ("a = dlsym(b, c);\n", "dlsym()", "link to the symbol"),
                                ("a = getenv(b);\n", "getenv()", "base/options.def"),
                                ("__atomic_load_n(a, 0);\n", "__atomic_load_n", "add one")):
            self.assert_offence(self.check({"low/a.c": text}), "low/a.c:1", what, way)
        self.assert_good(self.check({"low/a.c": "/* getenv() */ \"__atomic_load_n\" // dlsym(\n"}))

    def test_lines(self):
        self.assert_good(self.check({"low/a.c": "\n" * 600}))
        status, lines = self.check({"low/a.c": "\n" * 601})
        self.assertEqual((status, len(lines)), (0, 2))
        self.assertIn("low/a.c:601: warning", lines[0])
        self.assert_offence(self.check({"low/a.c": "\n" * 1001}), "low/a.c:1001",
                            "1000 are the limit", "split the file")


if __name__ == "__main__":
    unittest.main()
