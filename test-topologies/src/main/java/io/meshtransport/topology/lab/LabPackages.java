// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import io.meshtransport.topology.FabricException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What the lab needs of its host: Debian's packages, and a kernel to boot. Prints each step before
 * it. One thread; several processes may do this at the same time.
 */
public final class LabPackages {
  /** Debian's names of what must be installed. */
  public static final List<String> NEEDED =
      List.of(
          "qemu-system-x86",
          "busybox-static",
          "kmod",
          "rdma-core",
          "libibverbs1",
          "ibverbs-providers",
          "iproute2",
          // Newer Debians pack their kernel modules with it.
          "xz-utils");

  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final Path ANYWHERE = Path.of("/");

  private final LabCache cache;
  private final Consumer<String> progress;

  /**
   * With the user's cache.
   *
   * @param progress sees a line for each thing that takes time
   */
  public LabPackages(Consumer<String> progress) {
    this(LabCache.defaultFolder(), progress);
  }

  LabPackages(Path cacheFolder, Consumer<String> progress) {
    this.cache = new LabCache(cacheFolder, progress);
    this.progress = progress;
  }

  /**
   * Why there is no lab here, as far as can be found out without changing this host: the wrong kind
   * of machine, or packages that are missing. Empty if it is ready, or only the kernel has to be
   * fetched.
   */
  public static Optional<String> obstacle() {
    String machine = System.getProperty("os.arch");
    if (!machine.equals("amd64")) {
      return Optional.of("its guests are x86_64, and this host is " + machine);
    }
    if (Programs.find("dpkg-query").isEmpty() || Programs.find("apt-get").isEmpty()) {
      return Optional.of(
          "it needs Debian's packages "
              + String.join(" ", NEEDED)
              + " and its kernel, and this host has no apt to get them");
    }
    List<String> missing = missing(installed());
    if (missing.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        "packages are missing. Run: sudo apt-get install -y " + String.join(" ", missing));
  }

  /**
   * Makes the lab ready: as root installs the packages that are missing; then finds a kernel in the
   * cache or fetches it, as any user.
   *
   * @throws FabricException if this host cannot run it, with what to do
   */
  public LabImage prepare() throws IOException {
    if (isRoot() && System.getProperty("os.arch").equals("amd64")) {
      installMissing();
    }
    return fetch();
  }

  /**
   * As {@link #prepare}, but installs nothing.
   *
   * @throws FabricException if this host cannot run it, with what to do
   */
  public LabImage fetch() throws IOException {
    Optional<String> obstacle = obstacle();
    if (obstacle.isPresent()) {
      throw new FabricException("no lab here: " + obstacle.get());
    }
    return cache.findOrMake(isRoot());
  }

  private void installMissing() {
    if (Programs.find("dpkg-query").isEmpty() || Programs.find("apt-get").isEmpty()) {
      return;
    }
    List<String> missing = missing(installed());
    if (missing.isEmpty()) {
      return;
    }
    progress.accept("installing what is missing: " + String.join(" ", missing));
    new HostProgram(ANYWHERE, LIMIT, "apt-get", "update", "-qq").run();
    String names = String.join(" ", missing);
    new HostProgram(
            ANYWHERE, LIMIT, ("apt-get install -y -qq --no-install-recommends " + names).split(" "))
        .run();
  }

  private static String installed() {
    // A package unknown to dpkg makes it complain and fail; listing all does not.
    return new HostProgram(
            ANYWHERE, LIMIT, "dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n")
        .run();
  }

  /** Of what we need, that which is not among these lines {@code NAME STATUS}. */
  static List<String> missing(String installed) {
    Set<String> lines = new HashSet<>(installed.lines().toList());
    return NEEDED.stream().filter(name -> !lines.contains(name + " installed")).toList();
  }

  private static boolean isRoot() {
    return new HostProgram(ANYWHERE, LIMIT, "id", "-u").run().strip().equals("0");
  }
}
