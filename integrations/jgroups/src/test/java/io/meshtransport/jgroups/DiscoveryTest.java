package io.meshtransport.jgroups;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** JGroups' own discovery protocols over MESH, in the place of MESH_PING. */
@Timeout(120)
class DiscoveryTest {
  private static final String SUBNET = "127.77.55.";
  private static final int[] SIZES = {1, 100_000};

  @TempDir private Path folder;

  private String stack(String discovery) throws Exception {
    try (InputStream file = DiscoveryTest.class.getResourceAsStream("/mesh.xml")) {
      String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      String changed = text.replace("<io.meshtransport.jgroups.MESH_PING/>", discovery);
      if (changed.equals(text)) {
        throw new IllegalStateException("mesh.xml has another discovery than expected");
      }
      return Files.writeString(folder.resolve("stack.xml"), changed).toString();
    }
  }

  private static LoopbackMember join(String stack, String name, int host, String seeds)
      throws Exception {
    return LoopbackMember.join(stack, name, SUBNET + host, seeds);
  }

  private static void talk(List<LoopbackMember> all) throws Exception {
    for (LoopbackMember from : all) {
      from.say(SIZES);
    }
    for (LoopbackMember to : all) {
      for (LoopbackMember from : all) {
        to.awaitHeard(from, SIZES);
      }
    }
  }

  @Test
  void shouldFindMembersByPing() throws Exception {
    String stack = stack("<PING/>");
    try (LoopbackMember a = join(stack, "a", 1, "");
        LoopbackMember b = join(stack, "b", 2, a.seed(SUBNET + 1));
        LoopbackMember c = join(stack, "c", 3, b.seed(SUBNET + 2))) {
      List<LoopbackMember> all = List.of(a, b, c);
      all.forEach(member -> member.awaitView("a", "b", "c"));
      talk(all);
    }
  }
}
