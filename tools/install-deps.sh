#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Installs the Debian packages of a set, as far as they are missing, and says before what and how
# much. If all are there, nothing is fetched and nothing is asked.
#
# usage: install-deps.sh --SET
#
# Four sets are for most people:
#
#   --build   the libraries and the command: a C compiler, libc's headers, CMake, make
#   --run     --build, and the programs that `make run` runs
#   --tools   --build, and what makes more of the products: C++, whose operator new the malloc
#             library then defines itself; headers with which `usermm bench` reads machine code;
#             what makes the Debian package
#   --tests   all of them, and what `make test` needs
#
# Each of the others has what --tests has, and:
#
#   --peers          the allocators and others' tests to compare with. --tests brings them as well,
#                    where one of its own packages is missing: a machine that cannot have them tries
#                    only once
#   --ports PORT...  cross compilers for these presets, and what emulates such processors
#   --numa           what emulates machines with several memory nodes
#   --linux          what builds Linux as a user process
#   --glibc          glibc's own tests
#   --cpython        CPython's own tests
#   --suites         what builds gnulib's tests
#   --programs       servers and other programs to run under the library
#   --system         what makes and starts a whole Debian
#   --distros        what makes other releases of Debian
#   --fuzz           clang and its fuzzer
#
# No server is started.
set -eu

# A name in front of a slash is a package, behind it a program that does as well. Of names
# separated by | the first one counts that the release has.
run='python3-minimal/python3 sqlite3/sqlite3'
tools='g++ libcapstone-dev dpkg-dev file fakeroot'
tests='gcc libc6-dev make ninja-build python3 sqlite3 git perl gawk xz-utils pkgconf python3-capstone
	python3-pyelftools binutils-aarch64-linux-gnu spin musl-tools valgrind liburcu-dev'
# The allocators that `usermm bench malloc` compares with, where there are any; and
# the kernel's source, whose tests of rseq are run (150 MB, so not asked for alone), and
# others' tests and tools that `make test` has a short selection of.
allocators='libjemalloc2 libmimalloc2.0|libmimalloc3 libtcmalloc-minimal4|libtcmalloc-minimal4t64'
clang='clang libclang-rt-dev'
peers="$allocators linux-source-6.12 glibc-source libpython3.11-testsuite redis-server redis-tools
	time $clang google-perftools debootstrap lintian"

numa='qemu-system-x86 cpio'
linux='linux-source-6.12 flex bison bc libelf-dev libssl-dev'
glibc='glibc-source'
cpython='python3.11 libpython3.11-testsuite'
suites='gnulib autoconf automake libtool gettext bison gperf texinfo'
programs="redis-server redis-tools postgresql-15|postgresql-17|postgresql-18 nodejs nginx-light wrk
	ffmpeg time $allocators"
system='debootstrap systemd-container'
distros='debootstrap'
fuzz="$clang"

say()
{
	echo "install-deps: $*" >&2
}

have()
{
	command -v "$1" >/dev/null
}

# What the products need is asked for only where nothing else does it: a compiler of another
# package, or of the user's, is as good.
build_needs()
{
	for compiler in "${CC:-cc}" gcc clang; do
		if echo '#include <pthread.h>' | $compiler -E -o /dev/null - 2>/dev/null; then
			compiler=
			break
		fi
	done
	[ -z "$compiler" ] || echo gcc libc6-dev
	have cmake || echo cmake
	have make || have ninja || echo make
}

set=${1-}
required=$(build_needs)
optional=
case $set in
--build) ;;
--run) required="$required $run" ;;
--tools) required="$required $tools" ;;
--tests) required="$required $tools $tests" optional=$peers ;;
--peers) required="$required $tools $tests" optional=$peers ;;
--numa) required="$required $tools $tests $numa" ;;
--linux) required="$required $tools $tests $linux" ;;
--glibc) required="$required $tools $tests $glibc" ;;
--cpython) required="$required $tools $tests $cpython" ;;
--suites) required="$required $tools $tests $suites" ;;
--programs) required="$required $tools $tests $programs" ;;
--system) required="$required $tools $tests $system" ;;
--distros) required="$required $tools $tests $distros" ;;
--fuzz) required="$required $tools $tests $fuzz" ;;
--ports)
	shift
	required="$required $tools $tests"
	emulator='qemu-user|qemu-user-static'
	for port in "$@"; do
		case $port in
		aarch64)
			triple=aarch64 emulator=qemu-user-static
			required="$required qemu-system-arm cpio"
			;;
		riscv64) triple=riscv64 required="$required qemu-system-misc opensbi cpio" ;;
		ppc64le) triple=powerpc64le ;;
		s390x) triple=s390x ;;
		loong64) triple=loongarch64 ;;
		*)
			say "no such port: $port"
			exit 2
			;;
		esac
		required="$required $emulator gcc-$triple-linux-gnu g++-$triple-linux-gnu"
	done
	;;
*)
	say "which set? --build, --run, --tools, --tests; the others are in $0"
	exit 2
	;;
esac

is_installed()
{
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Has the release a package of that name?
is_known()
{
	case $(LC_ALL=C apt-cache policy "$1" 2>/dev/null) in
	*'Candidate: '[0-9]*) ;;
	*) return 1 ;;
	esac
}

# Prints those of the given packages that are missing, each once, and of alternatives the one to
# install.
missing()
{
	for word in "$@"; do
		package=${word%/*}
		case $word in
		*/*) ! have "${word#*/}" || continue ;;
		esac
		known=
		for name in $(echo "$package" | tr '|' ' '); do
			! is_installed "$name" || continue 2
			[ -n "$known" ] || ! is_known "$name" || known=$name
		done
		echo "${known:-${package%%|*}}"
	done | awk '!seen[$0]++'
}

# The command as root, or through sudo.
as_root()
{
	if [ "$(id -u)" -ne 0 ]; then
		set -- sudo "$@"
	fi
	"$@"
}

# apt-get with no questions asked. Servers stay as they are: neither systemd nor a runlevel is
# there to start them.
apt()
{
	as_root env DEBIAN_FRONTEND=noninteractive SYSTEMD_OFFLINE=1 RUNLEVEL=1 apt-get "$@" \
		-qq -y --no-install-recommends -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 \
		</dev/null >&2
}

# Names, sizes and the like of all files that would be fetched, one a line.
files()
{
	apt-get install --print-uris -qq -y --no-install-recommends "$@" 2>/dev/null
}

# The same for these packages, as far as there are such.
known()
{
	for package in "$@"; do
		! files "$package" >/dev/null || echo "$package"
	done
}

# "63 packages with what they need: 78 MB to fetch, 281 MB on disk"
cost()
{
	if ! list=$(files "$@"); then
		echo "some of them are not known to apt"
		return
	fi
	fetched=$(echo "$list" | awk '{ n++; bytes += $3 }
		END { printf "%d packages with what they need: %.0f MB to fetch", n, bytes / 1e6 }')
	names=$(echo "$list" | awk '{ sub(/_.*/, "", $2); print $2 }')
	# Unquoted on purpose, here and below: these are lists of names.
	disk=$(apt-cache show --no-all-versions $names 2>/dev/null |
		awk '/^Installed-Size:/ { kib += $2 } END { printf "%.0f", kib * 1024 / 1e6 }')
	echo "$fetched, $disk MB on disk"
}

if ! have dpkg-query; then
	# There, packages are judged by their programs alone.
	is_installed() { false; }
	need=$(missing $required)
	[ -z "$need" ] || say "not a Debian system; needed is what Debian calls" $need
	exit 0
fi

need=$(missing $required)
want=
if [ -n "$need" ] || [ "$set" = --peers ]; then
	want=$(missing $optional)
fi
[ -n "$need$want" ] || exit 0

if ! have apt-get; then
	say "missing, and no apt-get to install it:" ${need:-$want}
	[ -z "$need" ] && exit 0 || exit 1
fi
if [ "$(id -u)" -ne 0 ] && ! have sudo; then
	say "missing, and neither root nor sudo to install it:" ${need:-$want}
	[ -z "$need" ] && exit 0 || exit 1
fi

# The package lists are fetched only when the ones at hand do not serve: on a
# fresh machine there are none, on an old one they name files that are gone.
if [ -z "$need" ] || ! files $need >/dev/null; then
	say "fetching the lists of packages"
	if ! apt update; then
		say "cannot fetch them, so these stay missing:" $need $want
		[ -z "$need" ] && exit 0 || exit 1
	fi
	need=$(missing $required)
	[ -z "$want" ] || want=$(missing $optional)
fi
want=$(known $want)
[ -n "$need$want" ] || exit 0
say "installing" $need $want "($(cost $need $want))"
if apt install $need $want 2>/dev/null || { apt update && apt install $need $want; }; then
	exit 0
fi

# One bad package spoils a joint call; the required ones decide.
for package in $need; do
	if ! apt install "$package"; then
		say "cannot install the package $package"
		exit 1
	fi
done
for package in $want; do
	apt install "$package" || say "going on without $package"
done
