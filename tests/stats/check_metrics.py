#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads the counters as JSON, and in Prometheus' text format, by the formats' own rules.

    check_metrics.py PRINT-METRICS USERMM

The first is the helper of this folder, the second the command, under which a program ends.
"""
import json
import os
import re
import subprocess
import sys
import time
import unittest

PRINT_METRICS, USERMM = None, None

# Difficult names: with quotes, ends of lines, bytes that are no UTF-8, a cut inside a character,
# and one twice.
NAMES = [b'a"b\\c', b"two\nlines", b"tab\tbell\a", "\u00e4\u20ac\U0001f600".encode(), b"\xff\xc3",
         b"x" * 30 + "\u00e4".encode(), b"x" * 30 + "\u20ac".encode(), b"twice", b"twice",
         b"\xfe", b"\xff"]
SHOWN = ['a"b\\c', "two\nlines", "tab\tbell\a", "\u00e4\u20ac\U0001f600", "\ufffd\ufffd",
         "x" * 30 + "\ufffd", "x" * 30 + "\ufffd", "twice", "twice", "\ufffd", "\ufffd"]

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
HELP = re.compile(rf"# HELP ({NAME}) ((?:[^\\]|\\\\|\\n)+)")
TYPE = re.compile(rf"# TYPE ({NAME}) (counter|gauge)")
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\]|\\["\\n])*"'
SAMPLE = re.compile(rf"({NAME})(?:{{({LABEL}(?:,{LABEL})*)}})? ([0-9]+)")
COLUMNS = ["active_objs", "num_objs", "objsize", "objperslab", "pagesperslab", "active_slabs",
           "num_slabs"]


def printed(report, names=()):
    done = subprocess.run([PRINT_METRICS, report, *names], capture_output=True, timeout=60)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.decode()     # raises if the bytes are no UTF-8


def said_at_exit(options):
    """The report at exit of /bin/sort, which does not fork."""
    done = subprocess.run([USERMM, "run", "-o", options, "--", "/bin/sort", "/etc/passwd"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stderr


# malloc_stats_print() of a program that has many blocks of pages; its function allocates.
PRINT_LONG = """if True:
    import ctypes, sys
    blocks, pieces = [bytes(70000) for _ in range(2000)], []
    take = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)
    ctypes.CDLL(None).malloc_stats_print(take(lambda _, text: pieces.append(text)), None, None)
    sys.stdout.buffer.write(b"".join(pieces))
"""


def no_key_twice(pairs):
    assert len(pairs) == len(dict(pairs)), pairs
    return dict(pairs)


def read_json(text):
    def refuse(constant):
        raise ValueError(constant)
    return json.loads(text, object_pairs_hook=no_key_twice, parse_constant=refuse)


def unescape(value):
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], value)


def read_labels(text):
    pairs = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', text or "")
    return tuple((name, unescape(value)) for name, value in pairs)


def read_prometheus(text):
    """{(name, labels): value}, and {name: type}; raises on a line that is none of the format."""
    assert text.endswith("\n"), text[-80:]
    samples, types, helped, name = {}, {}, set(), None
    for line in text[:-1].split("\n"):
        if match := HELP.fullmatch(line):
            name = match[1]
            assert name not in helped, f"told twice: {line}"
            helped.add(name)
        elif match := TYPE.fullmatch(line):
            assert match[1] == name and name not in types, line
            assert (match[2] == "counter") == name.endswith("_total"), line
            types[name] = match[2]
        else:
            match = SAMPLE.fullmatch(line)
            assert match, f"no sample: {line!r}"
            assert match[1] == name and name in types, f"not in its group: {line}"
            key = name, read_labels(match[2])
            assert key not in samples, f"twice: {line}"
            samples[key] = int(match[3])
    return samples, types


def flat(document):
    """A JSON document as Prometheus has it: {(name without _total, labels): value}."""
    process = dict(document["process"])
    start = process.pop("start_time_seconds")
    labels = tuple((name, str(value)) for name, value in process.items())
    samples = {("usermm_process_start_time_seconds", labels): start}
    samples |= {(f"usermm_{name}", ()): value for name, value in document["stats"].items()}
    samples |= {(f"usermm_vmstat_{name}", ()): value
                for name, value in document["vmstat"].items()}
    for zone in document["zones"]:
        labels = ("node", str(zone["node"])), ("zone", zone["name"])
        for name in zone.keys() - {"node", "name", "free_blocks"}:
            samples[f"usermm_zone_{name}", labels] = zone[name]
        for order, number in enumerate(zone["free_blocks"]):
            samples["usermm_zone_free_blocks", (*labels, ("order", str(order)))] = number
    for cache in document["caches"]:
        labels = (("cache", cache["name"]),)
        if "namesake" in cache:
            labels += (("namesake", str(cache["namesake"])),)
        for name in COLUMNS:
            samples[f"usermm_cache_{name}", labels] = cache[name]
    return samples


class Metrics(unittest.TestCase):
    def check_process(self, process):
        self.assertEqual(list(process), ["pid", "command", "executable", "version",
                                         "start_time_seconds"])
        self.assertIs(type(process["pid"]), int)
        self.assertEqual(os.path.basename(process["executable"])[:15], process["command"])
        self.assertTrue(os.path.exists(process["executable"]), process)
        self.assertRegex(process["version"], r"^\d+\.\d+\.\d+$")
        # For processes that this test has started.
        self.assertLess(abs(time.time() - process["start_time_seconds"]), 300)

    def check_document(self, document):
        self.assertEqual(list(document), ["process", "stats", "vmstat", "zones", "caches"])
        self.check_process(document["process"])
        self.assertGreater(len(document["vmstat"]), 50)
        numbers = [*document["stats"].values(), *document["vmstat"].values()]
        self.assertTrue(all(type(number) is int and number >= 0 for number in numbers))
        stats, free = document["stats"], 0
        for zone in document["zones"]:
            self.assertEqual(list(zone), ["node", "name", "managed_pages", "present_pages",
                                          "min_pages", "low_pages", "high_pages", "free_pages",
                                          "free_blocks"])
            self.assertLess(zone["min_pages"], zone["low_pages"])
            self.assertLess(zone["low_pages"], zone["high_pages"])
            self.assertLessEqual(zone["present_pages"], zone["managed_pages"])
            self.assertEqual(len(zone["free_blocks"]), 11)
            free += zone["free_pages"]
        self.assertEqual(free * 4096, stats["free_bytes"])
        self.assertEqual(free, document["vmstat"]["nr_free_pages"])
        self.assertEqual(stats["slab_bytes"],
                         sum(cache["num_slabs"] * cache["pagesperslab"] * 4096
                             for cache in document["caches"]))
        for cache in document["caches"]:
            self.assertEqual(set(cache) - {"namesake"}, {"name", *COLUMNS})
            self.assertEqual(cache["num_objs"], cache["num_slabs"] * cache["objperslab"])
            self.assertLessEqual(cache["active_objs"], cache["num_objs"])

    def test_fields(self):
        """The members of struct usermm_stats, as its header has them."""
        header = os.path.join(os.path.dirname(os.path.realpath(__file__)),
                              "../../include/usermm/stats.h")
        with open(header) as file:
            body = re.search(r"struct usermm_stats \{(.*?)\n\};", file.read(), re.S)[1]
        self.assertEqual(list(read_json(printed("json"))["stats"]),
                         re.findall(r"(?m)^\tsize_t (\w+);", body))

    def test_names(self):
        document = read_json(printed("json", NAMES))
        self.check_document(document)
        caches = [cache for cache in document["caches"] if cache["name"] in SHOWN]
        self.assertEqual([cache["name"] for cache in caches], SHOWN)
        self.assertEqual([cache["active_objs"] for cache in caches],
                         list(range(2, 2 + len(SHOWN))))
        self.assertEqual([cache.get("namesake", 0) for cache in caches],
                         [0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1])

    def test_same_numbers(self):
        """In processes that have done the same."""
        document = flat(read_json(printed("json", NAMES)))
        samples, types = read_prometheus(printed("prometheus", NAMES))
        samples = {(name.removesuffix("_total"), labels): value
                   for (name, labels), value in samples.items()}
        self.assertEqual(*(sorted((name, labels[1:] if "_process_" in name else labels)
                                  for name, labels in keys) for keys in (samples, document)))
        self.assertEqual({name for name, _ in samples},
                         {name.removesuffix("_total") for name in types})
        for key in samples:
            if key[0].startswith("usermm_process_"):
                continue
            # These are not of the process alone: memory of the machine, page faults.
            if not re.search("pg(maj)?fault|budget|window|free_bytes|nr_free_pages|resident|"
                             "zone_(managed|min|low|high|free)_pages", key[0]):
                self.assertEqual(samples[key], document[key], key)

    def test_slabinfo(self):
        caches = read_json(printed("json", ["one", "two"]))["caches"]
        rows = [line.split() for line in printed("slabinfo", ["one", "two"]).splitlines()[2:]]
        self.assertEqual([[cache["name"], *(str(cache[name]) for name in COLUMNS)]
                          for cache in caches], [row[:6] + row[13:15] for row in rows])

    def test_vmstat(self):
        names = [line.split()[0] for line in printed("vmstat").splitlines()]
        self.assertEqual(list(read_json(printed("json"))["vmstat"]), names)

    def test_nothing_up(self):
        document = read_json(printed("json"))
        self.check_document(document)
        self.assertEqual(document["caches"], [])
        samples, types = read_prometheus(printed("prometheus"))
        self.assertEqual(types["usermm_cache_num_objs"], "gauge")
        self.assertGreater(samples["usermm_budget_bytes", ()], 0)

    def test_at_exit(self):
        document = read_json(said_at_exit("stats=1:stats_format=json"))
        self.check_document(document)
        stats = document["stats"]
        self.assertGreater(stats["slab_objects"], 0)
        self.assertGreater(stats["allocated_bytes"], 0)
        self.assertGreaterEqual(stats["active_bytes"], stats["allocated_bytes"])
        self.assertGreaterEqual(stats["resident_bytes"], stats["active_bytes"])
        samples, _ = read_prometheus(said_at_exit("stats=2:stats_format=prometheus"))
        self.assertGreater(samples["usermm_slab_objects_total", ()], 0)

    def test_text_is_the_default(self):
        for options in "stats=1", "stats=1:stats_format=text":
            self.assertRegex(said_at_exit(options),
                             r'^usermm: \S+ pid=\d+ command="sort" executable="/\S*/sort" '
                             r"start=\d+ allocated=\d+ resident=\d+\n"
                             r"Node 0, zone(.*\n)+slabinfo - version: 2.1\n")

    def test_long(self):
        """No piece of a report is lost, however many there are."""
        done = subprocess.run([USERMM, "run", "-o", "page_owner=1", "--", sys.executable, "-c",
                               PRINT_LONG], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreater(len(done.stdout), 1 << 20)
        self.assertRegex(done.stdout, r"^usermm: \S+ pid=\d+ command=")
        self.assertGreaterEqual(done.stdout.count("Page allocated via order"), 2000)

    def test_alone(self):
        self.assertEqual(said_at_exit("stats_format=json"),
                         "usermm: stats_format= needs stats=; nothing is written\n")
        self.assertEqual(said_at_exit("stats_format=json:stats_file=/none/1"),
                         "usermm: stats_file= needs stats=; nothing is written\n")


def main():
    global PRINT_METRICS, USERMM
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    PRINT_METRICS, USERMM = map(os.path.abspath, sys.argv[1:3])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])


if __name__ == "__main__":
    main()
