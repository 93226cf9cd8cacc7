// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.micrometer;

import io.meshtransport.spi.Transport;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/**
 * Series of one transport: what went to and from each peer over each NIC, handshakes, memory.
 *
 * <pre>{@code
 * MeshMetrics metrics = new MeshMetrics(transport);
 * metrics.bindTo(registry);
 * ...
 * metrics.close();
 * }</pre>
 *
 * <p>Series are told apart by names that stay the same when nodes restart: {@code node} is this
 * node's name, {@code peer} the peer's ({@code unnamed} if it has none), {@code nic} the local
 * device. Ids and ports, which change, are in no tag. So a peer that comes back continues its
 * series, and connections that come and go leave no meters behind: the number of meters is bounded
 * by the names of peers, at most 256 pairs of a NIC and a peer as {@link
 * io.meshtransport.spi.Statistics} has them. Counters never decrease while the transport is open.
 *
 * <p>A peer's meters appear when any meter is read for the first time after its first channel
 * opened, so in the publication after that; {@link #refresh} makes them at once. Reading costs the
 * data path nothing, and there is no thread: a transport is read when its meters are, at most twice
 * a second.
 *
 * <p>Any thread may call it. The registry keeps the meters, and with them the transport, until
 * {@link #close}. Two transports of one process that have one name need tags that tell them apart.
 */
public final class MeshMetrics implements MeterBinder, AutoCloseable {
  private final Tags tags;
  private final Readings readings;
  private final List<BoundRegistry> registries = new CopyOnWriteArrayList<>();

  /** What all registries have meters for. */
  private volatile Readout bound;

  /** Without further tags. */
  public MeshMetrics(Transport transport) {
    this(transport, List.of());
  }

  /**
   * @param transport stays the caller's to close, after this
   * @param tags of all meters, beside the name of the node
   */
  public MeshMetrics(Transport transport, Iterable<? extends Tag> tags) {
    this(transport, tags, System::nanoTime);
  }

  MeshMetrics(Transport transport, Iterable<? extends Tag> tags, LongSupplier clockNs) {
    Objects.requireNonNull(transport, "transport");
    this.tags = Tags.of("node", transport.self().name()).and(tags);
    this.readings = new Readings(() -> Readout.of(transport), clockNs);
  }

  /** Registers the meters of now, and those that come, with a registry; once for each registry. */
  @Override
  public void bindTo(MeterRegistry registry) {
    BoundRegistry added = new BoundRegistry(registry, tags, this::now);
    added.bindMemory();
    added.bindNew(readings.fresh());
    registries.add(added);
  }

  /** Reads the transport now, and registers the meters of peers that are new. */
  public void refresh() {
    bindNew(readings.fresh());
  }

  private Readout now() {
    Readout now = readings.now();
    bindNew(now);
    return now;
  }

  private void bindNew(Readout now) {
    if (bound != now) {
      // First: a registry may read a meter while it registers it.
      bound = now;
      registries.forEach(registry -> registry.bindNew(now));
    }
  }

  /**
   * Removes all meters from their registries. To be called before or after the transport is closed,
   * and before another one of the same name is bound.
   */
  @Override
  public void close() {
    registries.forEach(BoundRegistry::remove);
    registries.clear();
  }
}
