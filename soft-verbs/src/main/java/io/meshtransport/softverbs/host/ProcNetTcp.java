// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.host;

import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Reads {@code /proc/net/tcp} and {@code tcp6} (kernel Documentation/networking/proc_net_tcp.rst).
 * Java's sockets are in the second one, an IPv4 address in its mapped form. One row has the columns
 *
 * <pre>
 *   sl  local_address remote_address st tx_queue:rx_queue tr:tm-&gt;when retrnsmt uid timeout inode
 * </pre>
 *
 * Addresses are printed as 32-bit words in the host's byte order. {@code tr} is the timer that
 * runs: 1 retransmission, 4 zero window probe. {@code timeout} counts unanswered probes.
 */
public final class ProcNetTcp implements TcpAckState {
  private static final int TIMER_WINDOW_PROBE = 4;
  private static final int HEX = 16;
  private static final int DECIMAL = 10;
  private static final String DIGITS = "0123456789ABCDEF";
  private static final String MAPPED = "0000000000000000";

  private final ProcNetTable tcp6;
  private final ProcNetTable tcp;

  /**
   * @param directory {@code /proc/self/net}, or a recorded one
   */
  public ProcNetTcp(Path directory) {
    tcp6 = new ProcNetTable(directory.resolve("tcp6"));
    tcp = new ProcNetTable(directory.resolve("tcp"));
  }

  @Override
  public Query queryFor(InetSocketAddress local, InetSocketAddress remote) {
    byte[] mapped = ends(local, remote, true);
    byte[] plain = ends(local, remote, false);
    return row -> find(tcp6, mapped, row) || find(tcp, plain, row);
  }

  private static byte[] ends(InetSocketAddress local, InetSocketAddress remote, boolean isMapped) {
    String text = text(local, isMapped) + " " + text(remote, isMapped) + " ";
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static boolean find(ProcNetTable table, byte[] ends, Row row) {
    if (!table.seek(ends)) {
      return false;
    }
    table.readNumber(HEX); // st
    row.unacknowledgedBytes = table.readNumber(HEX);
    table.skipPast((byte) ' '); // rx_queue
    row.isProbingWindow = table.readNumber(HEX) == TIMER_WINDOW_PROBE;
    table.skipPast((byte) ' '); // when
    row.retransmits = (int) table.readNumber(HEX);
    table.readNumber(DECIMAL); // uid
    row.unansweredProbes = (int) table.readNumber(DECIMAL);
    return true;
  }

  @Override
  public void close() {
    tcp6.close();
    tcp.close();
  }

  /** An address as the kernel prints it. */
  static String text(InetSocketAddress address, boolean isMapped) {
    byte[] raw = address.getAddress().getAddress();
    StringBuilder text = new StringBuilder();
    if (isMapped && raw.length == 4) {
      text.append(MAPPED);
      appendWord(text, new byte[] {0, 0, -1, -1}, 0);
    }
    for (int at = 0; at < raw.length; at += 4) {
      appendWord(text, raw, at);
    }
    text.append(':');
    appendHex(text, address.getPort() >>> Byte.SIZE);
    appendHex(text, address.getPort());
    return text.toString();
  }

  private static void appendWord(StringBuilder text, byte[] raw, int at) {
    boolean isLittle = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    for (int i = 0; i < 4; i++) {
      appendHex(text, raw[at + (isLittle ? 3 - i : i)]);
    }
  }

  /** Two digits for the lowest eight bits. */
  private static void appendHex(StringBuilder text, int value) {
    text.append(DIGITS.charAt(value >> 4 & 0xF)).append(DIGITS.charAt(value & 0xF));
  }
}
