# SPDX-License-Identifier: MIT
# What the findings share. Each one reads this file:
#
#     debian_root RELEASE PACKAGE=VERSION...
#         unpacks the packages, and what they depend on, into a temporary folder: a small Debian of
#         that release, $root. Nothing is installed: apt has lists and a state of its own.
#     inside COMMAND...
#         runs the command in there, in /work.
#     expect WHAT EXPECTED GOT
#         ends the script with 1 and one line if the behaviour has changed.
#
# A script ends with 0 if everything is as described, with 1 if a behaviour has changed, and with 2
# if it cannot tell. The folder is removed in any case.

root=$(mktemp -d) || exit 2
trap 'rm -rf "$root"' EXIT
trap 'exit 2' HUP INT TERM

cannot_tell()
{
	echo "$(basename "$0"): cannot tell: $*" >&2
	kill -TERM $$		# the script itself, also out of a $(...)
	exit 2
}

private_apt()
{
	apt=$root/apt
	mirror=$(apt-get indextargets --format '$(REPO_URI)' Label:\ Debian Component:\ main \
			Created-By:\ Packages | grep -v security | head -n 1)
	[ "$mirror" ] || cannot_tell "needs apt, and a Debian mirror that it knows"
	mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
	: > "$apt/state/status"
	echo "deb $mirror $1 main" > "$apt/sources.list"
	cat > "$apt/apt.conf" <<-END
		APT::Architecture "amd64";
		APT::Architectures { "amd64"; };
		APT::Sandbox::User "root";
		APT::Install-Recommends "false";
		Dir::State "$apt/state";
		Dir::State::status "$apt/state/status";
		Dir::Cache "$apt/cache";
		Dir::Etc::sourcelist "$apt/sources.list";
		Dir::Etc::sourceparts "/dev/null";
	END
}

debian_root()
{
	private_apt "$1"
	shift
	export APT_CONFIG="$apt/apt.conf"
	apt-get update -qq > "$root/log" 2>&1 || cannot_tell "$(tail -n 1 "$root/log")"
	apt-get install -qq -y --download-only coreutils "$@" > "$root/log" 2>&1 ||
		cannot_tell "$(tail -n 1 "$root/log")"
	unset APT_CONFIG
	mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" "$root/usr/lib64" "$root/work" \
		"$root/tmp"
	for folder in bin sbin lib lib64; do
		ln -s "usr/$folder" "$root/$folder"
	done
	for package in "$apt"/cache/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$package" |
			tar -x -C "$root" --keep-directory-symlink --no-same-owner
	done
	rm -rf "$apt"
	mkdir -p "$root/dev"
	cp -a /dev/null "$root/dev" 2> /dev/null || : > "$root/dev/null"
}

inside()
{
	if [ "$(id -u)" = 0 ]; then
		chroot "$root" /usr/bin/env -C /work PATH=/usr/bin:/usr/sbin "$@"
	else
		unshare --user --map-root-user chroot "$root" \
			/usr/bin/env -C /work PATH=/usr/bin:/usr/sbin "$@"
	fi
}

expect()
{
	[ "$2" = "$3" ] && return
	echo "$(basename "$0"): changed: $1: expected '$2', got '$3'" >&2
	exit 1
}
