// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jgroups.protocols.TP;

/**
 * The plugin as it is compiled, the tests and one JGroups by themselves; everything else, the mesh
 * included, is the class path's.
 */
final class VersionLoader extends URLClassLoader {
  private static final String COMPILED_AGAINST = "5.5.7";

  private VersionLoader(URL... classes) {
    super(classes, VersionLoader.class.getClassLoader());
  }

  /** With the JGroups of a version, as in {@code 5.2.0}. */
  static VersionLoader of(String version) throws IOException {
    return new VersionLoader(jar(version), place(MESH.class), place(VersionLoader.class));
  }

  private static URL jar(String version) throws MalformedURLException {
    if (version.equals(COMPILED_AGAINST)) {
      return place(TP.class);
    }
    Path jar = Path.of("target", "jgroups", "jgroups-" + version + ".Final.jar");
    if (!Files.exists(jar)) {
      throw new IllegalStateException(
          jar.toAbsolutePath() + " is missing. Maven puts it there: mvn process-test-resources.");
    }
    return jar.toUri().toURL();
  }

  private static URL place(Class<?> known) {
    return known.getProtectionDomain().getCodeSource().getLocation();
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith("org.jgroups.") && !name.startsWith("io.meshtransport.jgroups.")) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? findClass(name) : loaded;
    }
  }

  /** JGroups reads tables of its own version from its jar. */
  @Override
  public URL getResource(String name) {
    URL own = findResource(name);
    return own == null ? super.getResource(name) : own;
  }
}
