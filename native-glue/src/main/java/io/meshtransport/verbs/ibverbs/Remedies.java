// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.ProcessLimits;
import java.util.List;
import java.util.Set;

/** What usually makes a call of libibverbs fail, and what helps. */
final class Remedies {
  private static final int EPERM = 1;
  private static final int ENOENT = 2;
  private static final int ENXIO = 6;
  private static final int EACCES = 13;
  private static final int EMFILE = 24;
  private static final int ENETUNREACH = 101;
  private static final int ETIMEDOUT = 110;
  private static final int EHOSTUNREACH = 113;

  private static final Set<Integer> UNREACHABLE =
      Set.of(ENETUNREACH, EHOSTUNREACH, ETIMEDOUT, Errno.ENODEV);
  private static final String NO_WAY =
      "The kernel finds no path to the peer's address: check its subnet, the cable and"
          + " `ip route get`; `ip neigh` shows whether it answers.";

  /** In the order they are tried; an empty prefix fits every call. */
  private static final List<Remedy> TABLE =
      List.of(
          new Remedy(
              "ibv_get_device_list",
              Set.of(Errno.ENOSYS),
              "The kernel has no RDMA core loaded: `modprobe ib_uverbs` and the driver of the"
                  + " adapter load it."),
          new Remedy(
              "ibv_open_device",
              Set.of(EPERM, EACCES),
              "This user may not open /dev/infiniband/uverbsN: `ls -l /dev/infiniband` shows who"
                  + " may, usually the group rdma. A container needs the device passed in."),
          new Remedy(
              "ibv_open_device",
              Set.of(ENOENT, ENXIO, Errno.ENODEV),
              "The device's file /dev/infiniband/uverbsN is missing: `modprobe ib_uverbs` makes it;"
                  + " a container needs it passed in."),
          new Remedy(
              "ibv_reg_mr",
              Set.of(Errno.ENOMEM),
              "Registered memory is locked, counted anew for each NIC, and this process may lock"
                  + " ${memlock}: raise it with `ulimit -l` or LimitMEMLOCK= of systemd, or register less. Other than that,"
                  + " the device may be out of regions."),
          new Remedy(
              "ibv_reg_mr",
              Set.of(EPERM),
              "This process may lock no memory at all, or not as the user that it is (${memlock}):"
                  + " raise it with `ulimit -l` or LimitMEMLOCK= of systemd; a container needs"
                  + " `--ulimit memlock=-1` or the capability IPC_LOCK."),
          new Remedy(
              "ibv_reg_mr",
              Set.of(Errno.EFAULT),
              "The memory is not mapped, is read-only, or is a device's own and cannot be locked."),
          new Remedy(
              "ibv_reg_mr",
              Set.of(Errno.EINVAL),
              "The access rights, the length or the address of choice do not go together: its place"
                  + " within a page must be that of the memory."),
          new Remedy(
              "ibv_reg_dmabuf_mr",
              Set.of(Errno.EOPNOTSUPP),
              "This device or its driver cannot register dma-bufs: copy through registered memory"
                  + " of the host instead."),
          new Remedy(
              "ibv_reg_dmabuf_mr",
              Set.of(Errno.EBADF, Errno.EINVAL),
              "The file descriptor is no dma-buf, the piece is not within it, or its address of"
                  + " choice has another place within a page than its offset."),
          new Remedy(
              "ibv_create_qp",
              Set.of(Errno.EINVAL, Errno.EOPNOTSUPP),
              "The type is not supported, or depths, entries or inline bytes are beyond what the"
                  + " device supports together: request less."),
          new Remedy(
              "ibv_create_cq",
              Set.of(Errno.EINVAL),
              "The depth is beyond the device's: request less."),
          new Remedy(
              "ibv_resize_cq",
              Set.of(Errno.EINVAL),
              "The depth is beyond the device's, or the queue has more completions now: poll"
                  + " them, or ask for another depth."),
          new Remedy(
              "ibv_modify_srq",
              Set.of(Errno.EINVAL),
              "The depth is beyond the device's, below what is posted or below the limit armed."),
          new Remedy(
              "ibv_create",
              Set.of(Errno.ENOMEM),
              "The device is out of such objects, or the queue's memory cannot be locked: this"
                  + " process may lock ${memlock}; raise it with `ulimit -l`."),
          new Remedy(
              "ibv_modify_qp to RTR",
              Set.of(Errno.EINVAL),
              "Usual causes: the GID row is of another kind than the peer's GID, the network"
                  + " interface is down, the path MTU is above the port's, or more reads at once"
                  + " were requested than the device supports."),
          new Remedy("ibv_modify_qp to RTR", UNREACHABLE, NO_WAY),
          new Remedy("ibv_create_ah", UNREACHABLE, NO_WAY),
          new Remedy(
              "ibv_create_ah",
              Set.of(Errno.EINVAL),
              "The peer's GID is none, or of another kind than the row's."),
          new Remedy(
              "",
              Set.of(EMFILE),
              "This process may have ${files} files open: raise it with `ulimit -n`."),
          new Remedy(
              "",
              Set.of(Errno.EOPNOTSUPP, Errno.ENOSYS),
              "This device, its driver or the kernel cannot do this."),
          new Remedy(
              "",
              Set.of(Errno.EIO, Errno.ENODEV),
              "The device failed or was removed: `dmesg` shows why; open it again once it is back."));

  private Remedies() {}

  /**
   * A sentence, or nothing where none is known.
   *
   * @param limits of this process, which some causes have to do with
   */
  static String of(String call, int errno, ProcessLimits limits) {
    return TABLE.stream()
        .filter(remedy -> call.startsWith(remedy.callPrefix) && remedy.errnos.contains(errno))
        .findFirst()
        .map(remedy -> " " + limits.fill(remedy.text))
        .orElse("");
  }

  private record Remedy(String callPrefix, Set<Integer> errnos, String text) {}
}
