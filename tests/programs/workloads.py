# SPDX-License-Identifier: MIT
"""Workloads for real programs, which are used to compare outputs and to measure.

A workload has the programs that it needs and a function that runs it in an empty folder
under an allocator. It returns the output, which does not depend on the allocator, and the cost.
Servers listen on the loopback alone, or on a socket in that folder, and are ended by their number.
"""
import contextlib
import dataclasses
import glob
import hashlib
import os
import pwd
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Callable

import real_programs

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from ports import free_port  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
INPUTS = ROOT / "tests" / "preload" / "inputs"
POSTGRES = max(Path("/usr/lib/postgresql").glob("[0-9]*/bin"),
               key=lambda folder: int(folder.parent.name), default=Path("/nonexistent"))

ENVIRONMENT = real_programs.ENVIRONMENT | {"PATH": f"/usr/sbin:/usr/bin:/sbin:/bin:{POSTGRES}"}

# Runs "$@" and writes the seconds that it took to $0.
TIMED = 'TIMEFORMAT=%3R; { time "$@" 2>&3 3>&-; } 3>&2 2>"$0"'

# A step that takes longer is ended; so is a server that does not come up.
STEP_SECONDS = 600
SERVER_SECONDS = 60


@dataclasses.dataclass
class Cost:
    seconds: float
    peak_kib: int		# resident, of the largest process


class Bench:
    """A folder to work in, and the allocator under which programs are started."""

    def __init__(self, work, preload, scale):
        self.work = work
        self.preload = preload
        self.scale = scale
        self.seconds = 0.0
        self.peak_kib = 0
        self.output = {}
        self.errors = []	# of every step and server, in turn
        self.steps = []		# their names, and their parts of that
        self.servers = []	# their names and numbers
        self.user = None

    def environment(self, preload):
        own = {"HOME": str(self.work), "TMPDIR": str(self.work)}
        return ENVIRONMENT | own | (self.preload if preload else {})

    def times(self, number):
        return max(1, int(number * self.scale))

    def keep(self, name, value):
        """A part of the output."""
        self.output[name] = hashlib.sha256(value).hexdigest()

    def keep_file(self, *names):
        for name in names:
            self.keep(name, (self.work / name).read_bytes())

    def step(self, *argv, stdin=None, keep=True, cost=True):
        """
        Runs a program under the allocator. GNU time starts it: it is small, so that what the
        kernel counts as the most it had is the program's own and not this interpreter's. It
        knows hundredths of a second alone, so the shell takes the time, in thousandths.
        """
        peak, seconds = self.work / "peak", self.work / "seconds"
        variables = [f"{name}={value}" for name, value in self.preload.items()]
        done = subprocess.run(["bash", "-c", TIMED, seconds, "time", "-q", "-o", peak, "-f", "%M",
                               "env", *variables, *map(str, argv)],
                              cwd=self.work, env=self.environment(False), input=stdin or b"",
                              capture_output=True, timeout=STEP_SECONDS, user=self.user)
        if done.returncode:
            raise RuntimeError(f"{argv[0]} ends with {done.returncode}: "
                               f"{done.stderr[-800:].decode(errors='replace')}")
        if cost:
            self.seconds += float(seconds.read_text())
            self.peak_kib = max(self.peak_kib, int(peak.read_text()))
        self.errors.append(done.stderr.decode(errors="replace"))
        self.steps.append((Path(argv[0]).name, self.errors[-1]))
        if keep:
            self.keep(f"step {len(self.errors)}", done.stdout)
        return done.stdout

    def client(self, *argv, stdin=b""):
        """Runs a program that is not under test, and answers what it prints."""
        done = subprocess.run(list(map(str, argv)), cwd=self.work, env=self.environment(False),
                              input=stdin, capture_output=True, timeout=STEP_SECONDS,
                              user=self.user)
        if done.returncode:
            raise RuntimeError(f"{argv[0]} ends with {done.returncode}: "
                               f"{(done.stderr or done.stdout)[-800:].decode(errors='replace')}")
        return done.stdout

    @contextlib.contextmanager
    def timed(self):
        start = time.monotonic()
        yield
        self.seconds += time.monotonic() - start

    @contextlib.contextmanager
    def server(self, ready, end, *argv):
        """A server while it is needed; ready() says whether it answers."""
        log = self.work / "server.log"
        with open(log, "wb") as out:
            child = subprocess.Popen(list(map(str, argv)), cwd=self.work, user=self.user,
                                     env=self.environment(True), stdin=subprocess.DEVNULL,
                                     stdout=out, stderr=out)
        try:
            wait_for(ready, child, log)
            yield child
            self.peak_kib = max(self.peak_kib, peak_of_tree(child.pid))
        finally:
            child.send_signal(end)
            try:
                child.wait(SERVER_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        if child.returncode not in (0, -end):
            raise RuntimeError(f"{argv[0]} ends with {child.returncode}: {log.read_text()[-800:]}")
        self.errors.append(log.read_text(errors="replace"))
        self.servers.append((Path(argv[0]).name, child.pid))


def wait_for(ready, child, log):
    end = time.monotonic() + SERVER_SECONDS
    while not ready():
        if child.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"does not come up: {log.read_text(errors='replace')[-800:]}")
        time.sleep(0.05)


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def contents(path):
    """The text of a file of /proc; empty if its process has ended meanwhile."""
    try:
        return path.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def tree_of(pid):
    children = [int(child) for file in glob.glob(f"/proc/{pid}/task/*/children")
                for child in contents(Path(file)).split()]
    return [pid] + [inner for child in children for inner in tree_of(child)]


def peak_of_tree(pid):
    """The most that the largest of a server's processes had resident, in KiB."""
    peaks = [re.search(r"VmHWM:\s+(\d+)", contents(Path(f"/proc/{one}/status")))
             for one in tree_of(pid)]
    return max(int(peak.group(1)) for peak in peaks if peak)


# --- Programs that run to their end ----------------------------------------------------------

def run_sqlite(bench):
    rows = bench.times(60_000)
    script = f"""
        create table t(id integer primary key, a text, b real, c blob);
        with recursive n(i) as (select 1 union all select i + 1 from n where i < {rows})
            insert into t select i, printf('%x-%d', i * 2654435761, i), i * 0.5,
                zeroblob(i % 97) from n;
        create index by_a on t(a); create index by_b on t(b desc);
        select count(*), sum(length(a)), sum(b) from t;
        select substr(a, 1, 2) k, count(*), group_concat(id % 10, '') from t group by k order by k;
        update t set a = upper(a) || id where id % 3 = 0;
        select x.id, y.a from t x join t y on y.id = x.id * 7 where x.a > 'F'
            order by y.a limit 500;
        with w as (select id, avg(b) over (order by id rows 50 preceding) m from t)
            select sum(m) from w;
        delete from t where id % 5 = 0; vacuum; pragma integrity_check;
        select json_group_array(json_object('id', id, 'a', a)) from (select * from t limit 20000);
        """
    bench.step("sqlite3", "-bail", "work.db", stdin=script.encode())
    bench.keep_file("work.db")


PERL = r"""
    my ($n, %h, @l) = (shift);
    srand(7);
    for my $i (1 .. $n) {
        my $key = join('-', map { chr(97 + ($i * $_) % 26) } 1 .. 6);
        push @{$h{$key}}, { number => $i, text => 'x' x ($i % 200) };
        push @l, sprintf('%s:%09d', $key, ($i * 7919) % $n);
    }
    my @s = sort { $a cmp $b } @l;
    my $text = join("\n", @s);
    my %count; $count{$1}++ while $text =~ /(\w)-(?=\w-)/g;
    print join(' ', map { "$_=$count{$_}" } sort keys %count), "\n";
    $text =~ s/(\d+)/reverse $1/ge;
    print length($text), ' ', unpack('%32C*', $text), ' ', scalar(keys %h), "\n";
    delete $h{$_} for grep { /a/ } keys %h;
    print scalar(map { @$_ } values %h), "\n";
"""


def run_perl(bench):
    (bench.work / "work.pl").write_text(PERL)
    bench.step("perl", "work.pl", bench.times(150_000))


def run_python(bench):
    shutil.copy(INPUTS / "work.py", bench.work)
    bench.step("python3", "work.py")


def make_tree(folder, files, seed):
    rng = random.Random(seed)
    for n in range(files):
        path = folder / f"folder{n % 20}" / f"file{n}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{rng.randrange(1000)} line {i} of {n}\n" for i in range(120)))


def run_git(bench):
    # Threads race for the best delta, so with several the packs differ.
    def git(*args, **how):
        bench.step("git", "-c", "pack.threads=1", "-c", "init.defaultBranch=main",
                   "-c", "gc.auto=0", "-c", "maintenance.auto=false", *args, **how)
    git("init", "-q", "tree")
    for commit in range(bench.times(8)):
        make_tree(bench.work / "tree", bench.times(150) + 20 * commit, commit % 3)
        git("-C", "tree", "add", ".")
        git("-C", "tree", "commit", "-q", "-m", f"commit {commit}")
    git("clone", "-q", "--no-local", "tree", "clone")
    git("-C", "clone", "gc", "-q")
    git("-C", "clone", "log", "-p", "--stat", "-M")
    git("-C", "clone", "fsck", "--full")
    git("-C", "clone", "rev-list", "--objects", "--all")


def run_gcc(bench):
    for name in ("work.c", "work.cc"):
        shutil.copy(INPUTS / name, bench.work)
    bench.step("gcc", "-O2", "-flto", "-Wall", "-c", "work.c")
    bench.step("g++", "-O2", "-std=c++17", "-pthread", "-frandom-seed=1", "-c", "work.cc",
               "-o", "work++.o")
    bench.keep_file("work++.o")
    # A part of usermm itself.
    for source in sorted((ROOT / "src" / "page").glob("*.c"))[:bench.times(12)]:
        bench.step("gcc", "-std=gnu17", "-O2", "-g", "-fno-working-directory", "-D_GNU_SOURCE",
                   "-DUSERMM_STATS", '-DUSERMM_PRIVATE_PREFIX="usermm_"', f"-I{ROOT / 'src'}",
                   f"-I{ROOT / 'include'}", "-c", source, "-o", source.stem + ".o")
        bench.keep_file(source.stem + ".o")


NODE = r"""
    const crypto = require('crypto'), zlib = require('zlib');
    const n = Number(process.argv[2]);
    const rows = [];
    for (let i = 0; i < n; i++)
        rows.push({ id: i, name: 'row ' + (i * 7919) % n, tags: ['a' + i % 7, 'b' + i % 11] });
    const text = JSON.stringify(rows);
    const back = JSON.parse(text).sort((x, y) => x.name < y.name ? -1 : x.name > y.name ? 1 : 0);
    const groups = new Map();
    for (const row of back)
        groups.set(row.tags[0], (groups.get(row.tags[0]) || '') + row.id);
    const parts = [];
    for (let i = 0; i < n / 20; i++)
        parts.push(Buffer.alloc(1 + i % 4096, i % 251));
    const all = Buffer.concat(parts);
    console.log(crypto.createHash('sha256').update(text).digest('hex'), all.length);
    console.log(zlib.gunzipSync(zlib.gzipSync(all)).equals(all), zlib.brotliCompressSync(
        all.subarray(0, 1 << 18)).length);
    for (const [key, value] of groups) console.log(key, value.length);
"""


def run_node(bench):
    (bench.work / "work.js").write_text(NODE)
    bench.step("node", "work.js", bench.times(100_000))


def run_ffmpeg(bench):
    bench.step("ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i",
               f"testsrc2=duration={bench.times(4)}:size=640x360:rate=25", "-f", "lavfi", "-i",
               f"sine=duration={bench.times(4)}", "-c:v", "mpeg4", "-c:a", "aac", "-threads", "2",
               "-fflags", "+bitexact", "-flags", "+bitexact", "movie.avi")
    bench.step("ffmpeg", "-v", "error", "-nostdin", "-i", "movie.avi", "-vf", "scale=320:180,hflip",
               "-f", "framemd5", "-")
    bench.keep_file("movie.avi")


# --- Servers -----------------------------------------------------------------------------------

def redis_commands(rounds, seed):
    """Commands of all kinds of values, one a line."""
    rng = random.Random(seed)
    lines = []
    for _ in range(rounds):
        key, value = rng.randrange(10_000), "v" * rng.randrange(600)
        lines += [f"set string{key} {value}x", f"rpush list{key % 500} {value}x {key}",
                  f"hset hash{key % 700} field{key} {value}x", f"sadd set{key % 300} {key} {value}",
                  f"zadd sorted{key % 100} {key} member{rng.randrange(5000)}",
                  f"append string{rng.randrange(10_000)} {value}y",
                  f"del string{rng.randrange(10_000)}",
                  f"lpop list{rng.randrange(500)}", f"setrange bits{key % 50} {key} {value}z"]
    return "".join(f"{line}\n" for line in lines).encode()


def run_redis(bench):
    port, number = free_port(), bench.times(100_000)
    ask = ["redis-cli", "-p", port]

    def fill(seed):
        bench.client(*ask, "--pipe", stdin=redis_commands(bench.times(15_000), seed))
        bench.keep(f"filled by {seed}", bench.client(*ask, "debug", "digest"))
    with bench.server(lambda: answers(port), signal.SIGTERM, "redis-server", "--port", port,
                      "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
                      "--enable-debug-command", "yes", "--dir", bench.work):
        with bench.timed():
            fill(1)
            bench.client("redis-benchmark", "-p", port, "-q", "-P", 16, "-c", 20, "-d", 300,
                         "-r", 50_000, "-n", number, "-t",
                         "set,get,incr,lpush,rpop,sadd,hset,zadd,spop,lrange_100,mset")
            bench.client(*ask, "flushall")
            fill(2)


def run_postgres(bench):
    # It refuses to be root's.
    if os.getuid() == 0:
        bench.user = pwd.getpwnam("nobody").pw_uid
        os.chown(bench.work, bench.user, -1)
    port, data = free_port(), bench.work / "data"
    where = ["-h", bench.work, "-p", port, "-U", "owner"]
    bench.step(POSTGRES / "initdb", "-D", data, "-U", "owner", "-A", "trust", "--no-sync",
               keep=False, cost=False)

    def query(text):
        return bench.client("psql", *where, "-X", "-A", "-t", "-c", text, "postgres")

    def ready():
        return subprocess.run(["pg_isready", "-q", *map(str, where)],
                              env=bench.environment(False)).returncode == 0
    with bench.server(ready, signal.SIGINT, POSTGRES / "postgres", "-D", data, "-p", port, "-k",
                      bench.work, "-c", "listen_addresses=", "-c", "fsync=off", "-c",
                      "shared_buffers=32MB", "-c", "jit=off"):
        with bench.timed():
            bench.client(POSTGRES / "pgbench", *where, "-q", "-i", "-s", "1", "postgres")
            # Each client's numbers come from the seed, and sums do not depend on the order.
            bench.client(POSTGRES / "pgbench", *where, "-n", "-c", 4, "-j", 2, "-t",
                         bench.times(400), "--random-seed=5", "postgres")
            bench.keep("sorted", query("select md5(string_agg(aid || repeat('x', abalance % 50), "
                                       "',' order by abalance, aid desc)) from pgbench_accounts"))
            bench.keep("parsed", query("select count(*), "
                                       "md5(string_agg(j ->> 'a', ',' order by i)) "
                                       "from (select i, json_build_object('a', repeat(i::text, 30))"
                                       " j from generate_series(1, 50000) i) s"))
        bench.keep("balances", query("select sum(abalance), count(*) from pgbench_accounts"))
        bench.keep("history", query("select count(*), sum(delta) from pgbench_history"))


# One worker: with two it is chance how many of wrk's connections each has, and where both have
# some all is done in three fifths of the time.
NGINX = """
daemon off; worker_processes 1; pid {work}/nginx.pid; error_log {work}/error.log;
{user}
events {{ worker_connections 512; }}
http {{
    access_log {work}/access.log;
    client_body_temp_path {work}/t1; proxy_temp_path {work}/t2; fastcgi_temp_path {work}/t3;
    uwsgi_temp_path {work}/t4; scgi_temp_path {work}/t5;
    default_type text/plain; gzip on; gzip_min_length 100; gzip_types text/plain;
    server {{ listen 127.0.0.1:{port}; root {work}/www;
        location /back/ {{ proxy_pass http://127.0.0.1:{port}/; }} }}
}}
"""


def run_nginx(bench):
    port = free_port()
    rng = random.Random(9)
    (bench.work / "www").mkdir()
    names = [f"file{n}" for n in range(20)]
    for n, name in enumerate(names):
        text = "".join(f"{rng.randrange(10**6)} " for _ in range(20 << (n % 10)))
        (bench.work / "www" / name).write_text(text)
    config = bench.work / "nginx.conf"
    user = "user root;" if os.getuid() == 0 else ""
    config.write_text(NGINX.format(work=bench.work, port=port, user=user))
    url = f"http://127.0.0.1:{port}"
    with bench.server(lambda: answers(port), signal.SIGTERM, "nginx", "-p", bench.work, "-c",
                      config):
        for name in names:
            for path in (name, f"back/{name}"):
                request = urllib.request.Request(f"{url}/{path}",
                                                 headers={"Accept-Encoding": "gzip"})
                with urllib.request.urlopen(request, timeout=STEP_SECONDS) as reply:
                    bench.keep(path, reply.read())
        seconds = bench.times(2)
        for path in ("file3", "back/file8"):
            said = bench.client("wrk", "-t", 1, "-c", 16, "-d", f"{seconds}s", "-H",
                                "Accept-Encoding: gzip", f"{url}/{path}").decode()
            if "Socket errors" in said or "Non-2xx" in said:
                raise RuntimeError(said)
            # The load runs for a fixed time; the figure is the time for 10 000 requests.
            bench.seconds += 10_000 / float(re.search(r"Requests/sec:\s+([\d.]+)", said).group(1))
    bench.errors.append((bench.work / "error.log").read_text(errors="replace"))


@dataclasses.dataclass
class Workload:
    name: str
    needs: tuple
    run: Callable[[Bench], None]
    short: bool = False		# in `make test` as well


WORKLOADS = [
    Workload("sqlite", ("sqlite3",), run_sqlite, short=True),
    Workload("perl", ("perl",), run_perl, short=True),
    Workload("python", ("python3",), run_python),
    Workload("git", ("git",), run_git, short=True),
    Workload("gcc", ("gcc", "g++"), run_gcc),
    Workload("node", ("node",), run_node),
    Workload("ffmpeg", ("ffmpeg",), run_ffmpeg),
    Workload("redis", ("redis-server", "redis-benchmark"), run_redis, short=True),
    Workload("postgres", ("postgres", "pgbench"), run_postgres),
    Workload("nginx", ("nginx", "wrk"), run_nginx),
]


def is_here(workload):
    path = ENVIRONMENT["PATH"]
    return all(shutil.which(name, path=path) for name in (*workload.needs, "time"))


def run(workload, base, preload, scale):
    """Runs it in a fresh folder, which always has the same name."""
    work = base / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    bench = Bench(work, preload, scale)
    workload.run(bench)
    return bench
