// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VerbsProvidersTest {
  private record Fake(String name, int rank, Availability availability) implements VerbsProvider {
    @Override
    public List<String> deviceNames() {
      return List.of();
    }

    @Override
    public VerbsDevice open(String deviceName) throws VerbsException {
      throw new VerbsException(Errno.ENODEV, deviceName);
    }
  }

  private final VerbsProvider hardware = new Fake("ibverbs", 100, Availability.yes("mlx5_0"));
  private final VerbsProvider broken = new Fake("ibverbs", 100, Availability.no("no such library"));
  private final VerbsProvider soft = new Fake("soft", 0, Availability.yes("always"));

  @Test
  void shouldPreferTheHighestRankThatIsAvailable() throws VerbsException {
    assertSame(hardware, VerbsProviders.choose("auto", List.of(soft, hardware)));
    assertSame(soft, VerbsProviders.choose("auto", List.of(broken, soft)));
  }

  @Test
  void shouldChooseTheNamedProvider() throws VerbsException {
    assertSame(soft, VerbsProviders.choose("soft", List.of(hardware, soft)));
  }

  @Test
  void shouldListEveryReasonWhenItRefuses() {
    VerbsException refusal =
        assertThrows(
            VerbsException.class, () -> VerbsProviders.choose("ibverbs", List.of(broken, soft)));
    assertEquals(Errno.ENODEV, refusal.errno());
    assertTrue(refusal.getMessage().contains("ibverbs: not available: no such library"));
    assertTrue(refusal.getMessage().contains("soft: available: always"));
  }

  @Test
  void shouldRefuseAnUnknownNameEvenWhereOthersWork() {
    assertThrows(VerbsException.class, () -> VerbsProviders.choose("roce", List.of(soft)));
  }

  @Test
  void shouldNameTheProviderOfThisModuleAmongThoseOnTheClassPath() {
    VerbsException refusal =
        assertThrows(VerbsException.class, () -> VerbsProviders.choose("nothing"));
    assertTrue(refusal.getMessage().contains("ibverbs: "), refusal.getMessage());
  }

  @Test
  void shouldAlsoFindAProviderThatOnlyTheApplicationHas(@TempDir Path application)
      throws Exception {
    Path services = Files.createDirectories(application.resolve("META-INF/services"));
    Files.writeString(
        services.resolve(VerbsProvider.class.getName()), OfTheApplication.class.getName());
    ClassLoader usual = Thread.currentThread().getContextClassLoader();
    URL[] classPath = {application.toUri().toURL()};
    try (URLClassLoader its = new URLClassLoader(classPath, getClass().getClassLoader())) {
      Thread.currentThread().setContextClassLoader(its);

      assertEquals("application", VerbsProviders.choose("application").name());
      VerbsException refusal =
          assertThrows(VerbsException.class, () -> VerbsProviders.choose("nothing"));
      assertEquals(1, refusal.getMessage().split("ibverbs: ", -1).length - 1, "listed once");
    } finally {
      Thread.currentThread().setContextClassLoader(usual);
    }
  }

  /** Made by the service loader. */
  public static final class OfTheApplication implements VerbsProvider {
    @Override
    public String name() {
      return "application";
    }

    @Override
    public int rank() {
      return 0;
    }

    @Override
    public Availability availability() {
      return Availability.yes("always");
    }

    @Override
    public List<String> deviceNames() {
      return List.of();
    }

    @Override
    public VerbsDevice open(String deviceName) throws VerbsException {
      throw new VerbsException(Errno.ENODEV, deviceName);
    }
  }
}
