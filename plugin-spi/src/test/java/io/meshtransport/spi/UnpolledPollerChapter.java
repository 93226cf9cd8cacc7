// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.spi.PolledPair.Entry;
import io.meshtransport.spi.TransportException.Reason;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract: a program may leave a poller alone, and its connections go on. The opened end is at the
 * poller; once a test has left it, only the peer's end is touched.
 */
abstract class UnpolledPollerChapter extends ContractChapter {
  private static final Duration SOON = Duration.ofMillis(20);
  private static final int BYTES = 64;

  @Override
  boolean needsConnections() {
    return true;
  }

  @Override
  boolean needsPollers() {
    return true;
  }

  /** A poller that was polled for a while, or never. */
  private PolledPair left(int polls) throws TransportException {
    PolledPair polled = PolledPair.between(left, right);
    Completions table = new Completions(4);
    for (int i = 0; i < polls; i++) {
      assertEquals(0, polled.poller().poll(table));
    }
    return polled;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 100})
  void shouldLoseALateReceiveOfThePeerOnly(int polls) throws TransportException {
    PolledPair polled = left(polls);
    Connection peer = polled.pair().accepted();
    RegisteredMemory sink = memory(right, BYTES);
    for (int round = 0; round < 3; round++) {
      assertFails(Reason.TIMED_OUT, () -> peer.receive(sink, 0, BYTES, 1, SOON));
      assertEquals(ChannelState.READY, peer.state());
    }
    ChannelEnds back = polled.pair().forth(BYTES);
    polled.pair().opened().isend(back.source(), 0, BYTES, 1);
    assertEquals(BYTES, peer.receive(sink, 0, BYTES, 1, PATIENCE));
    assertEquals(CompletionKind.SENT, polled.collect(1).get(0).kind());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 100})
  void shouldSendOnceTheReceiveIsAnnounced(int polls) throws TransportException {
    PolledPair polled = left(polls);
    Connection peer = polled.pair().accepted();
    ChannelEnds forth = polled.pair().forth(BYTES);
    Bytes.fill(forth.sourceBytes(), 0, BYTES, 7);
    for (int tag = 0; tag < 3; tag++) {
      polled.pair().opened().isend(forth.source(), 0, BYTES, tag);
    }
    for (int tag = 2; tag >= 0; tag--) {
      assertEquals(BYTES, peer.receive(forth.sink(), 0, BYTES, tag, PATIENCE));
      Bytes.check(forth.sinkBytes(), 0, BYTES, 7);
    }
    polled.collect(3).forEach(entry -> assertEquals(CompletionKind.SENT, entry.kind()));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 100})
  void shouldFailOnceThePeerHasSaidGoodbye(int polls) throws TransportException {
    PolledPair polled = left(polls);
    Connection opened = polled.pair().opened();
    polled.pair().accepted().close();
    eventually().until(() -> opened.state() == ChannelState.FAILED);
    assertEquals(Reason.PEER_CLOSED, opened.failure().reason());
    Entry entry = PolledPair.collect(polled.poller(), 1).get(0);
    assertEquals(CompletionKind.CLOSED, entry.kind());
    assertEquals(Reason.PEER_CLOSED, entry.reason());
  }

  @Test
  void shouldReportWhatHasEndedMeanwhile() throws TransportException {
    PolledPair polled = left(0);
    ChannelEnds back = polled.pair().back(BYTES);
    polled.pair().opened().irecv(back.sink(), 0, BYTES, 1, Connection.NO_DEADLINE, 42);
    polled.pair().accepted().send(back.source(), 0, 9, 1, PATIENCE);
    assertFails(
        Reason.TIMED_OUT,
        () -> polled.pair().accepted().receive(memory(right, BYTES), 0, BYTES, 2, SOON));
    Entry entry = polled.collect(1).get(0);
    assertEquals(CompletionKind.RECEIVED, entry.kind());
    assertEquals(42, entry.userData());
    assertEquals(9, entry.lengthBytes());
  }
}
