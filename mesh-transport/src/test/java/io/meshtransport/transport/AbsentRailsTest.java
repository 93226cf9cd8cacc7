// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.message.MeshSendChannel;
import io.meshtransport.transport.rail.Rails;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A channel that is to have several rails where one of them cannot be made: at that address of the
 * peer's handle another host answers, or nobody. It has the others, and carries what is sent.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AbsentRailsTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int CABLES = 3;
  private static final int BYTES = 1 << 20;

  /** Of the three, the cable that leads elsewhere. */
  private static final int ABSENT = 1;

  private static Transport open(int node, String queuePairs) throws TransportException {
    List<String> addresses =
        IntStream.range(0, CABLES).mapToObj(cable -> address(cable, node) + "/24").toList();
    return Transport.open(
        Map.of(
            "MESH_PROVIDER",
            "soft",
            "MESH_LOOPBACK",
            String.join(",", addresses),
            "MESH_HANDSHAKE_PORT",
            "0",
            "MESH_TIMEOUT_MS",
            Long.toString(SOON.toMillis()),
            "MESH_RAILS",
            "2",
            "MESH_QPS_PER_CONNECTION",
            queuePairs));
  }

  private static String address(int cable, int node) {
    return "127.77." + (51 + cable) + "." + node;
  }

  /** Where the peer has nothing at one of its addresses. */
  private static byte[] handle(Listener listener) throws Exception {
    PeerHandle real = PeerHandle.decodePadded(listener.handle());
    List<HandleAddress> addresses = new ArrayList<>(real.addresses());
    HandleAddress there = addresses.get(ABSENT);
    LinkAddress elsewhere = new LinkAddress(InetAddress.getByName(address(ABSENT, 99)), 24);
    addresses.set(ABSENT, new HandleAddress(elsewhere, there.nicIndex(), there.speedMbps()));
    return new PeerHandle(real.node(), real.listenerId(), real.handshakePort(), addresses).encode();
  }

  private static List<Integer> cables(MeshSendChannel channel) {
    channel.core.lock.lock();
    try {
      Rails rails = SimulatedLine.rails(channel);
      return IntStream.range(0, rails.size())
          .mapToObj(rail -> rails.get(rail).endpoint().nic().index())
          .toList();
    } finally {
      channel.core.lock.unlock();
    }
  }

  private static void expectRails(String queuePairs, List<Integer> expected) throws Exception {
    try (Transport from = open(1, queuePairs);
        Transport to = open(2, queuePairs);
        Listener listener = to.listen()) {
      ChannelFuture<ReceiveChannel> accepting = listener.accept();
      try (MeshSendChannel out = (MeshSendChannel) from.connect(handle(listener), SOON);
          ReceiveChannel in = accepting.await(SOON);
          RegisteredMemory source = from.allocate(BYTES);
          RegisteredMemory sink = to.allocate(BYTES)) {
        Awaitility.await().atMost(SOON).until(() -> cables(out), expected::equals);
        ByteBuffer bytes = source.segments().get(0);
        for (int i = 0; i < BYTES; i++) {
          bytes.put(i, (byte) (i * 31 + i / 251));
        }
        long received = in.irecv(sink, 0, BYTES, 1);
        long sent = out.isend(source, 0, BYTES, 1);
        assertEquals(BYTES, out.await(sent, SOON));
        assertEquals(BYTES, in.await(received, SOON));
        assertEquals(bytes, sink.segments().get(0));
        assertEquals(expected, cables(out));
      }
    }
  }

  @Test
  void shouldTakeTheNextCableWhereOneLeadsElsewhere() throws Exception {
    expectRails("1", List.of(0, 2));
  }

  @Test
  void shouldHaveAsManyQueuePairsOnThoseThatThereAre() throws Exception {
    expectRails("2", List.of(0, 0, 2, 2));
  }
}
