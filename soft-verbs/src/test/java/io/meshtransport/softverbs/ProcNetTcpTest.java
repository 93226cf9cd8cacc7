package io.meshtransport.softverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

  @Test
  void shouldReadUnansweredData() throws Exception {
    Files.writeString(directory.resolve("tcp6"), TITLE + RETRANSMITTING + PROBING);
    KernelAcks.Row row =
        new ProcNetTcp(directory).find(at("10.0.1.1", 5000), at("10.0.1.2", 6000)).orElseThrow();
    assertEquals(new KernelAcks.Row(0xA3F0, false, 3, 0), row);
  }

  @Test
  void shouldReadUnansweredProbes() throws Exception {
    Files.writeString(directory.resolve("tcp6"), TITLE + RETRANSMITTING + PROBING);
    KernelAcks.Row row =
        new ProcNetTcp(directory).find(at("10.0.1.1", 5001), at("10.0.1.2", 6000)).orElseThrow();
    assertEquals(new KernelAcks.Row(0x280000, true, 0, 2), row);
  }

  @Test
  void shouldReadIpv4SocketsToo() throws Exception {
    String row =
        "   0: 0100007F:1388 0200007F:1770 01 00000000:00000000 00:00000000 00000000     0"
            + "        0 71220 1 0000000000000000\n";
    Files.writeString(directory.resolve("tcp"), TITLE + row);
    assertTrue(
        new ProcNetTcp(directory).find(at("127.0.0.1", 5000), at("127.0.0.2", 6000)).isPresent());
  }

  @Test
  void shouldFindNothingWhereThereIsNothing() throws Exception {
    assertEquals(
        Optional.empty(), new ProcNetTcp(directory).find(at("10.0.1.1", 1), at("10.0.1.2", 2)));
    Files.writeString(directory.resolve("tcp6"), TITLE + RETRANSMITTING);
    assertEquals(
        Optional.empty(), new ProcNetTcp(directory).find(at("10.0.1.1", 1), at("10.0.1.2", 2)));
  }

  @Test
  void shouldPrintIpv6AsTheKernelDoes() {
    assertEquals(
        "0000000000000000FFFF00000101000A:0016", ProcNetTcp.text(at("10.0.1.1", 22), true));
    assertEquals(
        "000080FE00000000FF005450B6AD1DFE:0001",
        ProcNetTcp.text(at("fe80::5054:ff:fe1d:adb6", 1), true));
  }

  /** A kernel that answers as these rows say, one after another. */
  private static PeerWatch watch(KernelAcks.Row... rows) throws Exception {
    int[] next = {0};
    return new PeerWatch((local, remote) -> Optional.of(rows[next[0]++]));
  }

  @Test
  void shouldGiveUpAPeerThatDoesNotAcknowledge() throws Exception {
    KernelAcks.Row row = new KernelAcks.Row(100, false, 1, 0);
    PeerWatch watch = watch(row, row);
    assertFalse(watch.look());
    assertTrue(watch.isPeerGone(1, 1));
  }

  @Test
  void shouldNotGiveUpAPeerThatAcknowledgedSomething() throws Exception {
    PeerWatch watch =
        watch(new KernelAcks.Row(100, false, 1, 0), new KernelAcks.Row(90, false, 1, 0));
    watch.look();
    assertFalse(watch.isPeerGone(9, 1));
  }

  @Test
  void shouldSeeThroughWhatWasWrittenMeanwhile() throws Exception {
    PeerWatch watch =
        watch(new KernelAcks.Row(100, false, 1, 0), new KernelAcks.Row(140, false, 2, 0));
    watch.look();
    watch.written(40);
    assertTrue(watch.isPeerGone(1, 1));
  }

  @Test
  void shouldNotGiveUpAPeerWhoseKernelHasEverything() throws Exception {
    KernelAcks.Row row = new KernelAcks.Row(0, false, 0, 0);
    PeerWatch watch = watch(row, row);
    assertTrue(watch.look());
    assertFalse(watch.isPeerGone(1_000_000, 1));
  }

  @Test
  void shouldGiveUpAPeerThatDoesNotAnswerProbes() throws Exception {
    PeerWatch watch =
        watch(
            new KernelAcks.Row(100, true, 0, 0),
            new KernelAcks.Row(100, true, 0, 1),
            new KernelAcks.Row(100, true, 0, 2));
    watch.look();
    assertFalse(watch.isPeerGone(1, 1));
    assertTrue(watch.isPeerGone(2, 1));
  }

  /** A table may change while it is read. */
  @Test
  void shouldNotGiveUpAPeerWhoseRowWasMissedOnce() {
    List<Optional<KernelAcks.Row>> answers = new ArrayList<>();
    answers.add(Optional.of(new KernelAcks.Row(100, true, 0, 0)));
    answers.add(Optional.empty());
    answers.add(Optional.of(new KernelAcks.Row(100, true, 0, 0)));
    PeerWatch watch = new PeerWatch((local, remote) -> answers.remove(0));
    watch.look();
    assertFalse(watch.isPeerGone(100, 1));
    assertFalse(watch.isPeerGone(100, 1));
  }

  @Test
  void shouldWaitLongerWhereTheKernelDoesNotTell() {
    PeerWatch watch = new PeerWatch((local, remote) -> Optional.empty());
    assertTrue(watch.look());
    assertFalse(watch.isPeerGone(3, 1));
    assertTrue(watch.isPeerGone(4, 1));
  }
}
