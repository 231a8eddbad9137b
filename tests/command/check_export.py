#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What does `usermm export` serve, and how does it answer bad requests and bad arguments?

    check_export.py USERMM
"""
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "prometheus"
USERMM = sys.argv.pop(1)
USAGE, NO_PROCESS, ENDED, NO_PORT = 2, 3, 9, 14
SAMPLE = re.compile(r'(usermm_\w+)\{((?:\w+="(?:[^"\\]|\\.)*",?)+)\} (-?[0-9.e+]+)')


class Export(unittest.TestCase):
    def start(self, *command, **options):
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, **options)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def serve(self, *processes, listen="127.0.0.1:0"):
        server = self.start(USERMM, "export", "--listen", listen,
                            *(str(process.pid) for process in processes))
        match = re.fullmatch(r"serving http://(\[?[0-9a-f.:]+\]?):(\d+)/metrics\n",
                             server.stdout.readline())
        self.assertTrue(match, "no address")
        return server, (match[1].strip("[]"), int(match[2]))

    def ask(self, address, request):
        with socket.create_connection(address, timeout=60) as connection:
            connection.sendall(request)
            answer = b""
            while more := connection.recv(65536):
                answer += more
        head, _, content = answer.decode().partition("\r\n\r\n")
        return head.split("\r\n"), content

    def get(self, address, path="/metrics"):
        head, content = self.ask(address, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        self.assertIn(f"Content-Length: {len(content.encode())}", head)
        return head[0], content

    def samples(self, text):
        """Each sample has a type in front of it, and all samples of a name stand together."""
        samples, kinds, done = {}, {}, []
        for line in text.splitlines():
            if match := re.fullmatch(r"# (HELP|TYPE) (usermm_\w+) (.+)", line):
                kinds.setdefault(match[2], set()).add(match[1])
                continue
            match = SAMPLE.fullmatch(line)
            self.assertTrue(match, line)
            name, labels, value = match.groups()
            self.assertEqual(kinds[name], {"HELP", "TYPE"})
            if not done or done[-1] != name:
                self.assertNotIn(name, done)
                done.append(name)
            pid = re.search(r'pid="(\d+)"', labels)[1]
            samples[name, pid] = float(value)
        return samples

    def test_metrics_of_two_processes(self):
        cats = [self.start("cat"), self.start("sort")]
        _, address = self.serve(*cats)
        status, text = self.get(address)
        self.assertEqual(status, "HTTP/1.1 200 OK")
        samples = self.samples(text)
        for cat in cats:
            self.assertEqual(samples["usermm_process_up", str(cat.pid)], 1)
            self.assertGreater(samples["usermm_process_resident_bytes", str(cat.pid)], 4096)
            self.assertEqual(samples["usermm_process_threads", str(cat.pid)], 1)
        self.assertIn('command="sort"', text)

    def test_many_groups(self):
        """Their line in /proc/PID/status is long, and comes before memory and threads."""
        if os.getuid():
            self.skipTest("needs root")
        cat = self.start("cat", extra_groups=range(10 ** 9, 10 ** 9 + 2000))
        _, address = self.serve(cat)
        samples = self.samples(self.get(address)[1])
        self.assertGreater(samples["usermm_process_resident_bytes", str(cat.pid)], 4096)
        self.assertEqual(samples["usermm_process_threads", str(cat.pid)], 1)

    def test_metrics_of_the_library(self):
        if not Path(USERMM).with_name("usermm-inspect").exists():
            self.skipTest("built without the reader")
        cat, other = self.start(USERMM, "run", "--", "cat"), self.start("cat")
        cat.stdin.write("x\n")
        cat.stdin.flush()
        cat.stdout.readline()       # so it is cat by now, with memory of its own
        _, address = self.serve(cat, other)
        for _ in range(2):
            text = self.get(address)[1]
            samples = self.samples(text)
            self.assertGreater(samples["usermm_allocated_bytes", str(cat.pid)], 0)
            self.assertLessEqual(samples["usermm_allocated_bytes", str(cat.pid)],
                                 samples["usermm_resident_bytes", str(cat.pid)])
            self.assertGreater(samples["usermm_process_resident_bytes", str(other.pid)], 0)
            self.assertNotIn(("usermm_allocated_bytes", str(other.pid)), samples)
            self.assertEqual(samples["usermm_process_library", str(cat.pid)], 1)
            self.assertEqual(samples["usermm_process_library", str(other.pid)], 0)
            self.assertRegex(text, r'usermm_cache_num_objs\{pid="\d+",command="cat",cache="malloc-')
            # The same name, type and help as in the library's own text.
            self.assertIn("# TYPE usermm_slabs_created_total counter\n", text)

    def test_the_parser_of_prometheus_takes_them(self):
        """PYTHONPATH may name a folder where `pip install prometheus_client` has put it."""
        try:
            from prometheus_client.parser import text_string_to_metric_families
        except ImportError:
            self.skipTest("no prometheus_client")
        cats = [self.start(USERMM, "run", "--", "cat"), self.start("cat")]
        cats[0].stdin.write("x\n")
        cats[0].stdin.flush()
        cats[0].stdout.readline()
        _, address = self.serve(*cats)
        text = self.get(address)[1]
        ours = self.samples(text)
        families = {family.name: family for family in text_string_to_metric_families(text)}
        self.assertNotIn("unknown", {family.type for family in families.values()})
        self.assertTrue(all(family.documentation for family in families.values()))
        with tempfile.NamedTemporaryFile() as own:
            subprocess.run([USERMM, "run", "-o", "stats=1:stats_format=prometheus:stats_file="
                            f"{own.name}", "--", "sort", "/dev/null"], check=True)
            text = Path(own.name).read_text()
        self.assertGreater(len(list(text_string_to_metric_families(text))), 10)
        theirs = {(sample.name, sample.labels["pid"]): sample.value
                  for family in families.values() for sample in family.samples}
        self.assertEqual(theirs, ours)

    def test_a_process_that_ends(self):
        first, second = self.start("cat"), self.start("cat")
        server, address = self.serve(first, second)
        first.kill()
        first.wait()
        samples = self.samples(self.get(address)[1])
        self.assertEqual(samples["usermm_process_up", str(first.pid)], 0)
        self.assertNotIn(("usermm_process_resident_bytes", str(first.pid)), samples)
        second.kill()
        second.wait()
        _, said = server.communicate(timeout=60)
        self.assertEqual(server.returncode, ENDED)
        self.assertEqual(re.findall(r"process (\d+) \(cat\) has ended", said),
                         [str(first.pid), str(second.pid)])

    def test_a_name_with_quotes(self):
        name = 'a"b\\c'
        cat = self.start(sys.executable, "-c", "import ctypes, sys; ctypes.CDLL(None).prctl(15, "
                         f"{name!r}.encode()); print(1, flush=True); sys.stdin.read()")
        cat.stdout.readline()
        _, address = self.serve(cat)
        text = self.get(address)[1]
        self.samples(text)
        self.assertIn('command="a\\"b\\\\c"', text)

    def test_requests(self):
        _, address = self.serve(self.start("cat"))
        self.assertEqual(self.get(address, "/")[0], "HTTP/1.1 200 OK")
        self.assertEqual(self.get(address, "/metrics?x=1")[0], "HTTP/1.1 200 OK")
        self.assertEqual(self.get(address, "/none")[0], "HTTP/1.1 404 Not Found")
        for request, status in ((b"POST /metrics HTTP/1.1\r\n\r\n", "405 Method Not Allowed"),
                                (b"hello\r\n\r\n", "400 Bad Request"),
                                (b"GET /metrics FTP/1\r\n\r\n", "400 Bad Request"),
                                (b"GET / HTTP/1.1\r\nX: " + b"x" * 9000, "431 Request Header"),
                                (b"\x00\xff\n\n" * 2000, "4")):
            self.assertIn(f"HTTP/1.1 {status}", self.ask(address, request)[0][0])
        head, content = self.ask(address, b"HEAD /metrics HTTP/1.0\r\n\r\n")
        self.assertEqual((head[0], content), ("HTTP/1.1 200 OK", ""))

    def test_clients_that_go_away_or_say_nothing(self):
        _, address = self.serve(self.start("cat"))
        for words in (b"", b"GET /met"):
            with socket.create_connection(address) as connection:
                connection.sendall(words)
        with socket.create_connection(address) as silent:
            self.assertEqual(self.get(address)[0], "HTTP/1.1 200 OK")
            self.assertIn(b"408", silent.recv(100))

    def test_many_clients_at_once(self):
        """
        More clients than are served at a time; every second one sends nothing. If clients were
        served one after the other, the silent ones would take 150 seconds.
        """
        _, address = self.serve(self.start("cat"))
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(socket.create_connection(address, timeout=60))
                       for _ in range(100)]
            for client in clients[::2]:
                client.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
            for client in clients[::2]:
                self.assertEqual(client.recv(15, socket.MSG_WAITALL), b"HTTP/1.1 200 OK")
            for client in clients[1::2]:
                self.assertEqual(client.recv(12, socket.MSG_WAITALL), b"HTTP/1.1 408")

    def test_a_client_that_takes_no_answer(self):
        """A small buffer is full before the answer is sent."""
        processes = [self.start("cat") for _ in range(40)]
        _, address = self.serve(*processes)
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            slow.connect(address)
            slow.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
            for _ in range(3):
                self.assertEqual(self.get(address)[0], "HTTP/1.1 200 OK")

    def test_ipv6_and_the_end_by_a_signal(self):
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            self.skipTest("no IPv6")
        server, address = self.serve(self.start("cat"), listen="[::1]:0")
        self.assertEqual(self.get(address)[0], "HTTP/1.1 200 OK")
        server.terminate()
        self.assertEqual(server.wait(timeout=60), 0)

    def refused(self, status, pattern, *words):
        done = subprocess.run([USERMM, "export", *words], text=True, capture_output=True,
                              timeout=60)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertRegex(done.stderr, pattern)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_bad_words(self):
        cat = str(self.start("cat").pid)
        self.refused(USAGE, "no process given")
        self.refused(USAGE, "not a process id: 'x'", "x")
        self.refused(USAGE, f"process {cat} is given twice", cat, cat)
        for address in ("", "x", "127.0.0.1", "127.0.0.1:", "localhost:80", "127.0.0.1:65536",
                        ":80", "[::1:80", "127.0.0.1:80x"):
            self.refused(USAGE, "--listen takes ADDRESS:PORT", "--listen", address, cat)
        gone = subprocess.Popen(["true"])
        gone.wait()
        self.refused(NO_PROCESS, f"there is no process {gone.pid}", str(gone.pid))

    def test_a_port_in_use(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            self.refused(NO_PORT, "Address already in use", "--listen",
                         f"127.0.0.1:{other.getsockname()[1]}", str(self.start("cat").pid))


class Examples(unittest.TestCase):
    """The dashboard and the rules use metrics that are served."""

    def served(self):
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as cat:
            server = subprocess.Popen([USERMM, "export", "--listen", "127.0.0.1:0", str(cat.pid)],
                                      stdout=subprocess.PIPE, text=True)
            port = int(re.search(r":(\d+)/", server.stdout.readline())[1])
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
                text = b""
                while more := connection.recv(65536):
                    text += more
            server.kill()
            server.communicate()
            cat.stdin.close()
        # The library's numbers are served under the names that it writes itself.
        with tempfile.NamedTemporaryFile() as own:
            subprocess.run([USERMM, "run", "-o", "stats=1:stats_format=prometheus:stats_file="
                            f"{own.name}", "--", "sort", "/dev/null"], check=True)
            text += Path(own.name).read_bytes()
        return set(re.findall(r"# TYPE (usermm_\w+)", text.decode()))

    def test_prometheus_takes_them(self):
        if not shutil.which("promtool"):
            self.skipTest("no promtool")
        done = subprocess.run(["promtool", "check", "config", EXAMPLES / "prometheus.yml"],
                              text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_names(self):
        served = self.served()
        self.assertGreater(len(served), 6)
        dashboard = json.loads((EXAMPLES / "dashboard.json").read_text())
        targets = [target["expr"] for panel in dashboard["panels"]
                   for target in panel.get("targets", ())]
        self.assertGreater(len(targets), 6)
        for text in (*targets, (EXAMPLES / "alerts.yml").read_text()):
            for name in re.findall(r"\busermm_\w+", text):
                self.assertIn(name, served)


if __name__ == "__main__":
    unittest.main()
