// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * Whether a process with registered memory may fork children (enum ibv_fork_status, man
 * ibv_is_fork_initialized). Java starts processes with vfork or posix_spawn, which is safe always;
 * native code in the process may not.
 */
public enum ForkSafety {
  /** Not safe: ibv_fork_init was not called, and the kernel does not copy pinned pages. */
  DISABLED,

  /** Safe: ibv_fork_init was called. */
  ENABLED,

  /** Safe: the kernel copies pinned pages on fork. */
  UNNEEDED,

  /** The library is too old to report it. */
  UNKNOWN;

  /** The answer of a number in enum ibv_fork_status. */
  public static ForkSafety ofCode(int code) {
    return code >= 0 && code < UNKNOWN.ordinal() ? values()[code] : UNKNOWN;
  }
}
