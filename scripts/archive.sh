# SPDX-License-Identifier: GPL-2.0-or-later
# archive.sh - Debian's archive, beside what this machine's apt knows of it. For scripts that source it; say() and die() are theirs.
# shellcheck shell=bash

. /etc/os-release
# sid has the name of the next release there: apt knows which of the two it is.
[ "${VERSION_CODENAME:-}" != forky ] || [ -n "$(apt-get indextargets --format '$(CODENAME)' | grep -x forky)" ] || VERSION_CODENAME=sid

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    command -v sudo >/dev/null || die "needs root to install packages: run it as root, or install sudo"
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

# Not behind a pipe: grep -q ends at the first line, and apt-get, which has more to write, with an error then.
knows() { grep -q "^$1 Packages" < <(apt-get indextargets --format '$(CODENAME) $(CREATED_BY)'); } # knows SUITE

# A program of backports that is installed (QEMU on Debian 13) has brought libraries from there, which the suite's own packages may contradict.
apt_install() { # apt_install PACKAGES...
  local said backports=$VERSION_CODENAME-backports
  said=$(as_root apt-get install -y -qq --no-install-recommends "$@" 2>&1 >/dev/null) && return
  knows "$backports" || { printf '%s\n' "$said" >&2; return 1; }
  say "$VERSION_CODENAME's packages do not fit what is installed: taking $backports"
  as_root apt-get install -y -qq --no-install-recommends -t "$backports" "$@" >/dev/null
}

# The key that apt's own entry for this archive names: two entries that differ in it break apt.
signed_by() {
  { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null || true; } |
    awk -v uri="${1%/}" -v RS= 'index($0, uri) && match($0, /[Ss]igned-[Bb]y[:=] *[^] \n]+/) {
      value = substr($0, RSTART, RLENGTH); sub(/^[^:=]*[:=] */, "", value); print value; exit }'
}

# From where apt has its own suite, so no host name is written down here.
archive_of() { # archive_of SUITE
  local uri
  uri=$(apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
        awk -v c="$1" '$1 == c && $2 == "main" && !found++ { print $3 }')
  [ -n "$uri" ] || die "apt knows no archive with $1 main; add one to its sources"
  echo "$uri"
}

# For own_apt, in apt's one-line form: of this release, its updates and the suites named, those that this machine's apt knows.
own_sources() { # own_sources [SUITE...]
  local name component uri key
  set -- "$VERSION_CODENAME" "$VERSION_CODENAME-updates" "$VERSION_CODENAME-security" "$@"
  apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' | sort -u |
    while read -r name component uri; do
      case " $* " in *" $name "*) ;; *) continue ;; esac
      [ "$component" = main ] || continue
      key=$(signed_by "$uri")
      echo "deb ${key:+[signed-by=$key] }$uri $name main"
    done
}

# An apt with lists of its own (DIR/sources.list): nothing is installed, and this machine's apt does not change.
own_apt() { # own_apt DIR ARCHITECTURE TOOL ARGS...
  local d=$1 architecture=$2
  shift 2
  mkdir -p "$d/lists/partial" "$d/cache/archives/partial"
  [ -e "$d/status" ] || : >"$d/status"
  "$1" -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o Acquire::Languages=none -o APT::Sandbox::User=root \
    -o Dir::State="$d" -o Dir::State::lists="$d/lists" -o Dir::State::status="$d/status" -o Dir::Cache="$d/cache" \
    -o Dir::Etc::sourcelist="$d/sources.list" -o Dir::Etc::sourceparts=- "${@:2}"
}
