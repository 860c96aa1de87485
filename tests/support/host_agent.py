# SPDX-License-Identifier: Apache-2.0
"""An agent in the place of ssh, for tests of launch on one machine."""

# Runs a command "on a host": here. A host is down while FOLDER/HOST.down exists.
AGENT = """#!/bin/sh
host=$1
shift
if [ -e "$(dirname "$0")/$host.down" ]; then
  echo "ssh: connect to host $host port 22: No route to host" >&2
  exit 255
fi
exec sh -c "$*"
"""
