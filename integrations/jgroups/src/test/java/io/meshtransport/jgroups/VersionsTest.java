package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.Callable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One jar of the plugin runs on the first of each minor version of JGroups, and on the newest. */
@Timeout(120)
class VersionsTest {
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
