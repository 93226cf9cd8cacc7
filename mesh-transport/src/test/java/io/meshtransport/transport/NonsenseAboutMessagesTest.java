// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.message.MeshSendChannel;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a peer says of messages that no correct peer says ends the channel, with a reason. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NonsenseAboutMessagesTest {
  private static final int BYTES = 64;
  private static final int PART_BYTES = 1_000;
  private static final long STEP_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private SimulatedLine line;

  @BeforeEach
  void open() throws Exception {
    line = new SimulatedLine(1, SimulatedCable.usual(), PART_BYTES);
  }

  @AfterEach
  void close() {
    line.close();
  }

  /** The only receive is entry 0 of slot 0, of 64 bytes. */
  @ParameterizedTest(name = "WRITTEN for slot {0} entry {1} with {2} bytes")
  @CsvSource({"1,0,5", "0,1,5", "63,7,5", "64,0,5", "255,255,5", "0,0,65", "0,0,-1", "200,0,0"})
  void shouldNotReceiveAMessageThatCannotHaveBeenWritten(int slot, int entry, long lengthBytes)
      throws Exception {
    RegisteredMemory to = line.to.register(ByteBuffer.allocateDirect(BYTES));
    long receive = line.in.irecv(to, 0, BYTES, 1);
    MeshSendChannel out = line.out;
    out.core.lock.lock();
    try {
      out.control().sendNumber(ControlMessage.WRITTEN, slot, entry, 0, lengthBytes);
    } finally {
      out.core.lock.unlock();
    }
    long outcome = Channel.PENDING;
    for (int step = 0; step < 1_000 && outcome == Channel.PENDING; step++) {
      line.fabric.runUntil(line.fabric.nowNs() + STEP_NS);
      outcome = line.in.test(receive);
    }
    assertEquals(Channel.FAILED, outcome);
    assertEquals(Reason.PROTOCOL, line.in.failure().reason());
    assertTrue(line.in.failure().getMessage().contains("no correct peer"));
    assertEquals(ChannelState.FAILED, line.in.state());
  }
}
