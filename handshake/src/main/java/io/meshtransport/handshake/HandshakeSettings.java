// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.util.Objects;
import java.util.Optional;

/**
 * What a {@link Handshaker} is told by whoever reads the configuration. An immutable value.
 *
 * @param port TCP port to listen on, 0 to 65535; 0 lets the system choose (MESH_HANDSHAKE_PORT)
 * @param orAnyPort whether to let the system choose, too, where that port is taken
 * @param timeoutMs longest an accepted connection may take from its first byte to READY, in
 *     milliseconds, 1 to 3,600,000 (MESH_TIMEOUT_MS)
 * @param helloTimeoutMs longest an accepted connection may take to a whole HELLO and, with a
 *     secret, its proof, in milliseconds, 1 to {@code timeoutMs}; and longest it then waits for the
 *     next HELLO
 * @param retryCount how often a connector that was dropped before it began to bring up its queue
 *     pair tries again within its deadline, 0 to 1000 (MESH_RETRY_COUNT)
 * @param maxHalfOpen how many accepted handshakes may hold a queue pair that is not ready yet, and
 *     how many connects are on the wire at once, 1 to 65536 (MESH_MAX_HALF_OPEN)
 * @param secret what every peer must prove to know (MESH_SECRET); empty lets everyone in who can
 *     reach the port
 */
public record HandshakeSettings(
    int port,
    boolean orAnyPort,
    int timeoutMs,
    int helloTimeoutMs,
    int retryCount,
    int maxHalfOpen,
    Optional<SharedSecret> secret) {
  /** What an empty configuration means: any port, 5 s, 3 retries, 256 half-open, no secret. */
  public static final HandshakeSettings DEFAULT =
      new HandshakeSettings(0, 5000, 3, 256, Optional.empty());

  /**
   * A connection that has not said its HELLO (or its proof) costs eight bytes and a socket, so that
   * many more of them are borne than of half-open ones. Beyond this the oldest is dropped.
   */
  static final int SILENT_PER_HALF_OPEN = 16;

  /** Usual {@link #helloTimeoutMs}: a peer says HELLO as soon as it is connected. */
  static final int USUAL_HELLO_TIMEOUT_MS = 1000;

  public HandshakeSettings {
    requireRange("handshake port", port, 0, 0xFFFF);
    requireRange("timeout in ms", timeoutMs, 1, 3_600_000);
    requireRange("timeout of HELLO in ms", helloTimeoutMs, 1, timeoutMs);
    requireRange("retry count", retryCount, 0, 1000);
    requireRange("max half open", maxHalfOpen, 1, 65_536);
    Objects.requireNonNull(secret, "secret");
  }

  /** As the configuration has it, with a second for HELLO, or the whole timeout if that is less. */
  public HandshakeSettings(
      int port, int timeoutMs, int retryCount, int maxHalfOpen, Optional<SharedSecret> secret) {
    this(
        port,
        false,
        timeoutMs,
        Math.min(timeoutMs, USUAL_HELLO_TIMEOUT_MS),
        retryCount,
        maxHalfOpen,
        secret);
  }

  private static void requireRange(String name, int value, int lowest, int highest) {
    if (value < lowest || value > highest) {
      throw new IllegalArgumentException(
          name + " " + value + " is outside " + lowest + ".." + highest);
    }
  }

  /** How many connections may be without a HELLO, and how many HELLOs may stand in line. */
  int maxSilent() {
    return maxHalfOpen * SILENT_PER_HALF_OPEN;
  }

  /** As these, listening on another port. */
  public HandshakeSettings withPort(int newPort) {
    return new HandshakeSettings(
        newPort, orAnyPort, timeoutMs, helloTimeoutMs, retryCount, maxHalfOpen, secret);
  }

  /** As these, on another port where that one is taken. */
  public HandshakeSettings orAnyPort(boolean any) {
    return new HandshakeSettings(
        port, any, timeoutMs, helloTimeoutMs, retryCount, maxHalfOpen, secret);
  }

  /** As these, with a secret. */
  public HandshakeSettings withSecret(SharedSecret newSecret) {
    return new HandshakeSettings(
        port,
        orAnyPort,
        timeoutMs,
        helloTimeoutMs,
        retryCount,
        maxHalfOpen,
        Optional.of(newSecret));
  }
}
