#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs in the machine of run_system.py once it has started, as a unit. Each check's output and exit
# status go to /usermm/results/CHECK. Then the machine ends.
results=/usermm/results
library=/usr/lib/libusermm_malloc.so
password=Plain.words.7

check()
{
	name=$1
	shift
	timeout 120 "$@" >"$results/$name" 2>"/usermm/errors/$name" </dev/null
	echo "exit $?" >>"$results/$name"
}

# As alice, whose programs that belong to root gain privileges.
alice()
{
	name=$1
	check "$name" su alice -c "$2"
}

# A service that has only what it is allowed to: everything in front of -- is the unit's.
service()
{
	name=$1
	shift
	check "$name" systemd-run --quiet --wait --pipe --collect "$@"
}

# Processes that have other libraries, but not this one.
strangers()
{
	for maps in /proc/[0-9]*/maps; do
		grep -q 'libc\.so' "$maps" 2>/dev/null || continue
		grep -q "$library" "$maps" || cat "${maps%maps}comm"
	done | sort -u
}

served()
{
	grep -l "$library" /proc/[0-9]*/maps 2>/dev/null | wc -l
}

work='
import hashlib, threading
done = []
def run(k):
    kept = [str(i * k).encode() * (i % 50) for i in range(20000)]
    done.append(hashlib.sha256(b"".join(kept[::-1])).hexdigest())
threads = [threading.Thread(target=run, args=(k,)) for k in range(THREADS)]
for t in threads: t.start()
for t in threads: t.join()
if not threads: run(7)
print(sorted(done))'
threaded=$(echo "$work" | sed s/THREADS/4/)
alone=$(echo "$work" | sed s/THREADS/0/)

rm -rf "$results" /usermm/errors
mkdir -p "$results" /usermm/errors
systemctl is-system-running --wait >/dev/null
check failed-units systemctl --failed --no-legend --plain

strangers >/usermm/strangers
served >/usermm/served

echo "alice:$password" | chpasswd
alice su 'id; printf "%s\n" "$HOME"'
alice sudo 'sudo -n id; sudo -n sh -c "echo \$USER"'
alice passwd "printf '%s\n' $password Other.words.8 Other.words.8 | passwd"
alice crontab 'echo "1 1 * * * true" | crontab -; crontab -l; crontab -r'
alice newgrp 'echo id | newgrp alice; sg alice id'
alice expiry 'expiry -c; chage -l alice | tail -n 3'
alice mount 'mount | wc -l; umount /; test $? -ne 0'
check ssh ssh -i /root/key -o StrictHostKeyChecking=no -o BatchMode=yes alice@127.0.0.1 'id; seq 50000 | cksum'
check scp sh -c 'scp -q -i /root/key -o StrictHostKeyChecking=no alice@127.0.0.1:/usr/bin/perl /tmp/perl; cksum </tmp/perl'
check man sh -c 'man -P cat bash | cksum; mandb -q'
check psql su postgres -c "psql -Atc 'select count(*), sum(hashtext(md5(i::text))::bigint) from generate_series(1, 200000) i'"
check http python3 -c "
import urllib.request
for _ in range(200): page = urllib.request.urlopen('http://127.0.0.1/').read()
print(len(page))"
check smb sh -c 'cp /usr/bin/perl /tmp/a; smbclient -N //127.0.0.1/share -c "put /tmp/a a; get a /tmp/b; del a" >/dev/null; cksum </tmp/b'
check bus sh -c 'hostnamectl --static; timedatectl show -p Timezone; localectl status | head -n 1; loginctl list-users --no-legend | wc -l'
check journal sh -c 'journalctl -b -o json -n 100 | wc -l; journalctl --verify >/dev/null 2>&1'
check packages sh -c 'apt-get -s install --reinstall bash | cksum; dpkg --audit; dpkg -l | wc -l; dpkg -V coreutils'
check rebuild sh -c 'ldconfig; update-ca-certificates --fresh >/dev/null; localedef -i de_DE -f UTF-8 --no-archive /tmp/de; ls /tmp/de | wc -l'

service service -- python3 -c "$threaded"
service dynamic -p DynamicUser=yes -p ProtectSystem=strict -p PrivateDevices=yes -p PrivateTmp=yes -- python3 -c "$threaded"
service filtered -p SystemCallFilter=@system-service -p SystemCallArchitectures=native -p NoNewPrivileges=yes -p MemoryDenyWriteExecute=yes -p RestrictRealtime=yes -p RestrictNamespaces=yes -- python3 -c "$threaded"
service refused -p SystemCallFilter='~@resources @cpu-emulation @debug @mount @swap @reboot' -p SystemCallErrorNumber=EPERM -- python3 -c "$threaded"
service no_thread -p TasksMax=1 -- python3 -c "$alone"
service memory -p MemoryMax=200M -- python3 -c "$threaded"
service addresses -p LimitAS=400M -p LimitDATA=300M -- python3 -c "$threaded"
service locked -p LimitMEMLOCK=64K -p ProcSubset=pid -p ProtectProc=invisible -p ProtectKernelTunables=yes -p ProtectControlGroups=yes -- python3 -c "$threaded"
service rootless -p TemporaryFileSystem='/sys:ro /proc/sys:ro' -p InaccessiblePaths=/sys -- python3 -c "$threaded"

# A service with the drop-in of examples/systemd has the library, its options and its limit, writes
# statistics when it ends, and has no complaint of the loader in the journal. A container may have
# no memory cgroups.
drop_in='
set -e
systemctl start dropped
pid=$(systemctl show dropped -P MainPID)
grep -o -m 1 libusermm_malloc.so.0 "/proc/$pid/maps"
tr "\0" "\n" <"/proc/$pid/environ" | grep ^USERMM_OPTIONS=
systemctl show dropped -P MemoryMax
limit=
test ! -e "/sys/fs/cgroup$(systemctl show dropped -P ControlGroup)/memory.max" || limit=1073741824
systemctl stop dropped
python3 -c "
import json, sys
budget = json.load(open(sys.argv[1]))[\"stats\"][\"budget_bytes\"]
assert 0 < budget <= int(sys.argv[2] or budget), budget" "/run/dropped/stats.$pid.json" "$limit"
! journalctl -b -u dropped -o cat | grep ld.so'
check drop_in sh -c "$drop_in"

touch /usermm/complete
systemctl poweroff
