// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.testing.AllocationCounter;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests also {@link ProcNetTable}. */
class ProcNetTcpTest {
  private static final String TITLE =
      "  sl  local_address                         remote_address                        st"
          + " tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

  /** 10.0.1.1:5000 to 10.0.1.2:6000, once with data unanswered, once with a closed window. */
  private static final String RETRANSMITTING =
      "   1: 0000000000000000FFFF00000101000A:1388 0000000000000000FFFF00000201000A:1770 01"
          + " 0000A3F0:00000000 01:00000050 00000003     0        0 71220 4 0000000000000000\n";

  private static final String PROBING =
      "   2: 0000000000000000FFFF00000101000A:1389 0000000000000000FFFF00000201000A:1770 01"
          + " 00280000:00000000 04:00000014 00000000     0        2 71221 4 0000000000000000\n";

  @TempDir Path directory;

  @BeforeEach
  void recordedOnALittleEndianHost() {
    assumeTrue(ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN, "rows are little-endian");
  }

  private static InetSocketAddress at(String address, int port) {
    return new InetSocketAddress(address, port);
  }

  private Optional<TcpAckState.Row> find(InetSocketAddress local, InetSocketAddress remote) {
    TcpAckState tables = new ProcNetTcp(directory);
    TcpAckState.Row row = new TcpAckState.Row();
    boolean isKnown = tables.queryFor(local, remote).read(row);
    tables.close();
    return isKnown ? Optional.of(row) : Optional.empty();
  }

  private static void expect(
      TcpAckState.Row row,
      long unacknowledgedBytes,
      boolean isProbing,
      int retransmits,
      int probes) {
    assertEquals(unacknowledgedBytes, row.unacknowledgedBytes);
    assertEquals(isProbing, row.isProbingWindow);
    assertEquals(retransmits, row.retransmits);
    assertEquals(probes, row.unansweredProbes);
  }

  @Test
  void shouldReadUnansweredData() throws Exception {
    Files.writeString(directory.resolve("tcp6"), TITLE + RETRANSMITTING + PROBING);
    TcpAckState.Row row = find(at("10.0.1.1", 5000), at("10.0.1.2", 6000)).orElseThrow();
    expect(row, 0xA3F0, false, 3, 0);
  }

  @Test
  void shouldReadUnansweredProbes() throws Exception {
    Files.writeString(directory.resolve("tcp6"), TITLE + RETRANSMITTING + PROBING);
    TcpAckState.Row row = find(at("10.0.1.1", 5001), at("10.0.1.2", 6000)).orElseThrow();
    expect(row, 0x280000, true, 0, 2);
  }

  @Test
  void shouldReadIpv4SocketsToo() throws Exception {
    String row =
        "   0: 0100007F:1388 0200007F:1770 01 00000000:00000000 00:00000000 00000000     0"
            + "        0 71220 1 0000000000000000\n";
    Files.writeString(directory.resolve("tcp"), TITLE + row);
    assertTrue(find(at("127.0.0.1", 5000), at("127.0.0.2", 6000)).isPresent());
  }

  @Test
  void shouldFindNothingWhereThereIsNothing() throws Exception {
    assertEquals(Optional.empty(), find(at("10.0.1.1", 1), at("10.0.1.2", 2)));
    Files.writeString(directory.resolve("tcp6"), TITLE + RETRANSMITTING);
    assertEquals(Optional.empty(), find(at("10.0.1.1", 1), at("10.0.1.2", 2)));
  }

  @Test
  void shouldPrintIpv6AsTheKernelDoes() {
    assertEquals(
        "0000000000000000FFFF00000101000A:0016", ProcNetTcp.text(at("10.0.1.1", 22), true));
    assertEquals(
        "000080FE00000000FF005450B6AD1DFE:0001",
        ProcNetTcp.text(at("fe80::5054:ff:fe1d:adb6", 1), true));
  }

  /** Rows before and behind it, and more of them than are read at once. */
  @Test
  void shouldFindARowAnywhereInALongTableWithoutGarbage() throws Exception {
    StringBuilder table = new StringBuilder(TITLE);
    for (int i = 0; i < 1000; i++) {
      table.append(RETRANSMITTING.replace(":1388", String.format(":%04X", 10_000 + i)));
    }
    Files.writeString(directory.resolve("tcp6"), table);
    TcpAckState tables = new ProcNetTcp(directory);
    TcpAckState.Row row = new TcpAckState.Row();
    TcpAckState.Query[] queries = new TcpAckState.Query[1000];
    for (int i = 0; i < queries.length; i++) {
      queries[i] = tables.queryFor(at("10.0.1.1", 10_000 + i), at("10.0.1.2", 6000));
      assertTrue(queries[i].read(row), "row " + i);
      assertEquals(3, row.retransmits);
    }
    long allocated =
        AllocationCounter.ofThisThread()
            .bytes(
                () -> {
                  for (TcpAckState.Query query : queries) {
                    query.read(row);
                  }
                });
    assertTrue(allocated < queries.length, allocated + " bytes for 1000 queries");
    tables.close();
    assertFalse(queries[0].read(row), "closed");
  }
}
