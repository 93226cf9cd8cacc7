// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Counter;
import io.meshtransport.spi.InMemoryTransport;
import io.meshtransport.spi.Latencies;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Traffic;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a registry has of transports, in memory and in software.
 *
 * <p>Also tests {@link io.meshtransport.micrometer.BoundRegistry}, {@link
 * io.meshtransport.micrometer.Readings}, {@link io.meshtransport.micrometer.Readout}, {@link
 * io.meshtransport.micrometer.PeerKey} and {@link io.meshtransport.micrometer.PeerTotals}.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MeshMetricsTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int MESSAGE_BYTES = 40;

  private final MeterRegistry registry = new SimpleMeterRegistry();

  private static Transport open(String name, int host) throws TransportException {
    return Transport.open(
        Map.of(
            "MESH_PROVIDER",
            "soft",
            "MESH_LOOPBACK",
            "127.45.1." + host + "/24",
            "MESH_NODE",
            name));
  }

  /** One message from a to b, over a connection of its own. */
  private static void send(Transport a, Transport b) throws TransportException {
    try (Listener listener = b.listen(ConnectOptions.DEFAULT);
        Connection ofA = a.connect(listener.handle(), ConnectOptions.DEFAULT, SOON);
        Connection ofB = listener.acceptConnection(SOON)) {
      long received = ofB.irecv(ByteBuffer.allocateDirect(MESSAGE_BYTES), 1);
      long sent = ofA.isend(ByteBuffer.allocateDirect(MESSAGE_BYTES), 1);
      assertEquals(MESSAGE_BYTES, ofA.await(sent, SOON));
      assertEquals(MESSAGE_BYTES, ofB.await(received, SOON));
    }
  }

  private double count(String name, String... tags) {
    return registry.get(name).tags(tags).functionCounters().stream()
        .mapToDouble(FunctionCounter::count)
        .sum();
  }

  private double gauge(String name, String... tags) {
    return registry.get(name).tags(tags).gauges().stream().mapToDouble(Gauge::value).sum();
  }

  private Set<Meter.Id> ids() {
    return registry.getMeters().stream().map(Meter::getId).collect(Collectors.toSet());
  }

  @Test
  void shouldCountOnThoughConnectionsAndPeersComeAndGo() throws Exception {
    try (Transport a = open("a", 1);
        MeshMetrics metrics = new MeshMetrics(a)) {
      metrics.bindTo(registry);
      Set<Meter.Id> before = null;
      for (int life = 1; life <= 3; life++) {
        // A new id each time, and the same name.
        try (Transport b = open("b", 2)) {
          send(a, b);
          send(a, b);
        }
        metrics.refresh();
        double expected = 2.0 * life;
        assertEquals(expected, count("mesh.messages", "peer", "b", "direction", "sent"));
        assertEquals(
            MESSAGE_BYTES * expected, count("mesh.traffic", "peer", "b", "direction", "sent"));
        assertEquals(0, count("mesh.messages", "peer", "b", "direction", "received"));
        assertEquals(expected, count("mesh.handshakes", "event", "established_outbound"));
        assertEquals(0, gauge("mesh.channels", "peer", "b"));
        assertTrue(count("mesh.polls", "peer", "b") > 0);
        if (before != null) {
          assertEquals(before, ids());
        }
        before = ids();
      }
    }
    assertEquals(List.of(), registry.getMeters());
  }

  @Test
  void shouldTellSeriesApartByNamesOnly() throws Exception {
    try (Transport a = open("a", 3);
        Transport b = open("b", 4);
        MeshMetrics metrics = new MeshMetrics(a, Tags.of("rack", "7"))) {
      send(a, b);
      metrics.bindTo(registry);
      Set<Tag> tags =
          registry.getMeters().stream()
              .flatMap(meter -> meter.getId().getTags().stream())
              .collect(Collectors.toSet());
      assertTrue(
          tags.containsAll(Set.of(Tag.of("node", "a"), Tag.of("peer", "b"), Tag.of("rack", "7"))));
      assertTrue(tags.contains(Tag.of("nic", a.nics().get(0).name())), tags::toString);
      for (Tag tag : tags) {
        assertFalse(tag.getValue().contains(a.self().shortId()), tag::toString);
        assertFalse(tag.getValue().contains(b.self().shortId()), tag::toString);
        assertFalse(tag.getValue().equals("" + a.handshakePort()), tag::toString);
      }
      assertTrue(
          registry.get("mesh.send.latency").tags("quantile", "0.99").timeGauge().value() > 0);
    }
  }

  @Test
  void shouldShowOpenChannelsAndHandshakesOfNow() throws Exception {
    try (Transport a = open("a", 5);
        Transport b = open("b", 6);
        Listener listener = b.listen(ConnectOptions.DEFAULT);
        MeshMetrics metrics = new MeshMetrics(b)) {
      metrics.bindTo(registry);
      Connection ofA = a.connect(listener.handle(), ConnectOptions.DEFAULT, SOON);
      Connection ofB = listener.acceptConnection(SOON);
      metrics.refresh();
      assertEquals(2, gauge("mesh.channels", "peer", "a"));
      assertTrue(gauge("mesh.handshakes.current", "state", "open_connections") >= 1);
      ofB.irecv(ByteBuffer.allocateDirect(8), 1);
      ofB.irecv(ByteBuffer.allocateDirect(8), 2);
      metrics.refresh();
      assertEquals(2, gauge("mesh.requests.outstanding", "peer", "a"));
      ofA.close();
      ofB.close();
      metrics.refresh();
      assertEquals(0, gauge("mesh.requests.outstanding", "peer", "a"));
      assertEquals(0, gauge("mesh.channels", "peer", "a"));
    }
  }

  @Test
  void shouldMakeTheMetersOfANewPeerWhenAnyIsRead() throws Exception {
    try (Transport a = open("a", 7);
        Transport b = open("b", 8);
        MeshMetrics metrics = new MeshMetrics(a)) {
      metrics.bindTo(registry);
      send(a, b);
      Awaitility.await()
          .atMost(30, TimeUnit.SECONDS)
          .until(
              () -> {
                registry.get("mesh.memory.registered").gauge().value();
                return registry.find("mesh.messages").functionCounters().size() == 2;
              });
    }
  }

  @Test
  void shouldShowMemoryOfATransportWithoutStatistics() throws Exception {
    Transport transport = new InMemoryTransport("c");
    try (MeshMetrics metrics = new MeshMetrics(transport)) {
      metrics.bindTo(registry);
      transport.register(ByteBuffer.allocateDirect(100));
      metrics.refresh();
      assertEquals(
          transport.memoryStatistics().bytes(), gauge("mesh.memory.registered", "node", "c"));
      assertEquals(0, count("mesh.memory.cache.requests", "result", "hit"));
      assertTrue(registry.find("mesh.messages").functionCounters().isEmpty());
    } finally {
      transport.close();
    }
  }

  /** Registries refer to what they measure weakly, unless they are asked not to. */
  @Test
  void shouldLiveAsLongAsTheRegistry() throws Exception {
    try (Transport transport = new InMemoryTransport("d")) {
      transport.register(ByteBuffer.allocateDirect(100));
      new MeshMetrics(transport).bindTo(registry);
      System.gc();
      assertEquals(transport.memoryStatistics().bytes(), gauge("mesh.memory.registered"));
      assertEquals(0, count("mesh.memory.cache.evictions"));
    }
  }

  @Test
  void shouldReadTheTransportOnceForAllMetersOfAMoment() {
    AtomicLong clockNs = new AtomicLong();
    AtomicInteger reads = new AtomicInteger();
    Readings readings =
        new Readings(
            () -> {
              reads.incrementAndGet();
              return new Readout(Map.of(), Map.of(), null);
            },
            clockNs::get);
    Readout first = readings.now();
    clockNs.set(Readings.MAX_AGE_NS);
    assertEquals(first, readings.now());
    assertEquals(1, reads.get());
    clockNs.incrementAndGet();
    readings.now();
    assertEquals(2, reads.get());
    readings.fresh();
    assertEquals(3, reads.get());
  }

  private static Traffic life(String id, int channels, long messages, long p99Ns) {
    return new Traffic(
        "nic",
        id,
        "",
        channels,
        0,
        Map.of(Counter.MESSAGES, messages),
        Map.of(),
        new Latencies(1, 1, 1, 1, 1, p99Ns, 1, 1));
  }

  @Test
  void shouldAddTheLivesOfAPeerAndShowTheLatencyOfThoseThatAreThere() {
    PeerTotals over = new PeerTotals(List.of(life("1", 0, 5, 900), life("2", 0, 7, 20)));
    assertEquals(12, over.sent(Counter.MESSAGES));
    assertEquals(0, over.received(Counter.MESSAGES));
    assertEquals(20, over.latencyNs(Latencies::p99Ns));
    PeerTotals two =
        new PeerTotals(List.of(life("1", 0, 5, 900), life("2", 1, 7, 20), life("3", 2, 1, 30)));
    assertEquals(3, two.channels());
    assertEquals(30, two.latencyNs(Latencies::p99Ns));
    assertEquals(0, PeerTotals.NONE.latencyNs(Latencies::p99Ns));
    assertEquals(new PeerKey("nic", "unnamed"), PeerKey.of(life("1", 0, 0, 0)));
  }
}
