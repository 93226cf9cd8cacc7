// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendMode;
import io.meshtransport.transport.device.WatchedDevice;
import io.meshtransport.verbs.SendFlags;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What channels tell the device about the hurry that their work requests are in. */
class HurryTest {
  private static final int BYTES = 64;
  private static final long A_WHILE_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Map<String, WatchedDevice> devices = new HashMap<>();
  private SimulatedLine line;
  private RegisteredMemory from;
  private RegisteredMemory to;

  @BeforeEach
  void open() throws Exception {
    line =
        new SimulatedLine(
            1,
            SimulatedCable.usual(),
            1 << 20,
            (name, device) ->
                devices.computeIfAbsent(name, any -> new WatchedDevice(device)).device());
    from = line.from.register(ByteBuffer.allocateDirect(BYTES));
    to = line.to.register(ByteBuffer.allocateDirect(BYTES));
  }

  @AfterEach
  void close() {
    line.close();
  }

  private List<Integer> flags(String end, int from) {
    List<Integer> all = devices.get(end).flags();
    return all.subList(from, all.size());
  }

  /** The flags of the one work request that a message is. */
  private int flagsOfAMessage(int lengthBytes) throws Exception {
    long received = line.in.irecv(to, 0, BYTES, 0);
    line.fabric.runUntil(line.fabric.nowNs() + A_WHILE_NS);
    int before = flags(SimulatedLine.FROM, 0).size();
    long sent = line.out.isend(from, 0, lengthBytes, 0);
    List<Integer> flags = flags(SimulatedLine.FROM, before);
    assertEquals(1, flags.size());
    finish(line.out, sent);
    finish(line.in, received);
    return flags.get(0);
  }

  private void finish(Channel channel, long request) throws Exception {
    for (int poll = 0; channel.test(request) == Channel.PENDING; poll++) {
      assertTrue(poll < 1_000, "the request is still pending after " + poll + " polls");
      line.fabric.runUntil(line.fabric.nowNs() + A_WHILE_NS);
    }
  }

  @Test
  void shouldAnnounceReceivesWithoutHurry() throws Exception {
    line.in.irecv(to, 0, BYTES, 0);
    List<Integer> flags = flags(SimulatedLine.TO, 0);
    assertEquals(1, flags.size());
    assertTrue((flags.get(0) & SendFlags.DEFERRABLE) != 0, "the announcement is in a hurry");
    assertEquals(0, flags.get(0) & SendFlags.NO_DELAY);
  }

  @Test
  void shouldHurryAsMuchAsTheModeSays() throws Exception {
    int hints = SendFlags.NO_DELAY | SendFlags.DEFERRABLE;
    assertEquals(0, flagsOfAMessage(8) & hints);
    line.out.sendMode(SendMode.FIRE_AND_FORGET);
    assertEquals(SendFlags.NO_DELAY, flagsOfAMessage(8) & hints);
    assertEquals(SendFlags.NO_DELAY, flagsOfAMessage(0) & hints);
    line.out.sendMode(SendMode.BATCH);
    assertEquals(SendFlags.DEFERRABLE, flagsOfAMessage(8) & hints);
    line.out.sendMode(SendMode.LATENCY);
    assertEquals(0, flagsOfAMessage(8) & hints);
  }
}
