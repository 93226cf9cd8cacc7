// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.jgroups.MESH;
import io.meshtransport.jgroups.demo.MemberCommand.Batch;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topologies;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A stack for TCP in which nothing is another but the transport's element, on a triangle of cables:
 * TCPPING still has one address of each node, and no node reaches them all.
 */
@Tag("slow")
class TcppingTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final NodeJvm JVM =
      RunningGroup.jvm(256, Map.of(), List.of("-XX:TieredStopAtLevel=1"), false);

  @TempDir private Path folder;

  private GroupStack meshInStockTcp(Fabric fabric) throws IOException {
    GroupStack stock = GroupStack.stockTcp(fabric.topology());
    try (InputStream file = TcppingTest.class.getResourceAsStream("/" + stock.file())) {
      String stack = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      // The host's name is enough where nodes are hosts; namespaces share one.
      String mesh = "<" + MESH.class.getName() + " node_name=\"${stock.node}\" ";
      String changed = stack.replace("<TCP ", mesh);
      assertNotEquals(stack, changed);
      Path written = Files.writeString(folder.resolve("stack.xml"), changed);
      return new GroupStack(
          written.toString(),
          node -> {
            Map<String, String> properties = new HashMap<>(stock.properties().apply(node));
            properties.put("stock.node", node);
            return properties;
          });
    }
  }

  @Test
  void shouldFindMembersByOneAddressOfEach() throws IOException {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle.orElse(""));
    try (Fabric fabric = Fabric.namespaces(Topologies.TRIANGLE);
        RunningGroup group = new RunningGroup(fabric, JVM, "test", meshInStockTcp(fabric), 7)) {
      group.startAll(LIMIT);
      List<String> all = fabric.topology().nodes();
      group.execute(
          all,
          node -> new MemberCommand.Send(List.of(Batch.toEveryone(20, 10_000)), 0),
          MemberEvent.Sent.class,
          LIMIT);
      group.awaitReceived(all, 20, 0, LIMIT);
      for (String node : all) {
        MemberEvent.Received received = group.member(node).received();
        assertEquals(all, received.senders().stream().map(MemberEvent.ReceivedFrom::name).toList());
        assertTrue(
            received.senders().stream().allMatch(MemberEvent.ReceivedFrom::hasNoFlaw),
            received.toString());
      }
    }
  }
}
