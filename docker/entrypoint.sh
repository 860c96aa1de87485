#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Starts a node: makes its host key, installs the user's key from outside, and runs the given command, or sshd.
#   NODE_KEY        the private key as text, the same on all nodes, or
#   NODE_KEY_FILE   a file with the key (default: /run/secrets/verbund_key, if it exists)
# Without a key, the node can train alone, and no other node can reach it.
set -eu
umask 077
home=/home/trainer/.ssh
: "${NODE_KEY_FILE:=/run/secrets/verbund_key}"
[ -e "$home/host_key" ] || ssh-keygen -q -t ed25519 -N "" -f "$home/host_key"
if [ -n "${NODE_KEY:-}" ]; then
  printf '%s\n' "$NODE_KEY" > "$home/id_ed25519"
elif [ -e "$NODE_KEY_FILE" ]; then
  cat "$NODE_KEY_FILE" > "$home/id_ed25519"
fi
unset NODE_KEY
[ ! -e "$home/id_ed25519" ] || ssh-keygen -y -f "$home/id_ed25519" > "$home/authorized_keys"
if [ $# -gt 0 ]; then
  /usr/sbin/sshd -f "$home/sshd_config"
  exec "$@"
fi
exec /usr/sbin/sshd -D -e -f "$home/sshd_config"
