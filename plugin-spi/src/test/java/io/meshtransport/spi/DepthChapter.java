// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract: how many requests a connection has at once, {@link ConnectOptions#requests(int)}. */
abstract class DepthChapter extends ContractChapter {
  /** More than by default, and few enough for a test that takes no time. */
  private static final int MANY = 200;

  private static final int MOST = ConnectOptions.MAX_REQUESTS;
  private static final int BYTES = 32;

  /** Receives of as many tags wait at once. */
  private static final int TAGS = 8;

  @Override
  boolean needsConnections() {
    return true;
  }

  private ConnectionPair pair(int opening, int accepting) throws TransportException {
    return ConnectionPair.between(
        left,
        ConnectOptions.DEFAULT.requests(opening),
        right,
        ConnectOptions.DEFAULT.requests(accepting));
  }

  @ParameterizedTest
  @CsvSource({"64,64", "1,64", "64,1", "2,3", "65,4096", "4096,200", "7,9"})
  void shouldAgreeOnTheSmallerNumber(int opening, int accepting) throws TransportException {
    ConnectionPair pair = pair(opening, accepting);
    int agreed = Math.min(opening, accepting);
    assertEquals(agreed, pair.opened().maxRequests());
    assertEquals(agreed, pair.accepted().maxRequests());
    exchangeAll(pair.forth(agreed * BYTES), agreed);
    exchangeAll(pair.back(agreed * BYTES), agreed);
    pair.assertAlive();
  }

  @Test
  void shouldHaveTheDefaultNumberOnChannelsOfOneDirection() throws TransportException {
    ChannelEnds ends = channel(64);
    assertEquals(Transport.MAX_REQUESTS, ends.out().maxRequests());
    assertEquals(Transport.MAX_REQUESTS, ends.in().maxRequests());
    assertEquals(Transport.MAX_REQUESTS, ConnectOptions.DEFAULT.requests());
  }

  @Test
  @Tag("slow")
  void shouldHaveTheMostRequestsAtOnceAtBothEnds() throws TransportException {
    ConnectionPair pair = pair(MOST, MOST);
    ChannelEnds forth = pair.forth(MOST * BYTES);
    for (int round = 0; round < 2; round++) {
      exchangeAll(forth, MOST);
    }
    exchangeAll(pair.back(MOST * BYTES), MOST);
    pair.assertAlive();
  }

  /** Begins all at both ends, of which one more is BUSY, and ends them. */
  private static void exchangeAll(ChannelEnds ends, int requests) {
    Bytes.fill(ends.sourceBytes(), 0, requests * BYTES, requests);
    Bytes.fill(ends.sinkBytes(), 0, requests * BYTES, ~requests);
    List<Pending> all = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      all.add(ends.receive((long) i * BYTES, BYTES, i % TAGS));
    }
    assertEquals(Channel.BUSY, ends.in().irecv(ends.sink(), 0, BYTES, 0));
    for (int i = 0; i < requests; i++) {
      all.add(ends.send((long) i * BYTES, BYTES, i % TAGS));
    }
    assertEquals(Channel.BUSY, ends.out().isend(ends.source(), 0, BYTES, 0));
    assertTrue(all.stream().distinct().count() == all.size());
    Pending.finish(all.toArray(Pending[]::new))
        .forEach(end -> assertEquals(BYTES, end.lengthBytes()));
    Bytes.check(ends.sinkBytes(), 0, requests * BYTES, requests);
  }

  @Test
  @Tag("slow")
  void shouldPutAndGetWithTheMostRequestsAtOnce() throws TransportException {
    ConnectionPair pair = pair(MOST, MOST);
    RegisteredMemory near = memory(left, MOST * BYTES);
    RegisteredMemory far =
        right.register(
            List.of(ByteBuffer.allocateDirect(MOST * BYTES)), EnumSet.allOf(RemoteAccess.class));
    RemoteMemory remote = left.remoteMemory(far.remoteKey());
    ByteBuffer bytes = near.segments().get(0);
    Connection out = pair.opened();
    Bytes.fill(bytes, 0, MOST * BYTES, 5);
    finishAll(at -> out.iput(near, at, BYTES, remote, at, Connection.NO_DEADLINE), out);
    Bytes.check(far.segments().get(0), 0, MOST * BYTES, 5);
    Bytes.fill(bytes, 0, MOST * BYTES, 6);
    finishAll(at -> out.iget(near, at, BYTES, remote, at, Connection.NO_DEADLINE), out);
    Bytes.check(bytes, 0, MOST * BYTES, 5);
  }

  /** Begins a request at an offset. */
  private interface Begin {
    long at(long offsetBytes);
  }

  private static void finishAll(Begin begin, Connection out) {
    Pending[] all = new Pending[MOST];
    for (int i = 0; i < MOST; i++) {
      all[i] = new Pending(out, begin.at((long) i * BYTES));
    }
    assertEquals(Channel.BUSY, begin.at(0));
    Pending.finish(all).forEach(Pending.Outcome::lengthBytes);
  }

  @Test
  void shouldWithdrawManyReceives() throws TransportException {
    ConnectionPair pair = pair(MANY, MANY);
    ChannelEnds ends = pair.back(MANY * BYTES);
    Pending[] receives = new Pending[MANY];
    for (int i = 0; i < MANY; i++) {
      receives[i] = ends.receive((long) i * BYTES, BYTES, i);
    }
    for (Pending receive : receives) {
      pair.opened().withdraw(receive.request());
    }
    Pending.finish(receives).forEach(end -> assertEquals(Reason.WITHDRAWN, end.reason()));
    exchangeAll(ends, MANY);
  }

  @Test
  void shouldSayOfEachOfManyRequestsWhyItFailed() throws TransportException {
    ConnectionPair pair = pair(MANY, MANY);
    ChannelEnds ends = pair.back(BYTES);
    List<Pending> receives = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      receives.add(ends.receive(0, BYTES, i));
    }
    pair.accepted().close();
    Pending.finish(receives.toArray(Pending[]::new))
        .forEach(end -> assertEquals(Reason.PEER_CLOSED, end.reason()));
    receives.forEach(
        each -> assertEquals(Reason.PEER_CLOSED, pair.opened().failure(each.request()).reason()));
    assertThrows(IllegalArgumentException.class, () -> pair.opened().failure(-1));
  }

  @Test
  void shouldReportManyRequestsByAPoller() throws TransportException {
    ConnectionPair pair = pair(MANY, MANY);
    ChannelEnds ends = pair.forth(MANY * BYTES);
    try (Poller poller = left.newPoller()) {
      poller.add(pair.opened());
      for (int i = 0; i < MANY; i++) {
        assertTrue(
            pair.opened()
                    .isend(ends.source(), i * BYTES, BYTES, i % TAGS, Connection.NO_DEADLINE, i)
                >= 0);
      }
      Pending[] receives = new Pending[MANY];
      for (int i = 0; i < MANY; i++) {
        receives[i] = ends.receive((long) i * BYTES, BYTES, i % TAGS);
      }
      BitSet reported = new BitSet();
      PolledPair.collect(poller, MANY, pair.accepted())
          .forEach(entry -> reported.set((int) entry.userData()));
      assertEquals(MANY, reported.cardinality());
      Pending.finish(receives).forEach(end -> assertEquals(BYTES, end.lengthBytes()));
    }
  }
}
