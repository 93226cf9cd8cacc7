// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.GroupSpec;
import io.meshtransport.collectives.Rendezvous;
import io.meshtransport.spi.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A group whose members are all in this process, each with a transport and a thread. */
final class LoopbackGroup implements AutoCloseable {
  static final Duration SOON = Duration.ofSeconds(20);

  private final ExecutorService threads = Executors.newCachedThreadPool();
  final List<Transport> transports = new ArrayList<>();
  final List<Group> groups = new ArrayList<>();

  /** What one member does. */
  interface Step<T> {
    T run(Group group) throws Exception;
  }

  /** Each member on all cables: a full mesh. */
  static LoopbackGroup mesh(int size) throws Exception {
    List<List<Integer>> cables = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      cables.add(List.of(1));
    }
    return new LoopbackGroup(cables);
  }

  /** Each member is on the cable with its number and on that with the next. */
  static LoopbackGroup line(int size) throws Exception {
    List<List<Integer>> cables = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      cables.add(i == 0 ? List.of(1) : i == size - 1 ? List.of(i) : List.of(i, i + 1));
    }
    return new LoopbackGroup(cables);
  }

  /** Each member on the cables with these numbers. */
  static LoopbackGroup on(List<List<Integer>> cables) throws Exception {
    return new LoopbackGroup(cables);
  }

  /** The same, with a file of a plan. */
  static LoopbackGroup planned(List<List<Integer>> cables, String plan) throws Exception {
    return new LoopbackGroup(cables, plan);
  }

  private LoopbackGroup(List<List<Integer>> cables) throws Exception {
    this(cables, "");
  }

  private LoopbackGroup(List<List<Integer>> cables, String plan) throws Exception {
    for (int i = 0; i < cables.size(); i++) {
      transports.add(transport(i, cables.get(i), plan));
    }
    Rendezvous rendezvous = Rendezvous.inProcess();
    int size = cables.size();
    groups.addAll(
        all(
            size,
            rank ->
                Group.join(
                    transports.get(rank), GroupSpec.named("test").size(size), rendezvous, SOON)));
  }

  static Transport transport(int index, List<Integer> cables) throws Exception {
    return transport(index, cables, "");
  }

  /** With a file of a plan. */
  static Transport transport(int index, List<Integer> cables, String plan) throws Exception {
    List<String> addresses =
        cables.stream().map(each -> "127.78." + each + "." + (index + 1) + "/24").toList();
    return Transport.open(
        Map.of(
            "MESH_LOOPBACK",
            String.join(",", addresses),
            "MESH_NODE",
            "node-" + (char) ('a' + index),
            "MESH_PROVIDER",
            "soft",
            "MESH_PLAN",
            plan));
  }

  /** What one of so many does. */
  interface Indexed<T> {
    T run(int index) throws Exception;
  }

  /** Does it for all at the same time, and waits for all; throws what the first threw. */
  <T> List<T> all(int count, Indexed<T> step) throws Exception {
    List<Future<T>> futures = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int index = i;
      futures.add(threads.submit((Callable<T>) () -> step.run(index)));
    }
    List<T> results = new ArrayList<>();
    for (Future<T> each : futures) {
      try {
        results.add(each.get(60, TimeUnit.SECONDS));
      } catch (ExecutionException e) {
        if (e.getCause() instanceof Exception known) {
          throw known;
        }
        throw new AssertionError(e.getCause());
      }
    }
    return results;
  }

  /** All members do the same at the same time. */
  <T> List<T> together(Step<T> step) throws Exception {
    return all(groups.size(), index -> step.run(groups.get(index)));
  }

  @Override
  public void close() {
    try {
      all(
          groups.size(),
          index -> {
            groups.get(index).close();
            return null;
          });
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    threads.shutdownNow();
    transports.forEach(Transport::close);
  }
}
