// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.util.Objects;
import java.util.Optional;

/**
 * The settings of a {@link Handshaker}. An immutable value.
 *
 * @param port TCP port to listen on, 0 to 65535; 0 lets the system choose (MESH_HANDSHAKE_PORT)
 * @param orAnyPort whether to let the system choose, too, where that port is in use
 * @param timeoutMs max time of an accepted connection from its first byte to READY, in
 *     milliseconds, 1 to 3,600,000 (MESH_TIMEOUT_MS)
 * @param helloTimeoutMs max time of an accepted connection until its HELLO and, with a secret, its
 *     proof are complete, in milliseconds, 1 to {@code timeoutMs}; and max time that it then stays
 *     idle until the next HELLO
 * @param retryCount how often a connector that was dropped before it began to bring up its queue
 *     pair tries again within its deadline, 0 to 1000
 * @param maxHalfOpen max accepted handshakes with a queue pair that is not ready yet, and max
 *     connects on the wire at once, 1 to 65536
 * @param secret what every peer must prove to know (MESH_SECRET); empty lets every host in that can
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
  /** Usual {@link #retryCount}. */
  public static final int RETRY_COUNT = 3;

  /** Usual {@link #maxHalfOpen}: foreign software must not use up file descriptors. */
  public static final int MAX_HALF_OPEN = 256;

  /** Any port, 5 s, the usual bounds, no secret. */
  public static final HandshakeSettings DEFAULT =
      new HandshakeSettings(0, 5000, RETRY_COUNT, MAX_HALF_OPEN, Optional.empty());

  /**
   * A connection before its HELLO (or its proof) costs eight bytes and a socket, so many more of
   * them are allowed than of half-open ones. Beyond this the oldest is dropped.
   */
  static final int PRE_HELLO_PER_HALF_OPEN = 16;

  /** Usual {@link #helloTimeoutMs}: a peer sends HELLO as soon as it is connected. */
  static final int USUAL_HELLO_TIMEOUT_MS = 1000;

  public HandshakeSettings {
    requireRange("handshake port", port, 0, 0xFFFF);
    requireRange("timeout in ms", timeoutMs, 1, 3_600_000);
    requireRange("timeout of HELLO in ms", helloTimeoutMs, 1, timeoutMs);
    requireRange("retry count", retryCount, 0, 1000);
    requireRange("max half open", maxHalfOpen, 1, 65_536);
    Objects.requireNonNull(secret, "secret");
  }

  /** Settings with a second for HELLO, or the whole timeout if that is less. */
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

  private static void requireRange(String name, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(name + " " + value + " is outside " + min + ".." + max);
    }
  }

  /** Max connections before their HELLO, and max HELLOs queued for a permit. */
  int maxPreHello() {
    return maxHalfOpen * PRE_HELLO_PER_HALF_OPEN;
  }

  /** These settings with another port. */
  public HandshakeSettings withPort(int newPort) {
    return new HandshakeSettings(
        newPort, orAnyPort, timeoutMs, helloTimeoutMs, retryCount, maxHalfOpen, secret);
  }

  /** These settings with any other port where that one is in use, or without. */
  public HandshakeSettings orAnyPort(boolean any) {
    return new HandshakeSettings(
        port, any, timeoutMs, helloTimeoutMs, retryCount, maxHalfOpen, secret);
  }

  /** These settings with a secret. */
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
