// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.doctor;

import io.meshtransport.cli.doctor.Ailment.Severity;
import io.meshtransport.verbs.LockedMemory;
import io.meshtransport.verbs.ProcessLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Checks of this host by the kernel's files: locked memory, reverse path filters, modules, clocks.
 * A file that cannot be read is no finding.
 */
public final class HostChecks {
  /** Before this a clock has not been set: it is older than the program. */
  private static final Instant EARLIEST = Instant.parse("2026-01-01T00:00:00Z");

  /** Clock sources that a process reads without a call into the kernel. */
  private static final Set<String> FAST_CLOCKS =
      Set.of("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter");

  private static final String STRICT = "1";

  private final Path root;
  private final List<String> cables;
  private final Instant now;
  private final List<Ailment> found = new ArrayList<>();

  private HostChecks(Path root, List<String> cables, Instant now) {
    this.root = root;
    this.cables = List.copyOf(cables);
    this.now = now;
  }

  /**
   * All findings.
   *
   * @param root what has {@code proc} and {@code sys} below it: {@code /}, or a recorded host
   * @param cables names of the interfaces that are ends of cables and have IPv4 addresses
   * @param now the time by this host's clock
   */
  public static List<Ailment> of(Path root, List<String> cables, Instant now) {
    HostChecks checks = new HostChecks(root, cables, now);
    checks.lockedMemory();
    checks.modules();
    checks.reversePathFilters();
    checks.clocks();
    return checks.found;
  }

  private Optional<String> read(String file) {
    try {
      return Optional.of(Files.readString(root.resolve(file)).strip());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private List<String> names(String folder) {
    try (Stream<Path> files = Files.list(root.resolve(folder))) {
      return files.map(each -> each.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  /** Counts where there are RDMA devices only: software locks nothing. */
  private void lockedMemory() {
    if (names("sys/class/infiniband").isEmpty()) {
      return;
    }
    read("proc/self/status")
        .flatMap(
            status ->
                LockedMemory.shortage(ProcessLimits.of(root.resolve("proc/self/limits")), status))
        .ifPresent(
            text ->
                found.add(
                    new Ailment(
                        Severity.BLOCKS,
                        "this host",
                        "memlock is too small: " + text,
                        "Registrations of memory fail, and with them all connections over RDMA.",
                        "Run `ulimit -l unlimited` before the program starts.")));
  }

  private void modules() {
    boolean hasVerbs =
        names("sys/class/infiniband_verbs").stream().anyMatch(each -> each.startsWith("uverbs"));
    if (!names("sys/class/infiniband").isEmpty() && !hasVerbs) {
      found.add(
          new Ailment(
              Severity.BLOCKS,
              "this host",
              "there are RDMA devices, and the module ib_uverbs is not loaded",
              "No program can open an RDMA device without it.",
              "Run `modprobe ib_uverbs`."));
    }
    for (String each : names("sys/class/net")) {
      boolean isMellanox = isDriver(each, "mlx5_core");
      if (isMellanox && names("sys/class/net/" + each + "/device/infiniband").isEmpty()) {
        found.add(
            new Ailment(
                Severity.WARNS,
                each,
                "the NIC can do RDMA, and the kernel offers no RDMA device for it",
                "Messages go over TCP, and need the processor.",
                "Run `modprobe mlx5_ib`."));
      }
    }
  }

  private boolean isDriver(String name, String driver) {
    try {
      return root.resolve("sys/class/net/" + name + "/device/driver")
          .toRealPath()
          .getFileName()
          .toString()
          .equals(driver);
    } catch (IOException e) {
      return false;
    }
  }

  /** The kernel applies the higher of "all" and the interface's own (ip-sysctl, rp_filter). */
  private void reversePathFilters() {
    if (cables.size() < 2) {
      return;
    }
    boolean isStrictForAll = isFilter("all", STRICT);
    for (String each : cables) {
      boolean isLoose = isFilter(each, "2") || isFilter("all", "2");
      if ((isStrictForAll || isFilter(each, STRICT)) && !isLoose) {
        found.add(
            new Ailment(
                Severity.WARNS,
                each,
                "rp_filter is strict on one of %d cables".formatted(cables.size()),
                "A packet that comes over another cable than answers would take is dropped without"
                    + " a word, which happens with routes over middle nodes.",
                "Run `sysctl -w net.ipv4.conf.all.rp_filter=2`."));
      }
    }
  }

  private boolean isFilter(String name, String value) {
    return read("proc/sys/net/ipv4/conf/" + name + "/rp_filter").equals(Optional.of(value));
  }

  private void clocks() {
    if (now.isBefore(EARLIEST)) {
      found.add(
          new Ailment(
              Severity.WARNS,
              "this host",
              "the clock says " + now,
              "A node that starts again is known by a later time, and logs cannot be compared.",
              "Set the clock, for example with chrony."));
    }
    read("sys/devices/system/clocksource/clocksource0/current_clocksource")
        .filter(each -> !FAST_CLOCKS.contains(each))
        .ifPresent(
            each ->
                found.add(
                    new Ailment(
                        Severity.WARNS,
                        "this host",
                        "the kernel reads the time from " + each,
                        "Each reading takes a call into the kernel, and polling reads it often.",
                        "Find out from `dmesg | grep -i clocksource` why the kernel gave up tsc.")));
  }
}
