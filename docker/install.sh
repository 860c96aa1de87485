#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the image's contents on a bare Debian 12 (`docker build` runs it; a chroot works as well): the package and
# entrypoint.sh beside this script, sshd, rsync, and the user "trainer". Leaves no key and no package lists.
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
# sshd runs as this user, and only this user can log in.
cat > /home/trainer/.ssh/sshd_config << 'END'
Port 2222
HostKey /home/trainer/.ssh/host_key
AuthorizedKeysFile /home/trainer/.ssh/authorized_keys
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
PidFile none
END
# Nodes use this port in a private network. Host keys are not checked, because every start makes new ones.
cat > /home/trainer/.ssh/config << 'END'
Host *
  Port 2222
  IdentityFile ~/.ssh/id_ed25519
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
END
chown trainer:trainer /home/trainer/.ssh/*
chmod 600 /home/trainer/.ssh/*
rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb "$here"
