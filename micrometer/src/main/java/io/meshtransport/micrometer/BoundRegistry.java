// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.micrometer;

import io.meshtransport.spi.Counter;
import io.meshtransport.spi.HandshakeCount;
import io.meshtransport.spi.Latencies;
import io.meshtransport.spi.MemoryStatistics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * The meters of one transport in one registry. Meters refer to the readings strongly, so that they
 * live as long as the registry has them. Any thread.
 */
final class BoundRegistry {
  /** Counters that make no difference between sending and receiving. */
  private static final Map<Counter, String> UNDIRECTED =
      Map.of(
          Counter.FAILED_REQUESTS, "mesh.requests.failed",
          Counter.LATE_RECEIVES, "mesh.receives.late",
          Counter.POLLS, "mesh.polls",
          Counter.EMPTY_POLLS, "mesh.polls.empty",
          Counter.PARKED_WAITS, "mesh.waits.parked",
          Counter.KEEPALIVES_SENT, "mesh.keepalives");

  private static final Map<String, ToLongFunction<Latencies>> QUANTILES =
      Map.of(
          "0.5", Latencies::p50Ns,
          "0.9", Latencies::p90Ns,
          "0.99", Latencies::p99Ns,
          "0.999", Latencies::p999Ns,
          "1", Latencies::maxNs);

  private final MeterRegistry registry;
  private final Tags tags;
  private final Supplier<Readout> readings;

  /** Peers and counters of handshakes that have meters. */
  private final Set<Object> known = ConcurrentHashMap.newKeySet();

  private final Queue<Meter> meters = new ConcurrentLinkedQueue<>();
  private volatile boolean isRemoved;

  /**
   * @param tags of all meters
   * @param readings what the meters show
   */
  BoundRegistry(MeterRegistry registry, Tags tags, Supplier<Readout> readings) {
    this.registry = registry;
    this.tags = tags;
    this.readings = readings;
  }

  /** Registers what there always is. */
  void bindMemory() {
    memoryGauge("mesh.memory.registrations", null, "registrations", MemoryStatistics::memories);
    memoryGauge("mesh.memory.registered", "bytes", "registered memory", MemoryStatistics::bytes);
    memoryGauge(
        "mesh.memory.pool.idle",
        "bytes",
        "memory of the pool that is not in use",
        MemoryStatistics::idlePoolBytes);
    memoryGauge(
        "mesh.memory.cached",
        "bytes",
        "buffers whose registrations are cached",
        MemoryStatistics::cachedBytes);
    memoryGauge(
        "mesh.memory.bounce.used",
        null,
        "bounce buffers in use",
        MemoryStatistics::bounceBuffersInUse);
    cacheCounter("hit", "requests whose buffer's registration was cached", true);
    cacheCounter("miss", "requests whose buffer had to be registered", false);
    count(
        "mesh.memory.cache.evictions",
        null,
        "cached registrations removed to make others",
        tags,
        now -> now.memory().cacheEvictions());
  }

  private void memoryGauge(
      String name, String unit, String description, ToLongFunction<MemoryStatistics> value) {
    gauge(name, unit, description, tags, now -> value.applyAsLong(now.memory()));
  }

  private void cacheCounter(String result, String description, boolean isHit) {
    count(
        "mesh.memory.cache.requests",
        null,
        description,
        tags.and("result", result),
        now -> isHit ? now.memory().cacheHits() : now.memory().cacheMisses());
  }

  /** Registers what has come since. */
  void bindNew(Readout now) {
    now.peers().keySet().stream().filter(known::add).forEach(this::bindPeer);
    now.handshakes().values().stream()
        .filter(count -> known.add(count.name()))
        .forEach(this::bindHandshakes);
  }

  private void bindPeer(PeerKey key) {
    Tags its = tags.and("nic", key.nic(), "peer", key.peer());
    gauge(
        "mesh.channels",
        null,
        "channels open now; a connection is two",
        its,
        now -> now.peer(key).channels());
    gauge(
        "mesh.requests.outstanding",
        null,
        "requests whose ends the program has not read, posted receives among them",
        its,
        now -> now.peer(key).outstanding());
    directed("mesh.messages", null, Counter.MESSAGES, key, its);
    directed("mesh.traffic", "bytes", Counter.BYTES, key, its);
    UNDIRECTED.forEach(
        (counter, name) ->
            count(
                name,
                null,
                counter.description(),
                its,
                now -> now.peer(key).sent(counter) + now.peer(key).received(counter)));
    QUANTILES.forEach((quantile, value) -> latency(quantile, value, key, its));
  }

  private void directed(String name, String unit, Counter counter, PeerKey key, Tags its) {
    count(
        name,
        unit,
        counter.description(),
        its.and("direction", "sent"),
        now -> now.peer(key).sent(counter));
    count(
        name,
        unit,
        counter.description(),
        its.and("direction", "received"),
        now -> now.peer(key).received(counter));
  }

  private void latency(String quantile, ToLongFunction<Latencies> value, PeerKey key, Tags its) {
    keep(
        TimeGauge.builder(
                "mesh.send.latency",
                () -> readings.get().peer(key).latencyNs(value),
                TimeUnit.NANOSECONDS)
            .description("how long sends, puts and gets took since the transport opened; a sample")
            .tags(its.and("quantile", quantile))
            .strongReference(true)
            .register(registry));
  }

  private void bindHandshakes(HandshakeCount count) {
    String event = count.name().toLowerCase(Locale.ROOT);
    if (count.isCurrent()) {
      gauge(
          "mesh.handshakes.current",
          null,
          "connections and handshakes there are now, by state",
          tags.and("state", event),
          now -> now.handshakes(count.name()));
    } else {
      count(
          "mesh.handshakes",
          null,
          "what happened to handshakes, by event",
          tags.and("event", event),
          now -> now.handshakes(count.name()));
    }
  }

  private void gauge(
      String name, String unit, String description, Tags its, ToLongFunction<Readout> value) {
    keep(
        Gauge.builder(name, () -> value.applyAsLong(readings.get()))
            .baseUnit(unit)
            .description(description)
            .tags(its)
            .strongReference(true)
            .register(registry));
  }

  /** The registry refers to the readings weakly, but to the function that reads them strongly. */
  private void count(
      String name, String unit, String description, Tags its, ToLongFunction<Readout> value) {
    keep(
        FunctionCounter.builder(name, readings, any -> value.applyAsLong(readings.get()))
            .baseUnit(unit)
            .description(description)
            .tags(its)
            .register(registry));
  }

  private void keep(Meter meter) {
    meters.add(meter);
    if (isRemoved) {
      remove();
    }
  }

  /** Removes all meters. */
  void remove() {
    isRemoved = true;
    for (Meter meter = meters.poll(); meter != null; meter = meters.poll()) {
      registry.remove(meter);
    }
  }
}
