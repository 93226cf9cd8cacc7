// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.jmx;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Counter;
import io.meshtransport.spi.HandshakeCount;
import io.meshtransport.spi.MeshKnowledge;
import io.meshtransport.spi.NicDescription;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Traffic;
import io.meshtransport.spi.Transport;
import io.meshtransport.transport.channel.ChannelRegistry;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.channel.PendingRequests;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.transport.rail.Rail;
import io.meshtransport.transport.rail.RailSet;
import io.meshtransport.transport.rail.Rails;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The bean of one transport. Any thread may call it. After {@link #detach} it refers to nothing of
 * the transport and shows nothing.
 */
final class TransportBean implements MeshTransportMXBean {
  /** What it reads. */
  private record Source(
      Transport transport,
      ChannelRegistry channels,
      Supplier<MeshKnowledge> mesh,
      int handshakePort) {}

  private final Peer self;
  private volatile Source source;

  TransportBean(Transport transport, ChannelRegistry channels, Supplier<MeshKnowledge> mesh) {
    this.self = transport.self();
    this.source = new Source(transport, channels, mesh, transport.handshakePort());
  }

  /** The transport closes: a client that still has the bean must not keep it alive. */
  void detach() {
    source = null;
  }

  private <T> T read(Function<Source, T> what, T afterClose) {
    Source now = source;
    return now == null ? afterClose : what.apply(now);
  }

  @Override
  public String getNode() {
    return self.name();
  }

  @Override
  public String getId() {
    return self.id();
  }

  @Override
  public int getHandshakePort() {
    return read(Source::handshakePort, 0);
  }

  @Override
  public List<NicStatus> getNics() {
    return read(
        now -> now.transport().nics().stream().map(TransportBean::status).toList(), List.of());
  }

  private static NicStatus status(NicDescription nic) {
    return new NicStatus(
        nic.name(),
        nic.netdev(),
        nic.provider(),
        nic.addresses(),
        nic.speedMbps(),
        nic.hasCarrier());
  }

  @Override
  public int getChannelCount() {
    return read(now -> now.channels().size(), 0);
  }

  @Override
  public List<ChannelStatus> getChannels() {
    return read(now -> channels(now.channels()), List.of());
  }

  private static List<ChannelStatus> channels(ChannelRegistry registry) {
    List<ChannelStatus> all = new ArrayList<>();
    for (MeshChannel channel : registry.now()) {
      all.add(status(channel));
    }
    all.sort(Comparator.comparingLong(ChannelStatus::number));
    return all;
  }

  private static ChannelStatus status(MeshChannel channel) {
    Route route = channel.route();
    List<RailStatus> rails = new ArrayList<>();
    PendingRequests pending =
        channel.readPending(System.nanoTime(), () -> rails.addAll(rails(channel)));
    ChannelState state = channel.state();
    return new ChannelStatus(
        channel.number(),
        channel instanceof Connection connection ? connection.name() : "",
        direction(channel),
        state.name(),
        route.peer(),
        route.peerName(),
        route.toString(),
        route.localNic(),
        route.localAddress(),
        route.peerAddress(),
        route.subnet(),
        TimeUnit.NANOSECONDS.toMicros(route.handshakeNs()),
        rails,
        channel.maxRequests(),
        pending.pending(),
        pending.ended(),
        pending.oldestNs() < 0 ? -1 : TimeUnit.NANOSECONDS.toMillis(pending.oldestNs()),
        byName(channel.counts()),
        state == ChannelState.FAILED ? channel.failure().getMessage() : "");
  }

  private static String direction(Channel channel) {
    if (channel instanceof SendChannel) {
      return channel instanceof ReceiveChannel ? "both" : "send";
    }
    return "receive";
  }

  /** With the channel's lock held. */
  private static List<RailStatus> rails(MeshChannel channel) {
    if (channel.core.endpoints() instanceof RailSet set) {
      List<RailStatus> all = new ArrayList<>();
      Rails rails = set.rails();
      for (int i = 0; i < rails.size(); i++) {
        Rail rail = rails.get(i);
        all.add(
            new RailStatus(
                rail.number(),
                rail.endpoint().nic().nic().label(),
                rail.state().name(),
                rail == rails.primary()));
      }
      return all;
    }
    VerbsEndpoint only = channel.core.polling.primary();
    Rail.State state = channel.core.status.isLive() ? Rail.State.LIVE : Rail.State.GONE;
    return List.of(new RailStatus(0, only.nic().nic().label(), state.name(), true));
  }

  @Override
  public List<TrafficStatus> getTrafficByNic() {
    return read(now -> traffic(now.transport().statistics().nics()), List.of());
  }

  @Override
  public List<TrafficStatus> getTrafficByPeer() {
    return read(now -> traffic(now.transport().statistics().peers()), List.of());
  }

  private static List<TrafficStatus> traffic(List<Traffic> all) {
    return all.stream()
        .map(
            each ->
                new TrafficStatus(
                    each.nic(),
                    each.peer(),
                    each.peerName(),
                    each.channels(),
                    each.outstanding(),
                    byName(each.sent()),
                    byName(each.received()),
                    components(each.latencies())))
        .toList();
  }

  @Override
  public Map<String, Long> getHandshakes() {
    return read(
        now -> {
          Map<String, Long> counts = new LinkedHashMap<>();
          for (HandshakeCount each : now.transport().statistics().handshakes()) {
            counts.put(each.name(), each.count());
          }
          return counts;
        },
        Map.of());
  }

  @Override
  public Map<String, Long> getMemory() {
    return read(now -> components(now.transport().memoryStatistics()), Map.of());
  }

  @Override
  public String getMeshMap() {
    return read(now -> now.mesh().get().map(), "");
  }

  @Override
  public int getMeshPort() {
    return read(now -> now.mesh().get().port(), 0);
  }

  private static Map<String, Long> byName(Map<Counter, Long> counts) {
    Map<String, Long> named = new LinkedHashMap<>();
    counts.forEach((counter, value) -> named.put(counter.name(), value));
    return named;
  }

  /** The components of a record of numbers, by their names. */
  private static Map<String, Long> components(Record numbers) {
    Map<String, Long> named = new LinkedHashMap<>();
    for (RecordComponent each : numbers.getClass().getRecordComponents()) {
      try {
        named.put(each.getName(), ((Number) each.getAccessor().invoke(numbers)).longValue());
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
    return named;
  }
}
