// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.meshtransport.spi.FreePorts;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.ObjectMessage;
import org.jgroups.Receiver;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Also tests {@link AcknowledgedLink}. */
@Tag("slow")
@Timeout(60)
class AcknowledgedTcpTest {
  /** More than may be under way without an acknowledgement. */
  private static final int MESSAGES = 400;

  /** Longer than what a connection has space for at first. */
  private static final int LONG_BYTES = 300 << 10;

  private final BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();

  @Test
  void shouldCarryMoreThanMayBeUnderWayAndLongBundles() throws Exception {
    List<InetSocketAddress> members = List.of(free(), free());
    try (JChannel first = member(members, 0);
        JChannel second = member(members, 1)) {
      second.setReceiver(
          new Receiver() {
            @Override
            public void receive(Message message) {
              received.add(message.getObject());
            }
          });
      first.connect("least");
      second.connect("least");

      List<byte[]> sent = new ArrayList<>();
      for (int i = 0; i < MESSAGES; i++) {
        byte[] content = new byte[i % 100 == 99 ? LONG_BYTES : 1 + i];
        content[content.length - 1] = (byte) i;
        sent.add(content);
        first.send(new ObjectMessage(second.getAddress(), content));
      }

      for (byte[] each : sent) {
        byte[] next = received.poll(60, TimeUnit.SECONDS);
        assertNotNull(next, "after " + sent.indexOf(each) + " messages");
        assertArrayEquals(each, next);
      }
    }
  }

  private static InetSocketAddress free() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePorts.next());
  }

  private static JChannel member(List<InetSocketAddress> members, int index) throws Exception {
    AcknowledgedTcp transport = new AcknowledgedTcp();
    transport.setBindAddress(members.get(index).getAddress());
    transport.setBindPort(members.get(index).getPort());
    return new JChannel(
        transport,
        new TCPPING().setInitialHosts(members).setPortRange(0),
        new NAKACK2().useMcastXmit(false),
        new UNICAST3(),
        new STABLE(),
        new GMS().setJoinTimeout(2_000));
  }
}
