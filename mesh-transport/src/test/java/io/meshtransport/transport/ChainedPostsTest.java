// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.transport.device.WatchedDevice;
import io.meshtransport.verbs.QueuePair;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What leaves, or is received, together costs one call to the device, not one each. */
class ChainedPostsTest {
  private static final int PART_BYTES = 1000;
  private static final int ROOM_BYTES = 32 * PART_BYTES;
  private static final long A_WHILE_NS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int CHAIN = 8;

  private final Map<String, WatchedDevice> devices = new HashMap<>();
  private final ByteBuffer source = ByteBuffer.allocateDirect(ROOM_BYTES);
  private final ByteBuffer target = ByteBuffer.allocateDirect(ROOM_BYTES);
  private SimulatedLine line;
  private RegisteredMemory from;
  private RegisteredMemory to;

  @BeforeEach
  void open() throws Exception {
    line =
        new SimulatedLine(
            1,
            SimulatedCable.usual(),
            PART_BYTES,
            (name, device) ->
                devices.computeIfAbsent(name, any -> new WatchedDevice(device)).device());
    from = line.from.register(source);
    to = line.to.register(target);
    for (int i = 0; i < ROOM_BYTES; i++) {
      source.put(i, (byte) (i * 31));
    }
  }

  @AfterEach
  void close() {
    line.close();
  }

  @Test
  void shouldPostMessagesThatWaitedForTheirRoomsTogether() throws Exception {
    long[] sends = new long[CHAIN];
    for (int i = 0; i < CHAIN; i++) {
      sends[i] = line.out.isend(from, i, 1 + i, 0);
    }
    assertEquals(CHAIN, line.out.sendsNeedingProgress());
    long received = line.in.irecv(group(), SendChannel.NO_DEADLINE);
    letThingsArrive();
    int before = posts(SimulatedLine.FROM, "postSend").size();
    assertEquals(Channel.PENDING, line.out.test(sends[0]));
    assertEquals(
        List.of(CHAIN),
        posts(SimulatedLine.FROM, "postSend").subList(before, before + 1),
        "requests in the one post");
    assertEquals(before + 1, posts(SimulatedLine.FROM, "postSend").size());
    assertEquals(0, line.out.sendsNeedingProgress());
    expectAllReceivedTogether(received);
    for (int i = 0; i < CHAIN; i++) {
      assertEquals(1 + i, finish(line.out, sends[i]));
      for (int at = 0; at <= i; at++) {
        assertEquals(source.get(i + at), target.get(i * PART_BYTES + at));
      }
    }
  }

  private ReceiveGroup group() {
    ReceiveGroup group = new ReceiveGroup();
    for (int i = 0; i < Transport.MAX_GROUP; i++) {
      group.add(to, (long) i * PART_BYTES, PART_BYTES, 0);
    }
    return group;
  }

  private void expectAllReceivedTogether(long received) throws Exception {
    letThingsArrive();
    int before = posts(SimulatedLine.TO, "postReceive").size();
    assertTrue(line.in.test(received) > 0);
    List<Object> posts = posts(SimulatedLine.TO, "postReceive");
    assertEquals(List.of(CHAIN), posts.subList(before, posts.size()), "receives posted again");
  }

  @Test
  void shouldPostThePartsOfAMessageTogether() throws Exception {
    long received = line.in.irecv(to, 0, ROOM_BYTES, 0);
    letThingsArrive();
    // The announcement is read first.
    long early = line.out.isend(from, 0, 0, 1);
    assertEquals(1, line.out.sendsNeedingProgress());
    int before = posts(SimulatedLine.FROM, "postSend").size();
    long sent = line.out.isend(from, 0, 20 * PART_BYTES + 7, 0);
    List<Object> posts = posts(SimulatedLine.FROM, "postSend");
    assertEquals(List.of(CHAIN, CHAIN, 5), posts.subList(before, posts.size()));
    assertEquals(20 * PART_BYTES + 7, finish(line.out, sent));
    assertEquals(20 * PART_BYTES + 7, finish(line.in, received));
    assertEquals(source.slice(0, 20 * PART_BYTES + 7), target.slice(0, 20 * PART_BYTES + 7));
    line.out.detach(early);
  }

  @Test
  void shouldPostALoneMessageAtOnce() throws Exception {
    long received = line.in.irecv(to, 0, PART_BYTES, 0);
    letThingsArrive();
    long sent = line.out.isend(from, 0, 5, 0);
    assertEquals(0, line.out.sendsNeedingProgress());
    assertEquals(5, finish(line.in, received));
    assertEquals(5, finish(line.out, sent));
  }

  private void letThingsArrive() {
    line.fabric.runUntil(line.fabric.nowNs() + A_WHILE_NS);
  }

  /** How many requests each of these calls had. */
  private List<Object> posts(String end, String method) {
    List<Object> sizes = new ArrayList<>();
    for (WatchedDevice.Call call : devices.get(end).calls(QueuePair.class)) {
      if (call.method().equals(method)) {
        sizes.add(call.argument());
      }
    }
    return sizes;
  }

  private long finish(Channel channel, long request) {
    long outcome = Channel.PENDING;
    for (int look = 0; look < 1_000 && outcome == Channel.PENDING; look++) {
      outcome = channel.test(request);
    }
    return outcome;
  }
}
