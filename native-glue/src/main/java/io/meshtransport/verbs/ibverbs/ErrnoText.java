// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import java.util.Map;

/** Names and texts of errnos, by errno(3) for Linux on x86-64 and aarch64. */
final class ErrnoText {
  private static final Map<Integer, String> TEXTS =
      Map.ofEntries(
          Map.entry(1, "EPERM, not permitted"),
          Map.entry(2, "ENOENT, no such file"),
          Map.entry(4, "EINTR, interrupted"),
          Map.entry(5, "EIO, input or output error"),
          Map.entry(6, "ENXIO, no such device or address"),
          Map.entry(9, "EBADF, bad file descriptor"),
          Map.entry(11, "EAGAIN, nothing there now"),
          Map.entry(12, "ENOMEM, no memory or no space"),
          Map.entry(13, "EACCES, permission denied"),
          Map.entry(14, "EFAULT, bad address"),
          Map.entry(16, "EBUSY, in use"),
          Map.entry(19, "ENODEV, no such device"),
          Map.entry(22, "EINVAL, invalid argument"),
          Map.entry(23, "ENFILE, too many open files on this host"),
          Map.entry(24, "EMFILE, too many open files in this process"),
          Map.entry(28, "ENOSPC, no space left"),
          Map.entry(38, "ENOSYS, not implemented"),
          Map.entry(61, "ENODATA, no data"),
          Map.entry(71, "EPROTO, protocol error"),
          Map.entry(93, "EPROTONOSUPPORT, protocol not supported"),
          Map.entry(95, "EOPNOTSUPP, operation not supported"),
          Map.entry(101, "ENETUNREACH, network unreachable"),
          Map.entry(110, "ETIMEDOUT, timed out"),
          Map.entry(113, "EHOSTUNREACH, no route to host"));

  private ErrnoText() {}

  /** As in {@code errno 22 (EINVAL, invalid argument)}. */
  static String of(int errno) {
    String text = TEXTS.get(errno);
    return "errno " + errno + (text == null ? "" : " (" + text + ")");
  }
}
