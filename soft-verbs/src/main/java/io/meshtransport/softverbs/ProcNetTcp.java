package io.meshtransport.softverbs;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Reads {@code /proc/net/tcp} and {@code tcp6} (kernel Documentation/networking/proc_net_tcp.rst).
 * Java's sockets stand in the second one, an IPv4 address in its mapped form. One row has the
 * columns
 *
 * <pre>
 *   sl  local_address remote_address st tx_queue:rx_queue tr:tm-&gt;when retrnsmt uid timeout inode
 * </pre>
 *
 * Addresses are printed as 32-bit words in the host's byte order. {@code tr} is the timer that
 * runs: 1 retransmission, 4 zero window probe. {@code timeout} counts unanswered probes.
 */
final class ProcNetTcp implements KernelAcks {
  private static final String TIMER_WINDOW_PROBE = "04";
  private static final int LOCAL = 1;
  private static final int REMOTE = 2;
  private static final int QUEUES = 4;
  private static final int TIMER = 5;
  private static final int RETRANSMITS = 6;
  private static final int PROBES = 8;
  private static final String MAPPED = "0000000000000000";

  private final List<Path> tables;

  /**
   * @param directory {@code /proc/self/net}, or a recorded one
   */
  ProcNetTcp(Path directory) {
    tables = List.of(directory.resolve("tcp6"), directory.resolve("tcp"));
  }

  @Override
  public Optional<Row> find(InetSocketAddress local, InetSocketAddress remote) {
    for (Path table : tables) {
      Optional<Row> row = find(table, local, remote);
      if (row.isPresent()) {
        return row;
      }
    }
    return Optional.empty();
  }

  private static Optional<Row> find(Path table, InetSocketAddress local, InetSocketAddress remote) {
    boolean isMapped = table.endsWith("tcp6");
    String localText = text(local, isMapped);
    String remoteText = text(remote, isMapped);
    try (BufferedReader rows = Files.newBufferedReader(table, StandardCharsets.US_ASCII)) {
      return rows.lines()
          // Busy hosts have ten thousands of rows: only the one wanted is worth taking apart.
          .filter(line -> line.contains(localText))
          .map(line -> line.strip().split("\\s+"))
          .filter(columns -> columns.length > PROBES)
          .filter(columns -> columns[LOCAL].equals(localText))
          .filter(columns -> columns[REMOTE].equals(remoteText))
          .map(ProcNetTcp::row)
          .findFirst();
    } catch (IOException e) {
      // Not Linux, or /proc is hidden: then the kernel does not tell, which callers must expect.
      return Optional.empty();
    }
  }

  private static Row row(String[] columns) {
    String queued = columns[QUEUES].substring(0, columns[QUEUES].indexOf(':'));
    String timer = columns[TIMER].substring(0, columns[TIMER].indexOf(':'));
    return new Row(
        Long.parseLong(queued, 16),
        timer.equals(TIMER_WINDOW_PROBE),
        Integer.parseInt(columns[RETRANSMITS], 16),
        Integer.parseInt(columns[PROBES]));
  }

  /** An address as the kernel prints it. */
  static String text(InetSocketAddress address, boolean isMapped) {
    byte[] raw = address.getAddress().getAddress();
    StringBuilder text = new StringBuilder();
    if (isMapped && raw.length == 4) {
      text.append(MAPPED).append(word(new byte[] {0, 0, -1, -1}, 0));
    }
    for (int at = 0; at < raw.length; at += 4) {
      text.append(word(raw, at));
    }
    return text.append(String.format(":%04X", address.getPort())).toString();
  }

  private static String word(byte[] raw, int at) {
    boolean isLittle = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 4; i++) {
      text.append(String.format("%02X", raw[at + (isLittle ? 3 - i : i)]));
    }
    return text.toString();
  }
}
