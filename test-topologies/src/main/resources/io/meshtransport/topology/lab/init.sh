#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Process 1 of every guest, run by busybox from the initrd. Puts a file system in memory over the
# host's read-only one, then hands over to the script that the host wrote for this guest. When that
# ends, so does the guest.
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
while read -r module; do
  insmod "/modules/$module" || echo "lab: cannot load $module"
done </modules/order

mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=512000,cache=loose host /ro || poweroff -f
mount -t tmpfs tmpfs /rw
mkdir -p /rw/upper /rw/work
mount -t overlay -o lowerdir=/ro,upperdir=/rw/upper,workdir=/rw/work overlay /newroot || poweroff -f

mount -t proc proc /newroot/proc
mount -t sysfs sys /newroot/sys
mount -t devtmpfs dev /newroot/dev
mkdir -p /newroot/dev/shm /newroot/dev/pts
mount -t tmpfs tmpfs /newroot/dev/shm
mount -t devpts devpts /newroot/dev/pts
mount -t tmpfs tmpfs /newroot/run
mkdir -p /newroot/run/mesh-lab
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000 share /newroot/run/mesh-lab || poweroff -f

chroot /newroot /bin/bash /run/mesh-lab/guest.sh
poweroff -f
