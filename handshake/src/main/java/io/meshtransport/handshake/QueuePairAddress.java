// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.nic.Gid;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Objects;

/**
 * The attributes of one end's queue pair that the other end needs to bring its own to RTR. An
 * immutable value; any thread.
 *
 * @param qpNumber number of this end's queue pair, 0 to 0xFFFFFF (24 bits on every RDMA wire)
 * @param psn first packet sequence number that this end sends, 0 to 0xFFFFFF; should be random
 * @param gid GID of the queue pair's port
 * @param mtuBytes max payload of a packet that this end can receive, 1 to 2^31-1; both ends use the
 *     smaller of the two
 * @param dataPort TCP port of the soft provider's data, 0 to 65535; 0 on hardware
 * @param parameters up to {@value #MAX_PARAMETERS_BYTES} bytes for the layer above, carried as they
 *     are; copied in and copied out
 */
public record QueuePairAddress(
    int qpNumber, int psn, Gid gid, int mtuBytes, int dataPort, byte[] parameters) {
  /** Most bytes of {@link #parameters}. */
  public static final int MAX_PARAMETERS_BYTES = 512;

  /** Largest queue pair number and packet sequence number: 24 bits. */
  public static final int MAX_24_BIT = 0xFFFFFF;

  public QueuePairAddress {
    Objects.requireNonNull(gid, "gid");
    requireRange("queue pair number", qpNumber, 0, MAX_24_BIT);
    requireRange("packet sequence number", psn, 0, MAX_24_BIT);
    requireRange("MTU in bytes", mtuBytes, 1, Integer.MAX_VALUE);
    requireRange("data port", dataPort, 0, 0xFFFF);
    requireRange("length of the parameters", parameters.length, 0, MAX_PARAMETERS_BYTES);
    parameters = parameters.clone();
  }

  private static void requireRange(String name, int value, int lowest, int highest) {
    if (value < lowest || value > highest) {
      throw new IllegalArgumentException(
          name + " " + value + " is outside " + lowest + ".." + highest);
    }
  }

  /**
   * Refuses an address other than the one that its HELLO came from: otherwise a peer could make
   * this node dial, or resolve, the address of a third.
   *
   * @param remote the address at the other end of the TCP connection; its scope does not count
   */
  void requireAt(InetAddress remote) throws WireException {
    if (!gid.equals(Gid.of(remote))) {
      throw new WireException(
          HandshakeException.Reason.WRONG_ENDPOINT,
          "GID " + gid + " in a HELLO from " + remote.getHostAddress() + ".");
    }
  }

  /** A copy: the caller may change it. */
  @Override
  public byte[] parameters() {
    return parameters.clone();
  }

  int parametersLengthBytes() {
    return parameters.length;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof QueuePairAddress that
        && qpNumber == that.qpNumber
        && psn == that.psn
        && gid.equals(that.gid)
        && mtuBytes == that.mtuBytes
        && dataPort == that.dataPort
        && Arrays.equals(parameters, that.parameters);
  }

  @Override
  public int hashCode() {
    return Objects.hash(qpNumber, psn, gid, mtuBytes, dataPort, Arrays.hashCode(parameters));
  }

  /** Does not show the parameters, because texts are logged. */
  @Override
  public String toString() {
    return String.format(
        "qp 0x%06x psn 0x%06x gid %s mtu %d data port %d, %d bytes of parameters",
        qpNumber, psn, gid, mtuBytes, dataPort, parameters.length);
  }
}
