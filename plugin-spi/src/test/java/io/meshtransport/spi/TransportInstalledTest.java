// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Beside the SPI itself there is no implementation here. */
class TransportInstalledTest {
  private final ClassLoader usual = Thread.currentThread().getContextClassLoader();

  @TempDir private Path application;

  @AfterEach
  void giveTheThreadBack() {
    Thread.currentThread().setContextClassLoader(usual);
  }

  @Test
  void shouldSayThatThereIsNone() {
    TransportException none = assertThrows(TransportException.class, Transport::open);

    assertEquals(TransportException.Reason.UNAVAILABLE, none.reason());
    assertTrue(none.getMessage().contains("io.meshtransport:mesh-transport"), none.getMessage());
  }

  @Test
  void shouldSayWhatToPassForNoSettings() {
    NullPointerException missing =
        assertThrows(NullPointerException.class, () -> Transport.open(null));

    assertTrue(missing.getMessage().contains("Map.of()"), missing.getMessage());
  }

  @Test
  void shouldUseTheApplicationsOneWhereTheSpiIsItsContainers() throws IOException {
    Path services = Files.createDirectories(application.resolve("META-INF/services"));
    Files.writeString(
        services.resolve(TransportProvider.class.getName()), OfTheApplication.class.getName());
    try (URLClassLoader loader = new URLClassLoader(new URL[] {application.toUri().toURL()})) {
      Thread.currentThread().setContextClassLoader(loader);

      TransportException its =
          assertThrows(TransportException.class, () -> Transport.open(Map.of("MESH_NODE", "a")));

      assertTrue(its.getMessage().contains("opened with {MESH_NODE=a}"), its.getMessage());
    }
  }

  /** Opens nothing, and says so. */
  public static final class OfTheApplication implements TransportProvider {
    @Override
    public String name() {
      return "application";
    }

    @Override
    public Transport open(Map<String, String> settings) throws TransportException {
      throw new TransportException(TransportException.Reason.NO_NIC, "opened with " + settings);
    }
  }
}
