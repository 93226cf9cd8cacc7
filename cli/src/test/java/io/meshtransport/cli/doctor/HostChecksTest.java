// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.cli.doctor.Ailment.Severity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link HostChecks} on hosts made of files. */
class HostChecksTest {
  private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");

  @TempDir private Path root;

  private void file(String name, String text) throws IOException {
    Files.createDirectories(root.resolve(name).getParent());
    Files.writeString(root.resolve(name), text + "\n");
  }

  private List<Ailment> check(String... cables) {
    return HostChecks.of(root, List.of(cables), NOW);
  }

  private Ailment only(String... cables) {
    List<Ailment> found = check(cables);
    assertEquals(1, found.size(), found.toString());
    return found.get(0);
  }

  private void rdmaDevice() throws IOException {
    Files.createDirectories(root.resolve("sys/class/infiniband/mlx5_0"));
    Files.createDirectories(root.resolve("sys/class/infiniband_verbs/uverbs0"));
  }

  @Test
  void shouldFindNothingWhereNothingCanBeRead() {
    assertEquals(List.of(), check("eth0", "eth1"));
  }

  @Test
  void shouldFindThatTooLittleMemoryMayBeLocked() throws IOException {
    file("proc/self/status", "CapEff:\t0000000000000000");
    file(
        "proc/self/limits",
        "Limit                     Soft Limit           Hard Limit           Units\n"
            + "Max open files            1024                 1024                 files\n"
            + "Max locked memory         65536                65536                bytes");
    assertEquals(List.of(), check(), "software locks nothing");

    rdmaDevice();
    assertEquals(Severity.BLOCKS, only().severity());
    assertTrue(only().what().contains("memlock"), only().toString());
  }

  @Test
  void shouldFindThatVerbsHaveNoModule() throws IOException {
    Files.createDirectories(root.resolve("sys/class/infiniband/mlx5_0"));

    assertEquals(Severity.BLOCKS, only().severity());
    assertTrue(only().remedy().contains("modprobe ib_uverbs"));
  }

  @Test
  void shouldFindThatANicHasNoRdmaDevice() throws IOException {
    Files.createDirectories(root.resolve("drivers/mlx5_core"));
    Path device = Files.createDirectories(root.resolve("sys/class/net/eth0/device"));
    Files.createSymbolicLink(device.resolve("driver"), root.resolve("drivers/mlx5_core"));

    assertEquals("eth0", only().where());
    Files.createDirectories(device.resolve("infiniband/mlx5_0"));
    assertEquals(List.of(), check());
  }

  @Test
  void shouldFindStrictFiltersOfSeveralCables() throws IOException {
    file("proc/sys/net/ipv4/conf/all/rp_filter", "0");
    file("proc/sys/net/ipv4/conf/eth0/rp_filter", "1");
    file("proc/sys/net/ipv4/conf/eth1/rp_filter", "2");

    assertEquals("eth0", only("eth0", "eth1").where());
    assertEquals(List.of(), check("eth0"), "one cable has one path");
    file("proc/sys/net/ipv4/conf/all/rp_filter", "1");
    assertEquals("eth0", only("eth0", "eth1").where(), "the higher of both counts");
    file("proc/sys/net/ipv4/conf/all/rp_filter", "2");
    assertEquals(List.of(), check("eth0", "eth1"));
  }

  @Test
  void shouldFindClocksThatAreSlowOrWrong() throws IOException {
    file("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet");
    assertTrue(only().what().contains("hpet"));
    file("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc");
    assertEquals(List.of(), check());

    List<Ailment> found = HostChecks.of(root, List.of(), Instant.EPOCH);
    assertTrue(found.get(0).what().contains("1970"), found.toString());
  }
}
