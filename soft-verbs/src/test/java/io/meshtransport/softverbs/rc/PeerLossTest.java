// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameType;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The vendor errors of a lost peer, and their texts. */
class PeerLossTest {
  @Test
  void shouldHaveACodeOfItsOwnAboveTheSilence() {
    assertEquals(0x0100_0000, PeerLoss.CLOSED.vendorError());
    assertEquals(0x0B00_0000, PeerLoss.FAILED.vendorError());
    assertEquals(0x0C00_0000, PeerLoss.UNREACHABLE.vendorError());
    assertEquals(0x0400_07D0, PeerLoss.SILENT.vendorError(2_000_999_999L));
    Set<Integer> codes = new HashSet<>();
    for (PeerLoss loss : PeerLoss.values()) {
      assertTrue(codes.add(loss.vendorError()), loss.name());
    }
  }

  @Test
  void shouldReportTheLongestSilenceThatFits() {
    assertEquals(0x04FF_FFFF, PeerLoss.SILENT.vendorError(Long.MAX_VALUE));
  }

  @Test
  void shouldDescribeWhatItReports() {
    assertEquals(
        "no connection for the data could be made for 1500 ms, though the handshake was through",
        PeerLoss.describe(PeerLoss.NOT_CONNECTED.vendorError(1_500_000_000L)));
    assertEquals(
        "the peer closed or gave up its queue pair",
        PeerLoss.describe(PeerLoss.CLOSED.vendorError()));
    assertEquals("", PeerLoss.describe(0));
    assertEquals(
        "no path over other nodes has led to the peer for too long, or it has acknowledged nothing on one",
        PeerLoss.describe(PeerLoss.UNREACHABLE.vendorError()));
    assertEquals("", PeerLoss.describe(0x0F00_0000));
  }

  /** A host closes and resets connections of processes that live as well. */
  @Test
  void shouldClaimOfNoLossThatItProvesTheEndOfAProcess() {
    for (PeerLoss loss : PeerLoss.values()) {
      String text = PeerLoss.describe(loss.vendorError());
      boolean isOpen = text.contains("its process has ended or gave it up");
      assertTrue(isOpen || !text.contains("has ended"), text);
    }
  }

  @Test
  void shouldKnowFromTheCloseWhetherItWasOnPurpose() {
    FrameHeader close = new FrameHeader().set(FrameType.CLOSE, 7);
    assertEquals(PeerLoss.CLOSED, PeerLoss.of(close));
    close.flags = FrameHeader.FLAG_RESET;
    assertEquals(PeerLoss.CLOSED, PeerLoss.of(close));
    close.flags = FrameHeader.FLAG_RESET | FrameHeader.FLAG_ORDERLY;
    assertEquals(PeerLoss.ORDERLY_SHUTDOWN, PeerLoss.of(close));
  }

  @Test
  void shouldKnowTheKernelsReasons() {
    assertEquals(PeerLoss.RESET, PeerLoss.of(new IOException("Connection reset by peer")));
    assertEquals(PeerLoss.RESET, PeerLoss.of(new IOException("Broken pipe")));
    assertEquals(PeerLoss.TIMED_OUT, PeerLoss.of(new IOException("Connection timed out")));
    assertEquals(PeerLoss.FAILED, PeerLoss.of(new IOException("No route to host")));
    assertEquals(PeerLoss.FAILED, PeerLoss.of(new IOException()));
  }
}
