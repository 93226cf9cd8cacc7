// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One jar of the plugin runs on the first of each minor version of JGroups, and on the newest. */
@Timeout(120)
@Tag("slow")
class VersionsTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"5.2.0", "5.3.0", "5.4.0", "5.5.0", "5.5.7"})
  void shouldFormTalkAndPartOnEachVersion(String version) throws Exception {
    assertEquals(version, run("mesh.xml", version));
  }

  @ParameterizedTest
  @ValueSource(strings = {"5.4.0", "5.5.0", "5.5.7"})
  void shouldRunInfinispansStackFrom54On(String version) throws Exception {
    assertEquals(version, run("infinispan-mesh.xml", version));
  }

  @Test
  void shouldFindMembersByPingOnTheFirstVersion() throws Exception {
    try (InputStream file = VersionsTest.class.getResourceAsStream("/mesh.xml")) {
      String stack = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      String ping = stack.replace("<" + MESH_PING.class.getName() + "/>", "<PING/>");
      assertNotEquals(stack, ping);
      assertEquals(
          "5.2.0", run(Files.writeString(folder.resolve("ping.xml"), ping).toString(), "5.2.0"));
    }
  }

  /** By default it has another bundler, which is the next version's default. */
  @Test
  void shouldPutBundlesTogetherForEachDestinationOnTheFirstVersionThatMay() throws Exception {
    try (InputStream file = VersionsTest.class.getResourceAsStream("/mesh.xml")) {
      String stack = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      String mesh = "<" + MESH.class.getName() + "\n";
      String other = stack.replace(mesh, mesh + "bundler_type=\"per-destination\"\n");
      assertNotEquals(stack, other);
      assertEquals(
          "5.5.0", run(Files.writeString(folder.resolve("pd.xml"), other).toString(), "5.5.0"));
    }
  }

  private static String run(String stack, String version) throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (VersionLoader loader = VersionLoader.of(version)) {
      // JGroups finds the classes that a stack names through it.
      thread.setContextClassLoader(loader);
      Callable<?> scenario =
          (Callable<?>)
              loader
                  .loadClass(VersionScenario.class.getName())
                  .getConstructor(String.class, String.class)
                  .newInstance(stack, "127.77.52");
      return (String) scenario.call();
    } finally {
      thread.setContextClassLoader(before);
    }
  }
}
