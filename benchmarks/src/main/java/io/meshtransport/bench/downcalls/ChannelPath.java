// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.downcalls;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.SendMode;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;

/**
 * A channel in each direction between two transports, joined by a loopback cable: receives in
 * groups of eight, two groups ahead, and selective signalling, as in {@code ./mesh bench soft}. One
 * thread.
 */
final class ChannelPath implements HalfRoundTrip.MessagePath {
  private static final Duration SETUP = Duration.ofSeconds(20);

  private final Transport one;
  private final Transport other;
  private final Direction there;
  private final Direction back;

  ChannelPath() throws TransportException {
    one = node("one", "127.77.97.1");
    other = node("other", "127.77.97.2");
    there = new Direction(one, other);
    back = new Direction(other, one);
  }

  private static Transport node(String name, String address) throws TransportException {
    return Transport.open(
        Map.of(
            "MESH_PROVIDER",
            "soft",
            "MESH_LOOPBACK",
            address + "/24",
            "MESH_HANDSHAKE_PORT",
            "0",
            "MESH_NODE",
            name));
  }

  @Override
  public long there(long number) throws TransportException {
    return there.move(number);
  }

  @Override
  public long back(long number) throws TransportException {
    return back.move(number);
  }

  @Override
  public void close() {
    one.close();
    other.close();
  }

  /** One direction. */
  private static final class Direction {
    private static final int TAG = 0;
    private static final int GROUPS = 2;
    private static final int RECEIVES = GROUPS * Transport.MAX_GROUP;

    /** A slot is reused long after the channel has polled the completion of its message. */
    private static final int SLOTS = 64;

    private static final long NONE = -1;
    private static final int MAX_TESTS = 1 << 20;

    private final SendChannel out;
    private final ReceiveChannel in;
    private final ByteBuffer outgoing = ByteBuffer.allocateDirect(SLOTS * Long.BYTES);
    private final ByteBuffer incoming = ByteBuffer.allocateDirect(RECEIVES * Long.BYTES);
    private final RegisteredMemory source;
    private final RegisteredMemory target;
    private final ReceiveGroup group = new ReceiveGroup();
    private final long[] sends = new long[SLOTS];
    private final long[] receives = new long[GROUPS];
    private final long[] lengths = new long[Transport.MAX_GROUP];
    private long count;

    Direction(Transport from, Transport to) throws TransportException {
      Listener listener = to.listen();
      ChannelFuture<ReceiveChannel> accepting = listener.accept();
      out = from.connect(listener.handle()).await(SETUP);
      in = accepting.await(SETUP);
      out.sendMode(SendMode.STREAM);
      source = from.register(outgoing);
      target = to.register(incoming);
      Arrays.fill(sends, NONE);
      for (int index = 0; index < GROUPS; index++) {
        post(index);
      }
    }

    private void post(int index) {
      group.clear();
      for (int entry = 0; entry < Transport.MAX_GROUP; entry++) {
        group.add(
            target, (index * Transport.MAX_GROUP + entry) * (long) Long.BYTES, Long.BYTES, TAG);
      }
      receives[index] = in.irecv(group, ReceiveChannel.NO_DEADLINE);
    }

    long move(long number) throws TransportException {
      send(number);
      int slot = (int) (count % RECEIVES);
      int index = slot / Transport.MAX_GROUP;
      int entry = slot % Transport.MAX_GROUP;
      awaitArrival(receives[index], entry);
      long received = incoming.getLong(slot * Long.BYTES);
      if (entry == Transport.MAX_GROUP - 1) {
        finish(in, receives[index]);
        post(index);
      }
      count++;
      return received;
    }

    private void send(long number) throws TransportException {
      int slot = (int) (count % SLOTS);
      if (sends[slot] != NONE) {
        finish(out, sends[slot]);
      }
      outgoing.putLong(slot * Long.BYTES, number);
      sends[slot] = out.isend(source, (long) slot * Long.BYTES, Long.BYTES, TAG);
    }

    private void awaitArrival(long request, int entry) throws TransportException {
      for (int i = 0; i < MAX_TESTS; i++) {
        if (in.receivedSoFar(request, lengths) > entry) {
          return;
        }
        if (in.state() == ChannelState.FAILED) {
          throw in.failure();
        }
        // A message that waited for an advertised receive is posted when its channel is polled.
        if (out.sendsNeedingProgress() > 0) {
          out.awaitProgress(out.progressCount(), Duration.ZERO);
        }
      }
      throw new IllegalStateException("message " + count + " has not arrived");
    }

    private static void finish(Channel channel, long request) throws TransportException {
      for (int i = 0; i < MAX_TESTS; i++) {
        long outcome = channel.test(request);
        if (outcome == Channel.FAILED) {
          throw channel.failure(request);
        }
        if (outcome != Channel.PENDING) {
          return;
        }
      }
      throw new IllegalStateException("a request has not ended after " + MAX_TESTS + " polls");
    }
  }
}
