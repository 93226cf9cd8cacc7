// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * JGroups' own discovery protocols over MESH, in the place of MESH_PING.
 *
 * <p>Also tests {@link InitialDiscovery}.
 */
@Timeout(120)
class DiscoveryTest {
  private static final String SUBNET = "127.77.55.";
  private static final int[] SIZES = {1, 100_000};

  @TempDir private Path folder;

  private String stack(String discovery) throws Exception {
    String stack = resource("mesh.xml");
    return write(stack.replace(element(stack, "<[a-z.]*MESH_PING/>"), discovery));
  }

  private static String resource(String name) throws IOException {
    try (InputStream file = DiscoveryTest.class.getResourceAsStream("/" + name)) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private String write(String stack) throws IOException {
    return Files.writeString(folder.resolve("stack.xml"), stack).toString();
  }

  private static LoopbackMember join(String stack, String name, int host, String seeds)
      throws Exception {
    return LoopbackMember.join(stack, name, SUBNET + host, seeds);
  }

  private static void exchange(List<LoopbackMember> all) throws Exception {
    for (LoopbackMember from : all) {
      from.multicast(SIZES);
    }
    for (LoopbackMember to : all) {
      for (LoopbackMember from : all) {
        to.awaitMulticasts(from, SIZES);
      }
    }
  }

  @Test
  @Tag("slow")
  void shouldFindMembersByPing() throws Exception {
    String stack = stack("<PING/>");
    try (LoopbackMember a = join(stack, "a", 1, "");
        LoopbackMember b = join(stack, "b", 2, a.seed(SUBNET + 1));
        LoopbackMember c = join(stack, "c", 3, b.seed(SUBNET + 2))) {
      List<LoopbackMember> all = List.of(a, b, c);
      all.forEach(member -> member.awaitView("a", "b", "c"));
      exchange(all);
    }
  }

  /** The stack that JGroups ships for TCP, but for the transport's name and FD_SOCK2. */
  private String stockTcp(boolean withSockets) throws Exception {
    String transport = element(resource("tcp-default.xml"), "<TCP\\s[^>]*/>");
    String mesh =
        transport.replace(
            "<TCP", "<" + MESH.class.getName() + " settings=\"${jgroups.mesh.settings}\"");
    String stack = resource("tcp.xml");
    stack = stack.replace(element(stack, "<include[^>]*/>"), mesh);
    return write(withSockets ? stack : stack.replace("<FD_SOCK2/>", ""));
  }

  private static String element(String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertTrue(matcher.find(), () -> pattern + " in " + text);
    return matcher.group();
  }

  @Test
  @Tag("slow")
  void shouldReplaceTcpInJGroupsOwnStack() throws Exception {
    String stack = stockTcp(false);
    try (LoopbackMember a = join(stack, "a", 1, "")) {
      String port = a.seed("").substring(1);
      System.setProperty("jgroups.tcpping.initial_hosts", SUBNET + "1[" + port + "]");
      try (LoopbackMember b = join(stack, "b", 2, "TCPPING has them");
          LoopbackMember c = join(stack, "c", 3, "TCPPING has them")) {
        List<LoopbackMember> all = List.of(a, b, c);
        all.forEach(member -> member.awaitView("a", "b", "c"));
        exchange(all);
      } finally {
        System.clearProperty("jgroups.tcpping.initial_hosts");
      }
    }
  }

  @Test
  void shouldRefuseDetectionThatDialsMembersPastTheTransport() throws Exception {
    String stack = stockTcp(true);
    Exception refusal = assertThrows(Exception.class, () -> join(stack, "a", 1, ""));
    String text = refusal.getMessage();
    assertTrue(text.contains("Take FD_SOCK2 out of the stack"), text);
  }

  @Test
  void shouldRefuseADiscoveryThatReachesOneCableOnly() throws Exception {
    String stack = resource("mesh.xml").replaceAll("<[\\w.]*MESH_PING/>", "<MPING/>");
    assertTrue(stack.contains("<MPING/>"), stack);
    String file = write(stack);
    Exception refusal = assertThrows(Exception.class, () -> join(file, "a", 1, ""));
    assertTrue(refusal.getMessage().contains("MESH_PING"), refusal.getMessage());
  }

  @Test
  void shouldRefuseATransferOverASocketOfItsOwn() throws Exception {
    String stack = resource("mesh.xml").replace("<pbcast.STATE_TRANSFER/>", "<pbcast.STATE_SOCK/>");
    assertTrue(stack.contains("<pbcast.STATE_SOCK/>"), stack);
    String file = write(stack);
    Exception refusal = assertThrows(Exception.class, () -> join(file, "a", 1, ""));
    assertTrue(refusal.getMessage().contains("Take pbcast.STATE_TRANSFER"), refusal.getMessage());
  }
}
