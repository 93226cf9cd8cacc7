// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * What one end wants of its connections: those that it opens with {@link Transport#connect(byte[],
 * ConnectOptions)}, or accepts at a {@link Transport#listen(ConnectOptions)}. Each end has its own
 * options. Immutable: each method answers a changed copy.
 */
public final class ConnectOptions {
  /** Max length of {@link #hello(byte[])}, in bytes. */
  public static final int MAX_HELLO_BYTES = 256;

  /**
   * No hello, requests without a deadline of their own, {@link SendMode#LATENCY}, and no address
   * preferred.
   */
  public static final ConnectOptions DEFAULT =
      new ConnectOptions(new byte[0], SendChannel.NO_DEADLINE, SendMode.LATENCY, null);

  private final byte[] hello;
  private final long deadlineNs;
  private final SendMode sendMode;
  private final InetAddress preferredAddress;

  private ConnectOptions(
      byte[] hello, long deadlineNs, SendMode sendMode, InetAddress preferredAddress) {
    this.hello = hello;
    this.deadlineNs = deadlineNs;
    this.sendMode = sendMode;
    this.preferredAddress = preferredAddress;
  }

  /**
   * The first bytes for the peer, which come with the handshake: the service that is wanted, a
   * protocol's version. The peer has them as {@link Connection#hello()}.
   *
   * @param newHello copied
   * @throws IllegalArgumentException for more than {@value #MAX_HELLO_BYTES} bytes
   */
  public ConnectOptions hello(byte[] newHello) {
    if (newHello.length > MAX_HELLO_BYTES) {
      throw new IllegalArgumentException(
          "a hello of "
              + newHello.length
              + " bytes; at most "
              + MAX_HELLO_BYTES
              + " go with the handshake. Send the rest as the first message");
    }
    return new ConnectOptions(newHello.clone(), deadlineNs, sendMode, preferredAddress);
  }

  /**
   * The deadline of every request that is begun without one.
   *
   * @param newDeadline from the beginning of the request; must be positive
   */
  public ConnectOptions deadline(Duration newDeadline) {
    if (newDeadline.isNegative() || newDeadline.isZero()) {
      throw new IllegalArgumentException("a deadline of " + newDeadline + "; it must be positive");
    }
    return new ConnectOptions(hello, Blocking.nanos(newDeadline), sendMode, preferredAddress);
  }

  /** What this end's sends optimize for, see {@link SendMode}. */
  public ConnectOptions sendMode(SendMode newMode) {
    return new ConnectOptions(
        hello, deadlineNs, Objects.requireNonNull(newMode, "newMode"), preferredAddress);
  }

  /**
   * An address of the peer: the NIC on its subnet is tried first, whatever its speed. Has no effect
   * if none of the peer's NICs has it, and none at the end that accepts.
   */
  public ConnectOptions preferredAddress(InetAddress address) {
    return new ConnectOptions(
        hello, deadlineNs, sendMode, Objects.requireNonNull(address, "address"));
  }

  /** A copy of the first bytes for the peer; empty for none. */
  public byte[] hello() {
    return hello.clone();
  }

  /** In nanoseconds; {@link SendChannel#NO_DEADLINE} for none. */
  public long deadlineNs() {
    return deadlineNs;
  }

  /** What this end's sends optimize for. */
  public SendMode sendMode() {
    return sendMode;
  }

  /** The peer's address whose subnet is tried first. */
  public Optional<InetAddress> preferredAddress() {
    return Optional.ofNullable(preferredAddress);
  }
}
