// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.endpoint.ImmediateData;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.message.ControlPath;
import io.meshtransport.transport.message.MeshReceiveChannel;
import io.meshtransport.transport.message.MeshSendChannel;
import io.meshtransport.transport.rail.Rail;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What peers say about rails that no correct peer says ends the channel, with everything that is
 * pending and with a reason; and what they say of rails that do exist is not believed blindly.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NonsenseAboutRailsTest {
  private static final int BYTES = 64;
  private static final int RAILS = 3;
  private static final long A_WHILE_NS = TimeUnit.MILLISECONDS.toNanos(1);

  /** For many receives; of these a look takes half. */
  private static final int MANY = 63;

  private SimulatedLine line;
  private RegisteredMemory to;

  /** Pending until the channel ends: there is no message for it, and no room. */
  private long receive;

  private long send;

  @BeforeEach
  void open() throws Exception {
    line = SimulatedLine.railed(1, SimulatedCable.usual(), 1_000, 1, RAILS);
    line.joinRail();
    line.joinRail();
    to = line.to.register(ByteBuffer.allocateDirect(BYTES));
    receive = line.in.irecv(to, 0, BYTES, 1);
    send = line.out.isend(line.from.register(ByteBuffer.allocateDirect(BYTES)), 0, BYTES, 2);
  }

  @AfterEach
  void close() {
    line.close();
  }

  private static ControlPath control(MeshChannel end) {
    return end instanceof MeshSendChannel sending
        ? sending.control()
        : ((MeshReceiveChannel) end).control();
  }

  /** Says a word with a number on the lead. */
  private static void say(MeshChannel end, int kind, int slot, long number) {
    end.core.lock.lock();
    try {
      control(end).sendNumber(kind, slot, 0, control(end).railBuffer(0), number);
    } finally {
      end.core.lock.unlock();
    }
  }

  /** Says the header of a word alone. */
  private static void sayHeader(MeshChannel end, int kind, int slot) {
    end.core.lock.lock();
    try {
      assertEquals(0, control(end).primary().ensureControl(control(end).railBuffer(0)));
      ControlMessage.putHeader(
          control(end).primary().outgoing().memory(control(end).railBuffer(0)),
          control(end).primary().outgoing().at(control(end).railBuffer(0)),
          kind,
          slot,
          0);
      assertEquals(
          0,
          control(end)
              .primary()
              .sendControl(control(end).railBuffer(0), ControlMessage.HEADER_BYTES, 0));
    } finally {
      end.core.lock.unlock();
    }
  }

  private static void lose(MeshChannel end, int rail) {
    end.core.lock.lock();
    try {
      end.core.endpointFailed(
          SimulatedLine.rails(end).at(rail).endpoint(),
          new TransportException(Reason.PEER_GONE, "rail " + rail + " is lost, says the test."));
    } finally {
      end.core.lock.unlock();
    }
  }

  private static void leadOver(MeshChannel end, int rail) {
    end.core.lock.lock();
    try {
      control(end).switchPrimary(SimulatedLine.rails(end).at(rail));
    } finally {
      end.core.lock.unlock();
    }
  }

  private void expectEnd(Channel end, long request) {
    long outcome = Channel.PENDING;
    for (int look = 0; look < 1_000 && outcome == Channel.PENDING; look++) {
      line.fabric.runUntil(line.fabric.nowNs() + A_WHILE_NS);
      outcome = end.test(request);
    }
    assertEquals(Channel.FAILED, outcome, "it goes on");
    assertEquals(Reason.PROTOCOL, end.failure().reason(), end.failure().getMessage());
    assertTrue(end.failure().getMessage().contains("no correct peer"), end.failure().getMessage());
    assertEquals(ChannelState.FAILED, end.state());
  }

  /** The rail that it is said on, one that never was, and those whose bit would be another's. */
  @ParameterizedTest
  @ValueSource(ints = {0, RAILS, 63, 64, 65, 255})
  void shouldNotLoseARailThatCannotBeLost(int rail) {
    say(line.out, ControlMessage.RAIL_LOST, rail, 0);
    expectEnd(line.in, receive);
  }

  @Test
  void shouldNotTakeAWordWithoutItsNumberForALoss() {
    sayHeader(line.out, ControlMessage.RAIL_LOST, 1);
    expectEnd(line.in, receive);
  }

  /** The channel has announced one receive. */
  @ParameterizedTest
  @ValueSource(longs = {2, 1_000, -1, Long.MIN_VALUE, Long.MAX_VALUE})
  void shouldNotFollowToALeadWhereReceivesWereSeenThatNobodyAnnounced(long seen) {
    leadOver(line.out, 1);
    say(line.out, ControlMessage.RAIL_LOST, 0, seen);
    expectEnd(line.in, receive);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, RAILS, 64, 65, 255})
  void shouldNotHearOfTheEndOfARailThatIsNotLost(int rail) {
    say(line.in, ControlMessage.RAIL_GONE, rail, 0);
    expectEnd(line.out, send);
  }

  /** Rail 65 has the bit of rail 1 in a set of 64. */
  @ParameterizedTest
  @ValueSource(ints = {0, 2, 64 + 1, 128 + 1, 192 + 1})
  void shouldNotTakeTheEndOfAnotherRailForThatOfALostOne(int rail) {
    lose(line.out, 1);
    line.out.test(send);
    say(line.in, ControlMessage.RAIL_GONE, rail, 0);
    expectEnd(line.out, send);
  }

  @Test
  void shouldNotTakeAWordWithoutItsNumberForTheEndOfALostRail() {
    lose(line.out, 1);
    line.out.test(send);
    sayHeader(line.in, ControlMessage.RAIL_GONE, 1);
    expectEnd(line.out, send);
  }

  /** The channel has told of no message. */
  @ParameterizedTest
  @CsvSource({"1", "1000", "-1", "9223372036854775807"})
  void shouldNotBelieveThatMessagesWereSeenOfWhichNobodyTold(long seen) {
    lose(line.out, 0);
    line.out.test(send);
    leadOver(line.in, 1);
    say(line.in, ControlMessage.RAIL_GONE, 0, seen);
    expectEnd(line.out, send);
  }

  /** The receive's room, on the lead and on another rail. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void shouldNotHearTwiceThatWhatARailCarriedIsThere(int rail) {
    int notice = ImmediateData.placed(ImmediateData.receive(requestSlot(), 0));
    sayByImmediate(rail, notice);
    sayByImmediate(rail, notice);
    expectEnd(line.in, receive);
  }

  /** A room that awaits nothing, one that never was, and a message in parts. */
  @ParameterizedTest
  @ValueSource(ints = {1 << 31 | 9, 1 << 31 | 511, 1 << 9, 9})
  void shouldNotHearByImmediateOfWhatCannotBe(int notice) {
    sayByImmediate(1, notice);
    expectEnd(line.in, receive);
  }

  /** A message that fits is no reason for it not to come. */
  @ParameterizedTest
  @ValueSource(longs = {BYTES, BYTES - 1, 0, -1, Long.MIN_VALUE})
  void shouldNotBelieveThatAMessageIsTooLongThatFits(long messageBytes) {
    say(line.out, ControlMessage.TOO_LONG, requestSlot(), messageBytes);
    expectEnd(line.in, receive);
  }

  /** Rails that never were. */
  @ParameterizedTest
  @ValueSource(longs = {1L << RAILS, 1L << 63, -1})
  void shouldNotWaitForRailsThatNeverWere(long carriers) {
    sayNotice(carriers);
    expectEnd(line.in, receive);
  }

  @Test
  void shouldNotHearOfTwoMessagesForOneRoom() {
    sayNotice(2);
    sayNotice(2);
    long outcome = Channel.PENDING;
    for (int look = 0; look < 1_000 && outcome == Channel.PENDING; look++) {
      line.fabric.runUntil(line.fabric.nowNs() + A_WHILE_NS);
      outcome = line.in.test(receive);
    }
    assertEquals(BYTES, outcome, "the first was there when the rails were gone");
    assertEquals(ChannelState.FAILED, line.in.state());
    assertEquals(Channel.FAILED, line.in.irecv(to, 0, BYTES, 1));
    assertEquals(Reason.PROTOCOL, line.in.failure().reason());
  }

  private int requestSlot() {
    return line.in.core.requests.slot(receive);
  }

  private void sayNotice(long carriers) {
    line.out.core.lock.lock();
    try {
      line.out
          .control()
          .sendNotice(
              ImmediateData.receive(requestSlot(), 0),
              control(line.out).railBuffer(0),
              BYTES,
              carriers);
    } finally {
      line.out.core.lock.unlock();
    }
  }

  private void sayByImmediate(int rail, int notice) {
    line.out.core.lock.lock();
    try {
      MeshEndpoint link = SimulatedLine.rails(line.out).at(rail).endpoint();
      assertEquals(0, link.addPlacement(0, notice));
      assertEquals(0, link.postParts());
    } finally {
      line.out.core.lock.unlock();
    }
  }

  /** Else who looks seldom would take a device for one that gives nothing back. */
  @Test
  void shouldReadAllThatALostRailGivesBackAtOneLook() throws Exception {
    for (int i = 0; i < MANY; i++) {
      line.in.irecv(to, 0, BYTES, 1);
    }
    Rail lead = SimulatedLine.rails(line.in).primary();
    lose(line.in, 0);
    assertEquals(Channel.PENDING, line.in.test(receive));
    assertTrue(lead.is(Rail.State.GONE), "it is not drained");
    assertEquals(ChannelState.READY, line.in.state());
  }
}
