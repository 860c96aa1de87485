#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Starts a node: makes its host key, installs the user's key from outside, and runs the given command, or sshd. A node
# with a command, such as verbund launch, has no sshd: nobody logs in there.
#   NODE_KEY        the private key as text, the same on all nodes, or
#   NODE_KEY_FILE   a file with the key (default: /run/secrets/verbund_key, if it exists)
# Without a key, the node can train alone, and no other node can reach it.
set -eu
umask 077
home=/home/trainer/.ssh
: "${NODE_KEY_FILE:=/run/secrets/verbund_key}"
[ -e "$home/host_key" ] || ssh-keygen -q -t ed25519 -N "" -f "$home/host_key"
if [ -n "${NODE_KEY:-}" ]; then
  printf '%s\n' "$NODE_KEY" > "$home/node_key"
elif [ -e "$NODE_KEY_FILE" ]; then
  cat "$NODE_KEY_FILE" > "$home/node_key"
fi
unset NODE_KEY
[ ! -e "$home/node_key" ] || ssh-keygen -y -f "$home/node_key" > "$home/authorized_keys"
[ $# -eq 0 ] || exec "$@"

processes_of() { # NAMES...
  for process in /proc/[0-9]*; do
    for name; do
      [ "$(cat "$process/comm" 2> /dev/null)" != "$name" ] || echo "${process#/proc/}"
    done
  done
}

# Whatever runs in a container dies with its first process, this one. So workers are asked to save, and all workers of
# the job with them, and mpirun's daemon is left the time to report it. (SIGUSR1 is what launch uses: if both ask, the
# second request is not a second signal, which would end them at once.)
leave() {
  # shellcheck disable=SC2046 # one word per process
  kill -USR1 $(processes_of verbund) 2> /dev/null || true
  while [ -n "$(processes_of verbund orted)" ]; do sleep 0.1; done
  kill "$sshd"
  exit 0
}

/usr/sbin/sshd -D -e -f "$home/sshd_config" &
sshd=$!
trap leave TERM INT
wait "$sshd"
