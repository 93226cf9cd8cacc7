// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.Gid;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What crosses the border to the verbs is checked before it does, and numbered as libibverbs
 * numbers it.
 */
class AttributesTest {
  private static final Gid GID = new Gid(0xFD00_0000_0000_0000L, 1);
  private static final PeerAddress PEER = new PeerAddress(GID, 0, 255, 255, 255, 15);

  @ParameterizedTest
  @CsvSource({
    "-1, 0, 64, 0, 0, wire port",
    "65536, 0, 64, 0, 0, wire port",
    "0, 256, 64, 0, 0, source GID index",
    "0, 0, 0, 0, 0, hop limit",
    "0, 0, 64, 256, 0, traffic class",
    "0, 0, 64, 0, 16, service level",
  })
  void shouldRefuseAPeerAddressThatDoesNotFitItsFields(
      int wirePort, int gidIndex, int hops, int trafficClass, int serviceLevel, String named) {
    assertRefused(
        named, () -> new PeerAddress(GID, wirePort, gidIndex, hops, trafficClass, serviceLevel));
  }

  @ParameterizedTest
  @CsvSource({
    "0x1000000, 0, 1024, 12, 24 bits",
    "0, 0x1000000, 1024, 12, 24 bits",
    "-1, 0, 1024, 12, 24 bits",
    "0, 0, 1000, 12, path MTU",
    "0, 0, 128, 12, path MTU",
    "0, 0, 8192, 12, path MTU",
    "0, 0, 1024, 32, RNR timer",
  })
  void shouldRefuseWhatReadyToReceiveCannotBe(
      String queuePair, String psn, int mtu, int timer, String named) {
    assertRefused(
        named,
        () ->
            new ReadyToReceiveAttributes(
                PEER, Integer.decode(queuePair), Integer.decode(psn), mtu, 1, timer));
  }

  @ParameterizedTest
  @CsvSource({
    "0x1000000, 14, 6, 6, 24 bits",
    "0, 0, 6, 6, for ever",
    "0, 32, 6, 6, timeout code",
    "0, 14, 8, 6, retry count",
    "0, 14, 6, 8, RNR retry",
  })
  void shouldRefuseWhatReadyToSendCannotBe(
      String psn, int timeout, int retries, int rnrRetries, String named) {
    assertRefused(
        named,
        () -> new ReadyToSendAttributes(Integer.decode(psn), timeout, retries, rnrRetries, 1));
  }

  @Test
  void shouldSayHowLongASilentPeerIsWaitedFor() {
    // 4.096 us x 2^14, seven times.
    assertEquals(469_762_048L, new ReadyToSendAttributes(0, 14, 6, 6, 1).silenceNs());
    assertEquals((4_096L << 31) * 8, new ReadyToSendAttributes(0, 31, 7, 6, 1).silenceNs());
  }

  @Test
  void shouldRefuseQueuePairsWithoutCapacity() {
    assertRefused("sendDepth=0", () -> new QueuePairCapabilities(0, 1, 1, 1, 0));
    assertRefused("receiveDepth=0", () -> new QueuePairCapabilities(1, 0, 1, 1, 0));
    assertRefused("sendSges=0", () -> new QueuePairCapabilities(1, 1, 0, 1, 0));
    assertRefused("receiveSges=0", () -> new QueuePairCapabilities(1, 1, 1, 0, 0));
    assertRefused("inline", () -> new QueuePairCapabilities(1, 1, 1, 1, -1));
  }

  @Test
  void shouldAllowExactlyTheTransitionsOfAReliableConnection() {
    for (QueuePairState from : QueuePairState.values()) {
      for (QueuePairState to : QueuePairState.values()) {
        assertEquals(successors(from).contains(to), from.mayBecome(to), from + " to " + to);
      }
    }
  }

  private static Set<QueuePairState> successors(QueuePairState from) {
    Set<QueuePairState> always = EnumSet.of(QueuePairState.RESET, QueuePairState.ERR);
    switch (from) {
      case RESET -> always.add(QueuePairState.INIT);
      case INIT -> always.addAll(EnumSet.of(QueuePairState.INIT, QueuePairState.RTR));
      case RTR, RTS -> always.add(QueuePairState.RTS);
      default -> {}
    }
    return always;
  }

  @Test
  void shouldFindEveryStatusByItsCodeAndTreatUnknownOnesAsGeneralErrors() {
    for (CompletionStatus status : CompletionStatus.values()) {
      assertEquals(status, CompletionStatus.ofCode(status.code()));
    }
    for (int strange : new int[] {-1, 3, 22, 31, 32, Integer.MAX_VALUE}) {
      assertEquals(CompletionStatus.GENERAL_ERR, CompletionStatus.ofCode(strange));
    }
  }

  private static void assertRefused(String named, Executable making) {
    String text = assertThrows(IllegalArgumentException.class, making).getMessage();
    assertTrue(text.contains(named), text);
  }
}
