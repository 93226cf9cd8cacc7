// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.Counter;
import io.meshtransport.spi.MeshKnowledge;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.transport.channel.PendingRequests;
import io.meshtransport.transport.jmx.MeshTransportMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.management.InstanceNotFoundException;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What JMX shows of transports, seen as any client sees it.
 *
 * <p>Also tests {@link io.meshtransport.transport.jmx.TransportBean}, {@link
 * io.meshtransport.transport.jmx.TransportRegistration}, {@link
 * io.meshtransport.transport.jmx.ChannelStatus}, {@link io.meshtransport.transport.jmx.RailStatus},
 * {@link io.meshtransport.transport.jmx.NicStatus}, {@link
 * io.meshtransport.transport.jmx.TrafficStatus} and {@link
 * io.meshtransport.transport.channel.PendingWatch}.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MeshTransportMXBeanTest {
  private static final int MEMORY_BYTES = 100;
  private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

  private static SimulatedLine line() throws Exception {
    return new SimulatedLine(1, new SimulatedCable(1_000, 0, 1_000_000_000L), 1 << 20);
  }

  private static RegisteredMemory memory(MeshTransport transport) throws Exception {
    return transport.register(ByteBuffer.allocateDirect(MEMORY_BYTES));
  }

  private static Set<ObjectName> names(String id) throws Exception {
    return SERVER.queryNames(
        new ObjectName("io.meshtransport:type=Transport,id=" + id + ",*"), null);
  }

  private static ObjectName name(MeshTransport transport) throws Exception {
    Awaitility.await()
        .atMost(30, TimeUnit.SECONDS)
        .until(() -> names(transport.self().id()).size() == 1);
    return names(transport.self().id()).iterator().next();
  }

  private static CompositeData[] channels(MeshTransport transport) throws Exception {
    return (CompositeData[]) SERVER.getAttribute(name(transport), "Channels");
  }

  private static Object count(CompositeData from, String map, String key) {
    return ((TabularData) from.get(map)).get(new Object[] {key}).get("value");
  }

  @Test
  void shouldShowTwoTransportsOfOneProcessByNameAndId() throws Exception {
    try (SimulatedLine line = line()) {
      assertEquals(line.from.self().name(), SERVER.getAttribute(name(line.from), "Node"));
      assertEquals(line.from.self().id(), SERVER.getAttribute(name(line.from), "Id"));
      assertEquals(
          line.from.handshakePort(), SERVER.getAttribute(name(line.from), "HandshakePort"));
      assertFalse(name(line.from).equals(name(line.to)));
    }
  }

  /** A mesh that this node knows. */
  private static final class Known implements MeshKnowledge {
    @Override
    public Optional<String> offLink(String nodeId, int interfaceIndex, InetAddress peerAddress) {
      return Optional.empty();
    }

    @Override
    public String map() {
      return "{}";
    }

    @Override
    public int port() {
      return 4793;
    }
  }

  @Test
  void shouldShowTheMeshWhileOneIsJoined() throws Exception {
    try (SimulatedLine line = line()) {
      assertEquals("", SERVER.getAttribute(name(line.from), "MeshMap"));
      assertEquals(0, SERVER.getAttribute(name(line.from), "MeshPort"));
      line.from.consult(new Known());
      assertEquals("{}", SERVER.getAttribute(name(line.from), "MeshMap"));
      assertEquals(4793, SERVER.getAttribute(name(line.from), "MeshPort"));
      line.from.consult(MeshKnowledge.NONE);
      assertEquals("", SERVER.getAttribute(name(line.from), "MeshMap"));
    }
  }

  @Test
  void shouldShowChannelsInSimpleTypes() throws Exception {
    try (SimulatedLine line = line()) {
      long received = line.in.irecv(memory(line.to), 0, MEMORY_BYTES, 1);
      long sent = line.out.isend(memory(line.from), 0, 30, 1);
      while (line.out.test(sent) == Channel.PENDING) {
        line.fabric.runUntil(line.fabric.nowNs() + 1_000);
      }

      CompositeData out = channels(line.from)[0];
      assertEquals("send", out.get("direction"));
      assertEquals("", out.get("name"));
      assertEquals("READY", out.get("state"));
      assertEquals(line.out.route().toString(), out.get("route"));
      assertEquals(line.out.route().peer(), out.get("peer"));
      assertEquals(line.out.route().peerName(), out.get("peerName"));
      assertEquals(line.out.route().subnet(), out.get("subnet"));
      assertEquals(30L, count(out, "counters", Counter.BYTES.name()));
      assertEquals(Transport.MAX_REQUESTS, out.get("maxRequests"));
      assertEquals(0, out.get("pendingRequests"));
      assertEquals(-1L, out.get("oldestPendingMs"));
      assertEquals("", out.get("failure"));
      CompositeData rail = ((CompositeData[]) out.get("rails"))[0];
      assertEquals("LIVE", rail.get("state"));
      assertEquals(true, rail.get("primary"));

      CompositeData in = channels(line.to)[0];
      assertEquals("receive", in.get("direction"));
      assertEquals(1, in.get("pendingRequests"));
      assertTrue(line.in.await(received, Duration.ofSeconds(20)) >= 0);
    }
  }

  @Test
  void shouldShowSinceWhenTheOldestRequestWaits() throws Exception {
    try (SimulatedLine line = line()) {
      RegisteredMemory memory = memory(line.to);
      line.in.irecv(memory, 0, 10, 1);
      long laterNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);

      assertEquals(0, line.in.readPending(laterNs, () -> {}).oldestNs());
      line.in.irecv(memory, 10, 10, 2);
      PendingRequests both = line.in.readPending(laterNs + 7_000, () -> {});
      assertEquals(2, both.pending());
      assertEquals(0, both.ended());
      assertEquals(7_000, both.oldestNs());
    }
  }

  @Test
  void shouldKnowTheBeginningOfARequestWithADeadline() throws Exception {
    try (SimulatedLine line = line()) {
      long beforeNs = System.nanoTime();
      line.out.isend(memory(line.from), 0, 1, 1, TimeUnit.HOURS.toNanos(1));
      long afterNs = System.nanoTime();
      long oldestNs = line.out.readPending(afterNs + 1_000_000, () -> {}).oldestNs();
      assertTrue(
          oldestNs >= 1_000_000 && oldestNs <= afterNs - beforeNs + 1_000_000, "" + oldestNs);
    }
  }

  @Test
  void shouldNotWaitLongForAChannelThatIsBusy() throws Exception {
    try (SimulatedLine line = line()) {
      CountDownLatch locked = new CountDownLatch(1);
      CountDownLatch enough = new CountDownLatch(1);
      Thread busy =
          new Thread(
              () -> {
                line.out.core.lock.lock();
                try {
                  locked.countDown();
                  enough.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                } finally {
                  line.out.core.lock.unlock();
                }
              });
      busy.start();
      locked.await();
      assertEquals(-1, channels(line.from)[0].get("pendingRequests"));
      assertEquals("READY", channels(line.from)[0].get("state"));
      enough.countDown();
      busy.join();
    }
  }

  @Test
  void shouldShowNicsTrafficHandshakesAndMemory() throws Exception {
    try (SimulatedLine line = line()) {
      memory(line.from);
      ObjectName name = name(line.from);
      CompositeData nic = ((CompositeData[]) SERVER.getAttribute(name, "Nics"))[0];
      assertEquals(line.from.nics().get(0).name(), nic.get("name"));
      assertEquals(true, nic.get("carrier"));
      CompositeData traffic = ((CompositeData[]) SERVER.getAttribute(name, "TrafficByPeer"))[0];
      assertEquals(line.out.route().peer(), traffic.get("peer"));
      assertEquals(line.out.route().peerName(), traffic.get("peerName"));
      assertEquals(1, traffic.get("channels"));
      assertEquals(1, SERVER.getAttribute(name, "ChannelCount"));
      assertFalse(((TabularData) SERVER.getAttribute(name, "Handshakes")).isEmpty());
      MeshTransportMXBean proxy = JMX.newMXBeanProxy(SERVER, name, MeshTransportMXBean.class);
      assertEquals(
          line.from.memoryStatistics().bytes(), proxy.getMemory().get("bytes").longValue());
      assertEquals("READY", proxy.getChannels().get(0).state());
    }
  }

  @Test
  void shouldBeGoneOnceTheTransportIsClosed() throws Exception {
    SimulatedLine line = line();
    ObjectName name = name(line.from);
    line.close();
    assertThrows(InstanceNotFoundException.class, () -> SERVER.getAttribute(name, "Channels"));
    assertEquals(Set.of(), names(line.to.self().id()));
  }
}
