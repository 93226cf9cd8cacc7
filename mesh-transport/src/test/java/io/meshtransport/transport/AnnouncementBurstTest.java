package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.softverbs.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** More announcements than the sending end has receives for at first. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AnnouncementBurstTest {
  @Test
  void shouldTakeABurstThatNobodyLooksAtForALongTime() throws Exception {
    SimulatedCable cable = new SimulatedCable(1_000, 0, 1_000_000_000L);
    try (SimulatedLine line = new SimulatedLine(1, cable, 3_000)) {
      RegisteredMemory room = line.to.register(ByteBuffer.allocateDirect(Transport.MAX_REQUESTS));
      RegisteredMemory source = line.from.register(ByteBuffer.allocateDirect(1));
      List<Long> receives = new ArrayList<>();
      for (int tag = 0; tag < Transport.MAX_REQUESTS; tag++) {
        receives.add(line.in.irecv(room, tag, 1, tag));
      }
      // Longer than any patience.
      line.fabric.runUntil(line.fabric.nowNs() + TimeUnit.SECONDS.toNanos(20));
      assertEquals(ChannelState.READY, line.in.state());

      List<Long> sends = new ArrayList<>();
      for (int tag = Transport.MAX_REQUESTS - 1; tag >= 0; tag--) {
        sends.add(line.out.isend(source, 0, 1, tag));
      }
      for (long send : sends) {
        assertEquals(1, finish(line, line.out, send));
      }
      for (long receive : receives) {
        assertEquals(1, finish(line, line.in, receive));
      }
    }
  }

  private static long finish(SimulatedLine line, Channel channel, long request) {
    long outcome;
    while ((outcome = channel.test(request)) == Channel.PENDING) {
      line.fabric.runUntil(line.fabric.nowNs() + 10_000);
    }
    return outcome;
  }
}
