#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Several hosts on one machine: network namespaces with a name, an address, a link of limited rate and a share of the
# cores each, so that programs for many hosts can be tested on one. Needs root, iproute2, a kernel with veth and tbf.
#
#   hosts.sh check                     says whether this machine can do it
#   hosts.sh up [N=2] [RATE=1gbit]     makes host-a, host-b, ...; those that were there before are taken away
#   hosts.sh down                      ends what runs on the hosts and takes them away
#   hosts.sh exec HOST COMMAND...      runs a command on a host, with this environment and folder
#   hosts.sh agent HOST COMMAND...     the same as ssh would: reached over the link, clean environment, home folder
#   hosts.sh link HOST down|up         from now on the link loses all packets, in silence, or carries them again
#
# An MPI job over two hosts:
#
#   hosts.sh exec host-a mpirun --mca plm_rsh_agent "$PWD/hosts.sh agent" -H host-a:1,host-b:1 --bind-to none \
#     --mca pml ob1 --mca btl_tcp_if_include veth0 --mca oob_tcp_if_include veth0 --allow-run-as-root PROGRAM
#
# Two hosts are the two ends of one cable; more are plugged into a switch. Nothing of this can be seen from the
# machine's own network, so that addresses never clash; several such networks at a time differ in the prefix of their
# namespaces (VERBUND_HOSTS_PREFIX). Processes, files and shared memory are not kept apart.
#
# Hosts have addresses of IPv4; with VERBUND_HOSTS_IP=6 of IPv6 alone, with VERBUND_HOSTS_IP=both of both, where names
# mean those of IPv4.
#
# Exit code 77: this machine cannot do it, and the message says why.
set -Eeuo pipefail # E: traps hold in functions too

prefix=${VERBUND_HOSTS_PREFIX:-verbund}
switch=$prefix-switch
versions=${VERBUND_HOSTS_IP:-4}
letters=abcdefghijklmnopqrstuvwxyz

fail() { # MESSAGE [CODE=1]
  echo "hosts.sh: $1" >&2
  exit "${2:-1}"
}

require_means() {
  [[ $EUID -eq 0 ]] || fail "network namespaces need root, and this is user $EUID" 77
  local tool
  for tool in ip:iproute2 tc:iproute2 unshare:util-linux taskset:util-linux hostname:hostname; do
    command -v "${tool%:*}" > /dev/null || fail "there is no ${tool%:*}: apt-get install ${tool#*:}" 77
  done
  unshare --net --uts --mount true 2> /dev/null \
    || fail "root may not make namespaces here (a container without CAP_SYS_ADMIN?)" 77
}

namespace_of() { # HOST
  local namespace=$prefix-${1#host-}
  [[ $1 == host-? && -e /run/netns/$namespace ]] || return 1
  echo "$namespace"
}

made_hosts() {
  local path
  for path in /run/netns/"$prefix"-?; do
    [[ -e $path ]] && echo "host-${path##*-}"
  done
}

# As ip takes them; the first one is what the host's name means. (Without nodad, the kernel would not use one of IPv6
# before it has asked, for a second, whether another has it.)
addresses_of() { # INDEX, counted from 0
  [[ $versions == 6 ]] || echo "10.231.0.$(($1 + 1))/24"
  [[ $versions == 4 ]] || printf 'fd00:231::%x/64 nodad\n' $(($1 + 1))
}

first_address_of() { # INDEX
  addresses_of "$1" | sed -n '1s|/.*||p' # reads all of it: nobody is cut short
}

# What is to be known of a host later is written down as the alias of a device: the rate, and on lo the cores.
remember() { # NAMESPACE DEVICE TEXT
  ip -n "$1" link set "$2" alias "$3"
}

remembered() { # NAMESPACE DEVICE
  ip netns exec "$1" cat "/sys/class/net/$2/ifalias"
}

# Each end limits what it sends, so that each direction has the rate. The burst lets short messages through unhindered;
# after a pause it also lets that much through at once, which no wire does: VERBUND_HOSTS_BURST chooses a smaller one.
shape() { # NAMESPACE DEVICE RATE
  tc -n "$1" qdisc replace dev "$2" root tbf rate "$3" burst "${VERBUND_HOSTS_BURST:-2mb}" latency 50ms
}

start_device() { # NAMESPACE DEVICE RATE
  shape "$@"
  remember "$@"
  ip -n "$1" link set "$2" up
}

# Left to the scheduler, two hosts may share one core while another idles: MPI's ranks, which wait by asking again and
# again, then answer in a time slice (4 ms) instead of microseconds.
cores_of() { # INDEX HOSTS
  local cores=() ranges range
  IFS=, read -ra ranges <<< "$(taskset --cpu-list --pid $$ | sed 's/.*: //')"
  for range in "${ranges[@]}"; do
    mapfile -O "${#cores[@]}" -t cores < <(seq "${range%-*}" "${range#*-}")
  done
  local count=${#cores[@]} first=$(($1 * ${#cores[@]} / $2))
  local size=$((($1 + 1) * count / $2 - first))
  if ((count < $2)); then # not one for each: in turn
    first=$(($1 % count)) size=1
  fi
  local IFS=,
  echo "${cores[*]:first:size}"
}

up() { # HOSTS RATE
  local hosts=$1 rate=$2 i letter namespace address
  if ! [[ $hosts =~ ^[0-9]+$ ]] || ((hosts < 2 || hosts > ${#letters})); then
    fail "there can be 2 to ${#letters} hosts, not '$hosts'" 2
  fi
  down
  trap 'trap - ERR; down; fail "the hosts could not be made; nothing is left of them"' ERR
  trap 'trap - ERR; down; exit 130' INT TERM

  local names="127.0.0.1 localhost"
  for ((i = 0; i < hosts; ++i)); do
    names+=$'\n'"$(first_address_of "$i") host-${letters:i:1}"
  done
  for ((i = 0; i < hosts; ++i)); do
    namespace=$prefix-${letters:i:1}
    mkdir -p "/etc/netns/$namespace"
    echo "$names" > "/etc/netns/$namespace/hosts" # ip netns exec shows it as /etc/hosts
    ip netns add "$namespace"
    ip -n "$namespace" link set lo up
    remember "$namespace" lo "$(cores_of "$i" "$hosts")"
  done

  if ((hosts == 2)); then
    ip link add veth0 netns "$prefix-a" type veth peer name veth0 netns "$prefix-b"
  else
    ip netns add "$switch"
    ip -n "$switch" link add bridge type bridge
    ip -n "$switch" link set bridge up
  fi
  for ((i = 0; i < hosts; ++i)); do
    letter=${letters:i:1}
    namespace=$prefix-$letter
    if ((hosts > 2)); then
      ip link add veth0 netns "$namespace" type veth peer name "port-$letter" netns "$switch"
      ip -n "$switch" link set "port-$letter" master bridge
      start_device "$switch" "port-$letter" "$rate"
    fi
    while read -ra address; do
      ip -n "$namespace" address add dev veth0 "${address[@]}"
    done < <(addresses_of "$i")
    start_device "$namespace" veth0 "$rate"
  done
  trap - ERR INT TERM
}

down() {
  local path namespace pids
  for path in /run/netns/"$prefix"-? "/run/netns/$switch"; do
    [[ -e $path ]] || continue
    namespace=${path##*/}
    # A process may have started another in the meantime.
    while pids=$(ip netns pids "$namespace") && [[ -n $pids ]]; do
      xargs kill -KILL <<< "$pids" 2> /dev/null || true
      sleep 0.05
    done
    ip netns delete "$namespace"
  done
  rm -rf /etc/netns/"$prefix"-?
  rmdir /etc/netns 2> /dev/null || true # others' files may be there
}

enter() { # HOST NAMESPACE COMMAND...
  local host=$1 namespace=$2 cores
  shift 2
  cores=$(remembered "$namespace" lo)
  # Each of these becomes the next: a signal to the process reaches the command. (The inner shell expands the words.)
  # shellcheck disable=SC2016
  exec taskset --cpu-list "$cores" ip netns exec "$namespace" \
    unshare --uts sh -c 'hostname "$0" && exec "$@"' "$host" "$@"
}

# Nothing listens on the port, but a host that can be reached says so at once.
require_reachable() { # HOST
  local answer
  [[ $(ip netns identify $$) == "$prefix"-? ]] \
    || fail "$1 cannot be reached from $(hostname), which is none of the hosts: use hosts.sh exec host-a ..." 255
  answer=$(LC_ALL=C timeout 5 bash -c "< /dev/tcp/$1/1" 2>&1) && return
  [[ $answer == *"Connection refused"* ]] || fail "$1 cannot be reached from $(hostname): is a link down?" 255
}

# The other end of a host's cable is the other host's if there are two, else the switch's.
link() { # HOST NAMESPACE STATE
  local host=$1 namespace=$2 state=$3 other other_device=veth0 end device
  if [[ -e /run/netns/$switch ]]; then
    other=$switch other_device=port-${host#host-}
  elif [[ $host == host-a ]]; then
    other=$prefix-b
  else
    other=$prefix-a
  fi
  for end in "$namespace veth0" "$other $other_device"; do
    read -r namespace device <<< "$end"
    case $state in
      # Unlike a device that is down it leaves addresses and routes alone: who sends does not learn of it.
      down) tc -n "$namespace" qdisc replace dev "$device" root blackhole ;;
      up) shape "$namespace" "$device" "$(remembered "$namespace" "$device")" ;;
      *) fail "a link can be down or up, not '$state'" 2 ;;
    esac
  done
}

act_on() { # ACTION HOST WORDS...
  local action=$1 host=$2 namespace
  namespace=$(namespace_of "$host") \
    || fail "there is no '$host' but: $(made_hosts | xargs); hosts are made with: hosts.sh up" 255
  shift 2
  case $action in
    exec) enter "$host" "$namespace" "$@" ;;
    agent)
      require_reachable "$host"
      cd "$HOME"
      # As with ssh, the words become one command line.
      enter "$host" "$namespace" env -i HOME="$HOME" USER=root LOGNAME=root SHELL=/bin/sh \
        PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin sh -c "$*"
      ;;
    link) link "$host" "$namespace" "$1" ;;
  esac
}

main() {
  local action=${1:-}
  case $action in
    check | up | down) ;;
    exec | agent | link) [[ $# -ge 3 ]] || fail "$action needs a host and more: see the head of $0" 2 ;;
    *) fail "what to do: check, up, down, exec, agent or link, not '$action'; see the head of $0" 2 ;;
  esac
  [[ $prefix =~ ^[a-z0-9-]+$ ]] || fail "VERBUND_HOSTS_PREFIX may have a-z, 0-9 and -, not '$prefix'" 2
  [[ $versions =~ ^(4|6|both)$ ]] || fail "VERBUND_HOSTS_IP may be 4, 6 or both, not '$versions'" 2
  require_means
  case $action in
    check) ;;
    up) up "${2:-2}" "${3:-1gbit}" ;;
    down) down ;;
    *) act_on "$@" ;;
  esac
}

main "$@"
