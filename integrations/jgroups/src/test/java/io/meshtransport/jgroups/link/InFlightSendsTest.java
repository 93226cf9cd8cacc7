// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class InFlightSendsTest {
  private static final int BUFFERS = 64;
  private static final int BUFFER_BYTES = 32;

  private final ScriptedSendChannel channel = new ScriptedSendChannel();
  private SendBufferPool pool;
  private InFlightSends underWay;

  @BeforeEach
  void registerSlots() throws TransportException {
    pool = new SendBufferPool(ScriptedTransport.registering(), BUFFERS, BUFFER_BYTES);
    underWay = new InFlightSends(channel, pool);
  }

  private void begin(int messages) {
    for (int message = 0; message < messages; message++) {
      assertTrue(underWay.post(pool.tryAcquire(), BUFFER_BYTES));
    }
  }

  @Test
  void shouldSendTheBytesOfTheSlot() {
    pool.tryAcquire();
    int buffer = pool.tryAcquire();
    pool.bytes(buffer).put(0, (byte) 7).put(4, (byte) 9);
    assertTrue(underWay.post(buffer, 5));
    assertEquals(ByteBuffer.wrap(new byte[] {7, 0, 0, 0, 9}), channel.sent().get(0));
  }

  @Test
  void shouldTestNothingUntilSlotsAreWantedBack() {
    channel.acceptAll();
    begin(InFlightSends.MAX_SENDS);
    assertEquals(0, channel.tests());
    assertEquals(InFlightSends.MAX_SENDS, underWay.reap());
    assertEquals(InFlightSends.MAX_SENDS, channel.tests());
    assertEquals(BUFFERS, pool.free());
  }

  @Test
  void shouldTestNoFurtherThanTheFirstThatIsPending() {
    begin(3);
    channel.acceptNext();
    assertEquals(1, underWay.reap());
    assertEquals(2, channel.tests());
    assertEquals(2, underWay.count());
    assertEquals(BUFFERS - 2, pool.free());
  }

  @Test
  void shouldLetThoseThatOvertookOthersWaitForThem() {
    begin(3);
    channel.acceptLast();
    assertEquals(0, underWay.reap());
    channel.acceptNext();
    assertEquals(1, underWay.reap());
    channel.acceptNext();
    assertEquals(2, underWay.reap());
    assertEquals(BUFFERS, pool.free());
  }

  @Test
  void shouldGoRoundManyTimes() {
    for (int round = 0; round < 5; round++) {
      begin(InFlightSends.MAX_SENDS - 1);
      channel.acceptAll();
      assertEquals(InFlightSends.MAX_SENDS - 1, underWay.reap());
    }
    assertEquals(0, underWay.count());
    assertEquals(BUFFERS, pool.free());
  }

  @Test
  void shouldRefuseOneMoreThanItsCapacity() {
    begin(InFlightSends.MAX_SENDS);
    assertThrows(IllegalStateException.class, () -> underWay.post(pool.tryAcquire(), BUFFER_BYTES));
  }

  @Test
  void shouldLeaveTheHoldToTheCallerWhenTheChannelIsFull() throws TransportException {
    RegisteredMemory other = new PlainMemory(ByteBuffer.allocateDirect(BUFFER_BYTES));
    for (int message = 0; message < Transport.MAX_REQUESTS; message++) {
      channel.isend(other, 0, 1, BundleHeader.TAG);
    }
    int buffer = pool.tryAcquire();
    assertFalse(underWay.post(buffer, BUFFER_BYTES));
    assertEquals(Optional.empty(), underWay.failure());
    assertEquals(0, underWay.count());
    pool.release(buffer);
    assertEquals(BUFFERS, pool.free());
  }

  @Test
  void shouldLeaveTheHoldToTheCallerWhenTheChannelHasFailed() {
    TransportException gone = ScriptedSendChannel.peerGone();
    channel.fail(gone);
    int buffer = pool.tryAcquire();
    assertFalse(underWay.post(buffer, BUFFER_BYTES));
    assertSame(gone, underWay.failure().orElseThrow());
    pool.release(buffer);
    assertEquals(BUFFERS, pool.free());
  }

  @Test
  void shouldGiveBackWhatFailedOnceAndRememberWhy() {
    begin(3);
    channel.acceptNext();
    TransportException gone = ScriptedSendChannel.peerGone();
    channel.fail(gone);
    assertEquals(3, underWay.reap());
    assertSame(gone, underWay.failure().orElseThrow());
    assertEquals(BUFFERS, pool.free());
    channel.close();
    underWay.releaseAll();
    assertSame(gone, underWay.failure().orElseThrow());
    assertEquals(BUFFERS, pool.free());
  }

  @Test
  void shouldGiveBackEverySlotWhenTheChannelIsClosed() {
    begin(5);
    channel.acceptNext();
    assertEquals(1, underWay.reap());
    channel.close();
    underWay.releaseAll();
    assertEquals(0, underWay.count());
    assertEquals(BUFFERS, pool.free());
  }
}
