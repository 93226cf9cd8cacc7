// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.infinispan.AdvancedCache;
import org.infinispan.Cache;
import org.infinispan.configuration.parsing.ConfigurationBuilderHolder;
import org.infinispan.configuration.parsing.ParserRegistry;
import org.infinispan.context.Flag;
import org.infinispan.distribution.DistributionManager;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.remoting.transport.jgroups.JGroupsTransport;
import org.infinispan.topology.CacheTopology;
import org.jgroups.JChannel;

/**
 * Infinispan in a member, configured as a user would: by an XML file that names a stack file. Its
 * caches are called {@link #REPLICATED} and {@link #DISTRIBUTED}. Confined to the member's worker
 * thread.
 */
final class MemberCaches implements AutoCloseable {
  /** Every member stores every entry. */
  static final String REPLICATED = "replicated";

  /** Two members store each entry. */
  static final String DISTRIBUTED = "distributed";

  /** All caches. */
  static final List<String> NAMES = List.of(REPLICATED, DISTRIBUTED);

  private static final String CONFIGURATION = "infinispan-demo.xml";

  /** Enough to keep links busy while answers are in flight. */
  private static final int OUTSTANDING = 32;

  /** Beyond what Infinispan itself waits for an answer: its word is better than ours. */
  private static final long OPERATION_LIMIT_S = 120;

  private final DefaultCacheManager manager;

  private MemberCaches(DefaultCacheManager manager) {
    this.manager = manager;
  }

  /** Returns when both caches have received their share of the entries of others. */
  static MemberCaches start(String node, MemberCommand.StartCaches command) {
    System.setProperty("demo.node", node);
    System.setProperty("demo.cluster", command.cluster());
    System.setProperty("demo.stack", command.stack());
    try {
      ConfigurationBuilderHolder configuration = new ParserRegistry().parseFile(CONFIGURATION);
      MemberCaches caches = new MemberCaches(new DefaultCacheManager(configuration, true));
      try {
        NAMES.forEach(caches.manager::getCache);
        return caches;
      } catch (RuntimeException e) {
        caches.close();
        throw e;
      }
    } catch (IOException e) {
      throw new IllegalStateException(CONFIGURATION + " cannot be read", e);
    }
  }

  private AdvancedCache<String, byte[]> cache(String name) {
    Cache<String, byte[]> cache = manager.getCache(name, false);
    if (cache == null) {
      throw new IllegalArgumentException("no cache " + name + " in " + manager.getCacheNames());
    }
    return cache.getAdvancedCache();
  }

  JChannel channel() {
    return ((JGroupsTransport) cache(REPLICATED).getRpcManager().getTransport()).getChannel();
  }

  List<String> members() {
    return manager.getMembers().stream().map(String::valueOf).toList();
  }

  MemberEvent put(MemberCommand.Put command) {
    AdvancedCache<String, byte[]> cache =
        cache(command.cache()).withFlags(Flag.IGNORE_RETURN_VALUES);
    Entries entries = command.entries();
    long begin = System.nanoTime();
    inTurn(
        entries.count(),
        number -> cache.putAsync(entries.key(number), entries.value(command.cache(), number)),
        (number, previous) -> {});
    return new MemberEvent.Stored(
        entries.count(), entries.bytes(), GroupChannel.millisSince(begin));
  }

  MemberEvent check(MemberCommand.Check command) {
    AdvancedCache<String, byte[]> all = cache(command.cache());
    AdvancedCache<String, byte[]> cache =
        command.localOnly() ? all.withFlags(Flag.CACHE_MODE_LOCAL) : all;
    EntryCheck check = new EntryCheck(command.cache(), command.entries());
    long begin = System.nanoTime();
    inTurn(
        command.entries().count(),
        number -> cache.getAsync(command.entries().key(number)),
        check::see);
    return check.result(GroupChannel.millisSince(begin));
  }

  private interface Sink {
    void accept(int number, byte[] value);
  }

  /** Begins operations 0, 1, 2 ... with so many in flight, and collects their results in order. */
  private static void inTurn(
      int count, IntFunction<CompletableFuture<byte[]>> operation, Sink sink) {
    Deque<CompletableFuture<byte[]>> underWay = new ArrayDeque<>();
    for (int number = 0; number < count + OUTSTANDING; number++) {
      if (number >= OUTSTANDING && number - OUTSTANDING < count) {
        CompletableFuture<byte[]> oldest = underWay.remove();
        sink.accept(
            number - OUTSTANDING, oldest.orTimeout(OPERATION_LIMIT_S, TimeUnit.SECONDS).join());
      }
      if (number < count) {
        underWay.add(operation.apply(number));
      }
    }
  }

  MemberEvent status(String cache) {
    DistributionManager distribution = cache(cache).getDistributionManager();
    CacheTopology topology = distribution.getCacheTopology();
    List<String> members = new ArrayList<>();
    topology.getMembers().forEach(member -> members.add(member.toString()));
    return new MemberEvent.CacheStatus(
        members, topology.getPhase() != CacheTopology.Phase.NO_REBALANCE);
  }

  @Override
  public void close() {
    manager.stop();
  }
}
