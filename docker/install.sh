#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the image's contents on a bare Debian 12 (`docker build` runs it; a chroot works as well): the package and
# the files beside this script, sshd, rsync, and the user "trainer". Leaves no key and no package lists.
set -eu
here=$(dirname "$0")
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
  "$here"/verbund_*.deb openssh-server rsync > /dev/null
rm -f /etc/ssh/ssh_host_* # the package makes them; each container needs its own
install -m 755 "$here/entrypoint.sh" /usr/local/bin/

useradd --uid 1000 --create-home --shell /bin/bash trainer
install -d -o trainer -g trainer -m 700 /home/trainer/.ssh
install -d -o trainer -g trainer /home/trainer/verbund /home/trainer/verbund/data /home/trainer/verbund/runs
install -m 600 "$here/sshd_config" /home/trainer/.ssh/sshd_config
install -m 600 "$here/ssh_config" /home/trainer/.ssh/config
chown trainer:trainer /home/trainer/.ssh/*
rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb "$here"
