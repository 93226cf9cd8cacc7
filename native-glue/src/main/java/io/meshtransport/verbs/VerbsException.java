// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * A set-up verb failed. The text names the call, the object, the errno with its meaning, and what
 * usually helps.
 */
public final class VerbsException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int errno;

  /**
   * @param errno one of {@link Errno}, never 0
   * @param message what failed, where, why and what to do
   */
  public VerbsException(int errno, String message) {
    super(message);
    this.errno = errno;
  }

  public VerbsException(int errno, String message, Throwable cause) {
    super(message, cause);
    this.errno = errno;
  }

  /** The provider lacks something that the verbs have: no retry helps. */
  static VerbsException notOffered(String what) {
    return new VerbsException(
        Errno.EOPNOTSUPP,
        what
            + " is not offered by this provider (errno 95, EOPNOTSUPP); MESH_PROVIDER=ibverbs has it");
  }

  /** A completion vector that is not there. */
  public static VerbsException noSuchVector(VerbsDevice device, int vector) {
    return new VerbsException(
        Errno.EINVAL,
        device.name()
            + " has no completion vector "
            + vector
            + ": they are 0 to "
            + (device.completionVectors() - 1));
  }

  /** A transition of another type of queue pair. */
  public static VerbsException wrongType(QueuePairType type, String call, String types) {
    return new VerbsException(
        Errno.EINVAL, call + " is for " + types + ", and this queue pair is " + type);
  }

  /** The error number, as errno(3) numbers it on Linux. */
  public int errno() {
    return errno;
  }
}
