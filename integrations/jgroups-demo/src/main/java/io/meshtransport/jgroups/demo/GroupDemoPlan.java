// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import io.meshtransport.jgroups.demo.MemberCommand.Batch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How much a demo of JGroups moves, and how long it waits.
 *
 * @param sizes how much that is beside all of it, in a sentence
 * @param multicasts that each member sends to all
 * @param unicasts that the two ends of each pair say to each other, while the others are silent
 * @param stateBytes of the state that one member fetches from another
 * @param entries of each cache; none for a demo without Infinispan
 * @param control how long stock TCP, which is shown first, may take to form a view of all; empty if
 *     it is not shown
 * @param cutsCable whether a cable is pulled while all send: a group of its own does that
 * @param heapMiB of each member, beside as much direct memory
 * @param stackProperties of mesh.xml, for all members
 * @param stepLimit how long any one step may take on a host of ordinary speed
 */
public record GroupDemoPlan(
    String sizes,
    List<Batch> multicasts,
    List<Batch> unicasts,
    long stateBytes,
    List<Entries> entries,
    Optional<Duration> control,
    boolean cutsCable,
    int heapMiB,
    Map<String, String> stackProperties,
    Duration stepLimit) {
  private static final int KIB = 1 << 10;
  private static final int MB = 1_000_000;
  private static final long SEED = 20_261_121;
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** On this host: 333 MB of entries in each cache, a state of 100 MB. */
  public static final GroupDemoPlan HOST =
      new GroupDemoPlan(
          "all of it",
          messages(Batch.EVERYONE, 500, 5 * MB, 4),
          messages("peer", 500, 5 * MB, 4),
          100L * MB,
          List.of(new Entries(SEED, 10_000, KIB, 64 * KIB)),
          Optional.of(Duration.ofSeconds(30)),
          true,
          1536,
          Map.of(),
          MINUTE.multipliedBy(3));

  /** The same with little traffic: for a first trial, and for tests. */
  public static final GroupDemoPlan QUICK =
      new GroupDemoPlan(
          "quick: 300 entries instead of 10,000, a state of 5 MB instead of 100, a tenth of the messages",
          messages(Batch.EVERYONE, 50, 2 * MB, 1),
          messages("peer", 50, 2 * MB, 1),
          5L * MB,
          List.of(new Entries(SEED, 300, KIB, 64 * KIB)),
          Optional.of(Duration.ofSeconds(2)),
          true,
          512,
          Map.of("jgroups.mesh.fd_timeout", "5000"),
          MINUTE.multipliedBy(3));

  /**
   * In emulated guests, whose cables carry some 20 MB/s in all and whose programs may pause for
   * seconds: less to move, and more patience before a member is suspected.
   */
  public static final GroupDemoPlan LAB =
      new GroupDemoPlan(
          "emulated cables: no stock TCP, no caches, no cable pulled, a tenth of the messages, up to 2 MB instead of 5;"
              + " suspected after 60 s instead of 7; all of the state",
          messages(Batch.EVERYONE, 50, 2 * MB, 1),
          messages("peer", 50, 2 * MB, 1),
          100L * MB,
          List.of(),
          Optional.empty(),
          false,
          900,
          Map.of("jgroups.mesh.fd_timeout", "60000", "jgroups.mesh.fd_interval", "5000"),
          MINUTE);

  public GroupDemoPlan {
    multicasts = List.copyOf(multicasts);
    unicasts = List.copyOf(unicasts);
    entries = List.copyOf(entries);
    stackProperties = Map.copyOf(stackProperties);
    if (entries.size() > 1) {
      throw new IllegalArgumentException("each cache has the same entries, not " + entries);
    }
  }

  /**
   * Messages from none to the longest: shorter and longer than one fragment, and than one
   * advertised receive.
   */
  private static List<Batch> messages(String to, int count, int longestBytes, int longestCount) {
    return List.of(
        new Batch(to, 20, 0),
        new Batch(to, 20, 1),
        new Batch(to, count, 1000),
        new Batch(to, count / 5, 100_000),
        new Batch(to, longestCount, longestBytes));
  }

  /** The unicasts, to this peer. */
  List<Batch> unicastsTo(String peer) {
    return unicasts.stream()
        .map(batch -> new Batch(peer, batch.count(), batch.lengthBytes()))
        .toList();
  }

  /** How many messages these are. */
  static long count(List<Batch> batches) {
    return batches.stream().mapToLong(Batch::count).sum();
  }

  /** How many bytes they hold. */
  static long bytes(List<Batch> batches) {
    return batches.stream().mapToLong(batch -> (long) batch.count() * batch.lengthBytes()).sum();
  }
}
