# Sourced: makes a minimal Debian 12 in $folder, with this machine's sources of packages, for tests in which no package of this machine can help. Needs root.
name=$(basename "$0" .sh)
[ "$(id -u)" = 0 ] || { echo "$name: needs root for chroot and mount" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "$name: apt-get install debootstrap" >&2; exit 2; }
mirror=${MIRROR:-http://deb.debian.org/debian}
say() { echo "== $*"; }

say "making a minimal Debian 12 in $folder"
debootstrap --variant=minbase bookworm "$folder" "$mirror" >"$folder.log" 2>&1 || { tail "$folder.log"; exit 1; }
rm -f "$folder/etc/apt/sources.list"
cp /etc/apt/sources.list.d/debian.sources "$folder/etc/apt/sources.list.d/" 2>/dev/null || cp /etc/apt/sources.list "$folder/etc/apt/"
cp /etc/apt/apt.conf.d/* "$folder/etc/apt/apt.conf.d/"
cp /etc/hosts /etc/resolv.conf "$folder/etc/"
mount -t proc proc "$folder/proc"
trap 'umount "$folder/proc"' EXIT

inside() { chroot "$folder" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive bash -c "$1"; }
expect_code() {
  local wanted=$1 code=0
  say "$2"
  time inside "$2" || code=$?
  [ "$code" = "$wanted" ] || { echo "$name: exit code $code, not $wanted" >&2; exit 1; }
}
