// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.verbs.VerbsException;
import java.io.IOException;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;

/**
 * By which way the data path's calls leave Java. The build runs the tests of this module twice: on
 * its classes, and where there is a Java for it, on the packaged jar with its overlay.
 */
class InlineBindingTest {
  private static final boolean IS_OVERLAY_RUN = Boolean.getBoolean("mesh.test.overlay");
  private static final String FOREIGN = "java.lang.foreign";

  @Test
  void shouldCallThroughForeignFunctionsWhereTheJarHasThem() throws IOException {
    if (IS_OVERLAY_RUN) {
      assertTrue(manifest().getValue(Attributes.Name.MULTI_RELEASE).equals("true"));
    }
    assertEquals(IS_OVERLAY_RUN ? FOREIGN : "JNA", IbverbsProvider.callsThrough());
  }

  private static Attributes manifest() throws IOException {
    String file = InlineBinding.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    try (JarFile jar = new JarFile(file)) {
      return jar.getManifest().getMainAttributes();
    }
  }

  @Test
  void shouldBindDevicesInline() throws VerbsException {
    FakeLibrary fake = FakeLibrary.get();
    try (NativeDevice device = fake.open("fake0")) {
      boolean isForeign = device.inline().getClass().getName().contains("ForeignInlineVerbs");
      assertEquals(IS_OVERLAY_RUN, isForeign, device.inline().getClass()::getName);
    }
  }

  @Test
  void shouldBeTestedWithAndWithoutInlining() {
    assumeTrue(
        !Boolean.getBoolean("mesh.overlay.skip"),
        "no JDK 22 or newer was found to compile and test the calls through java.lang.foreign:"
            + " install one in /usr/lib/jvm, or run Maven with -Doverlay.jdk=FOLDER");
    assertTrue(Runtime.version().feature() >= (IS_OVERLAY_RUN ? 22 : 17));
  }
}
