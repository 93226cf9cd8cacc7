// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.transport.endpoint.QueueDepths;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * More announcements than the sending end has receives for at first. None may meet an empty receive
 * queue: on this line that would end the channel.
 *
 * <p>Also tests {@link io.meshtransport.transport.message.AnnouncementBuffers}, {@link
 * io.meshtransport.transport.message.AnnouncementQueue}, {@link
 * io.meshtransport.transport.channel.ChannelAttendant} and {@link UnreadAnnouncements}.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AnnouncementBurstTest {
  private static final SimulatedCable CABLE = new SimulatedCable(1_000, 0, 1_000_000_000L);
  private static final int GROUPS = Transport.MAX_REQUESTS;
  private static final int ROOMS = GROUPS * Transport.MAX_GROUP;
  private static final int MESSAGES = 3_000;
  private static final long NO_DEADLINE = ReceiveChannel.NO_DEADLINE;

  private final long seed = Long.getLong("mesh.test.seed", System.nanoTime());
  private final List<Long> receives = new ArrayList<>();
  private final List<Long> sends = new ArrayList<>();

  /** Whether something looks at the receiving end beside its program. */
  private boolean isAttended = true;

  private RegisteredMemory room;
  private RegisteredMemory source;

  private interface Steps {
    void on(SimulatedLine line) throws Exception;
  }

  private void run(Steps steps) throws Exception {
    try (SimulatedLine line = new SimulatedLine(seed, CABLE, 3_000)) {
      room = line.to.register(ByteBuffer.allocateDirect(ROOMS));
      source = line.from.register(ByteBuffer.allocateDirect(1));
      steps.on(line);
    }
  }

  @Test
  void shouldTakeABurstThatNobodyLooksAtForALongTime() throws Exception {
    run(
        line -> {
          for (int tag = 0; tag < Transport.MAX_REQUESTS; tag++) {
            receives.add(line.in.irecv(room, tag, 1, tag));
          }
          // Longer than any patience.
          line.fabric.runUntil(line.fabric.nowNs() + TimeUnit.SECONDS.toNanos(20));
          assertEquals(ChannelState.READY, line.in.state());

          for (int tag = Transport.MAX_REQUESTS - 1; tag >= 0; tag--) {
            sends.add(line.out.isend(source, 0, 1, tag));
          }
          finishAll(line);
          assertTrue(line.deferrals > 0);
        });
  }

  @Test
  void shouldTakeFullGroupsInEachRequest() throws Exception {
    run(
        line -> {
          ReceiveGroup group = new ReceiveGroup();
          for (int request = 0; request < GROUPS; request++) {
            group.clear();
            for (int entry = 0; entry < Transport.MAX_GROUP; entry++) {
              int at = request * Transport.MAX_GROUP + entry;
              group.add(room, at, 1, at);
            }
            receives.add(line.in.irecv(group, NO_DEADLINE));
          }
          for (int tag = ROOMS - 1; tag >= 0; tag--) {
            long send;
            while ((send = line.out.isend(source, 0, 1, tag)) == Channel.BUSY) {
              finish(line, line.out, sends.remove(0));
            }
            sends.add(send);
          }
          for (long send : sends) {
            assertEquals(1, finish(line, line.out, send));
          }
          for (long receive : receives) {
            assertEquals(Transport.MAX_GROUP, finish(line, line.in, receive));
          }
        });
  }

  /** The program looks itself, at any time, and so does the sender's. */
  @Test
  void shouldNeverOverrunTheSenderWhateverIsOutstanding() throws Exception {
    isAttended = false;
    Random random = new Random(seed);
    run(
        line -> {
          Deque<Long> receiving = new ArrayDeque<>();
          Deque<Long> sending = new ArrayDeque<>();
          int received = 0;
          int sent = 0;
          while (received < MESSAGES || sent < MESSAGES || !receiving.isEmpty()) {
            String what = "seed " + seed + ": " + line.in.state() + " and " + line.out.state();
            assertEquals(ChannelState.READY, line.in.state(), what);
            assertEquals(ChannelState.READY, line.out.state(), what);
            for (int burst = random.nextInt(1 << random.nextInt(7)); burst > 0; burst--) {
              if (received < MESSAGES && receiving.size() < Transport.MAX_REQUESTS) {
                receiving.add(line.in.irecv(room, 0, 1, 0));
                received++;
              }
            }
            for (int burst = random.nextInt(1 << random.nextInt(7)); burst > 0; burst--) {
              if (sent < MESSAGES && sending.size() < Transport.MAX_REQUESTS) {
                sending.add(line.out.isend(source, 0, 1, 0));
                sent++;
              }
            }
            line.fabric.runUntil(line.fabric.nowNs() + random.nextInt(20_000));
            endFirst(line.in, receiving, random.nextInt(Transport.MAX_REQUESTS));
            endFirst(line.out, sending, random.nextInt(Transport.MAX_REQUESTS));
          }
        });
  }

  private static void endFirst(Channel channel, Deque<Long> requests, int atMost) {
    for (int left = atMost; left > 0 && !requests.isEmpty(); left--) {
      if (channel.test(requests.peek()) == Channel.PENDING) {
        return;
      }
      requests.remove();
    }
  }

  @Test
  void shouldAnnounceWhatIsDeferredWhenItsProgramLooks() throws Exception {
    isAttended = false;
    run(
        line -> {
          for (int tag = 0; tag <= QueueDepths.FIRST_ANNOUNCEMENTS; tag++) {
            receives.add(line.in.irecv(room, tag, 1, tag));
          }
          assertEquals(1, line.deferrals);
          sends.add(line.out.isend(source, 0, 1, QueueDepths.FIRST_ANNOUNCEMENTS));
          settle(line, line.out, sends.get(0));
          assertTrue(line.in.progressUnpolled() || line.deferrals == 1);
          assertEquals(1, finish(line, line.out, sends.get(0)));
          assertFalse(line.in.progressUnpolled());
        });
  }

  /** A look per receive that is deferred would take a lock that all channels share. */
  @Test
  void shouldAskOnceForSomebodyWhoLooksWhileAnythingIsDeferred() throws Exception {
    isAttended = false;
    run(
        line -> {
          for (int tag = 0; tag < Transport.MAX_REQUESTS; tag++) {
            receives.add(line.in.irecv(room, tag, 1, tag));
          }
          assertEquals(1, line.deferrals);
        });
  }

  /** The thread that looks has other channels to look after. */
  @Test
  void shouldNotWaitForWhoeverLooksAlready() throws Exception {
    isAttended = false;
    run(
        line -> {
          for (int tag = 0; tag <= QueueDepths.FIRST_ANNOUNCEMENTS; tag++) {
            receives.add(line.in.irecv(room, tag, 1, tag));
          }
          line.in.core.lock.lock();
          try {
            assertTrue(
                CompletableFuture.supplyAsync(line.in::progressUnpolled).get(30, TimeUnit.SECONDS));
          } finally {
            line.in.core.lock.unlock();
          }
        });
  }

  @Test
  void shouldFailWhatIsDeferredWhenTheChannelCloses() throws Exception {
    isAttended = false;
    run(
        line -> {
          for (int tag = 0; tag <= QueueDepths.FIRST_ANNOUNCEMENTS; tag++) {
            receives.add(line.in.irecv(room, tag, 1, tag));
          }
          line.in.close();
          assertFalse(line.in.progressUnpolled());
          for (long receive : receives) {
            assertEquals(Channel.FAILED, line.in.test(receive));
          }
        });
  }

  private void finishAll(SimulatedLine line) {
    for (long send : sends) {
      assertEquals(1, finish(line, line.out, send));
    }
    for (long receive : receives) {
      assertEquals(1, finish(line, line.in, receive));
    }
  }

  /** Lets the cable carry what it has while one end is looked at. */
  private static void settle(SimulatedLine line, Channel channel, long request) {
    for (int look = 0; look < 10; look++) {
      assertEquals(Channel.PENDING, channel.test(request));
      line.fabric.runUntil(line.fabric.nowNs() + 10_000);
    }
  }

  private long finish(SimulatedLine line, Channel channel, long request) {
    long outcome;
    while ((outcome = channel.test(request)) == Channel.PENDING) {
      line.fabric.runUntil(line.fabric.nowNs() + 10_000);
      if (isAttended) {
        line.in.progressUnpolled();
      }
    }
    return outcome;
  }
}
