// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.jgroups.demo.MemberCommand.Batch;
import io.meshtransport.topology.RequiresNamespaces;
import io.meshtransport.topology.Topologies;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A member of three dies again and again, and each time comes back at once. */
@RequiresNamespaces
class MeshRestartTest {
  private static final int TIMES = Boolean.getBoolean("mesh.test.long") ? 20 : 4;

  /** What mesh.xml has would make many times take minutes, all of it waiting. */
  private static final Map<String, String> QUICK =
      Map.of(
          "jgroups.mesh.fd_timeout", "1500",
          "jgroups.mesh.fd_interval", "300",
          "jgroups.mesh.verify_timeout", "500");

  private static final List<Batch> SOME =
      List.of(Batch.toEveryone(10, 1_000), Batch.toEveryone(2, 100_000));

  @Test
  void shouldReadmitAMemberThatIsKilledManyTimes() {
    try (GroupScenario three =
        GroupScenario.on(Topologies.TRIANGLE, stack -> stack.with(node -> QUICK)).start()) {
      three.exchange(SOME);
      List<String> survivors = List.of("a", "b");
      Map<String, Resources> before = resources(three, survivors);

      for (int time = 1; time <= TIMES; time++) {
        three.group().kill("c");
        three.group().start(List.of("c"));
        three.group().join(List.of("c"), GroupScenario.STEP);
        three.group().awaitView(three.nodes(), GroupScenario.STEP);
        three.exchange(SOME);
      }

      // Links to the dead end on threads of their own.
      RunningGroup.await(
          GroupScenario.STEP,
          () -> {
            Map<String, Resources> now = resources(three, survivors);
            boolean isAsBefore =
                survivors.stream().allMatch(node -> now.get(node).isAs(before.get(node)));
            return isAsBefore ? "" : now + " instead of " + before;
          });
      assertTrue(before.values().stream().allMatch(held -> held.links().equals("2")));
    }
  }

  /** What a member keeps for its peers, as the member and its host report it. */
  private record Resources(String links, int freeBuffers, List<String> threads) {
    /** Buffers with heartbeats under way may be missing; one per restart may not. */
    boolean isAs(Resources before) {
      return links.equals(before.links)
          && threads.equals(before.threads)
          && freeBuffers > before.freeBuffers - TIMES / 2;
    }
  }

  private static Map<String, Resources> resources(GroupScenario three, List<String> nodes) {
    Map<String, Resources> held = new TreeMap<>();
    for (String node : nodes) {
      Map<String, String> mesh = three.attributes(node, "MESH");
      held.put(
          node,
          new Resources(
              mesh.get("open_links"),
              Integer.parseInt(mesh.get("free_send_buffers")),
              threads(three.member(node).pid())));
    }
    return held;
  }

  /**
   * The mesh's threads in a process, by name; of those for handshakes some come and go, and the one
   * for what no program polls begins when there is such a thing.
   */
  private static List<String> threads(long pid) {
    try (Stream<Path> tasks = Files.list(Path.of("/proc", String.valueOf(pid), "task"))) {
      return tasks
          .map(MeshRestartTest::threadName)
          .filter(name -> name.startsWith("mesh-"))
          .filter(name -> !name.startsWith("mesh-handshake") && !name.equals("mesh-progress"))
          // They end a second after they closed a connection.
          .filter(name -> !"mesh-session-close".startsWith(name))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String threadName(Path task) {
    try {
      return Files.readString(task.resolve("comm")).strip();
    } catch (NoSuchFileException e) {
      return "ended";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
