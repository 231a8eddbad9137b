#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Warnings are errors for developers of usermm, and no errors for its users.

A newer compiler has new warnings, and these must not stop a user's build.
"""
import json
import sys
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "cmake"))
import run_tests

# What `make build` and the README's commands configure.
OF_USERS = {"release", "aarch64", "riscv64", "ppc64le", "s390x", "loong64", "musl"}


def variables_of(presets, name):
    preset = presets[name]
    parents = preset.get("inherits", [])
    found = {}
    for parent in reversed([parents] if isinstance(parents, str) else parents):
        found |= variables_of(presets, parent)
    return found | preset.get("cacheVariables", {})


class Warnings(unittest.TestCase):
    def test_presets(self):
        presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
        presets = {preset["name"]: preset for preset in presets}
        strict = {name for name, preset in presets.items() if not preset.get("hidden") and
                  variables_of(presets, name).get("USERMM_WERROR", "OFF") != "OFF"}
        named = {name for name, preset in presets.items() if not preset.get("hidden")}
        self.assertEqual(strict, named - OF_USERS)

    def test_make_test(self):
        with mock.patch.object(run_tests, "run", return_value=(True, 0.0)) as run:
            self.assertIsNone(run_tests.build_flavour("release", 1)[0])
        configured = run.call_args_list[0].args[0]
        self.assertIn("--preset", configured)
        self.assertIn("-DUSERMM_WERROR=ON", configured)


if __name__ == "__main__":
    sys.exit(unittest.main())
