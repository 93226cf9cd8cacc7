// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.FabricException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What happens before the first guest boots: packages, kernel, RAM disk, cache.
 *
 * <p>Also tests {@link JarPacker} and {@link KernelVersions}.
 */
class LabPreparationTest {
  @TempDir private Path folder;
  private final List<String> said = new ArrayList<>();

  private Path imageFolder(String version) throws IOException {
    Path home = Files.createDirectory(folder.resolve(version + "-" + InitrdBuilder.fingerprint()));
    Files.writeString(home.resolve("vmlinuz"), "kernel " + version);
    Files.writeString(home.resolve("initrd.gz"), "initrd");
    Checksums.write(home, List.of("vmlinuz", "initrd.gz"));
    return home;
  }

  private LabCache cache() {
    return new LabCache(folder, said::add);
  }

  @Test
  void shouldCacheWhereUsersKeepSuchThings() {
    Path inHome = Path.of("/home/u/.cache/mesh-transport/lab");
    assertEquals(inHome, LabCache.folderIn(null, "/home/u"));
    assertEquals(inHome, LabCache.folderIn("", "/home/u"));
    assertEquals(inHome, LabCache.folderIn("relative/is/ignored", "/home/u"));
    assertEquals(Path.of("/c/mesh-transport/lab"), LabCache.folderIn("/c", "/home/u"));
  }

  @Test
  void shouldFindNothingInACacheThatIsNotThere() throws IOException {
    assertEquals(
        Optional.empty(), new LabCache(folder.resolve("not").resolve("yet"), said::add).find());
  }

  @Test
  void shouldChooseTheNewestIntactImage() throws IOException {
    imageFolder("6.1.0-55-amd64");
    Path newest = imageFolder("6.1.0-56-amd64");
    Files.createDirectory(folder.resolve("6.1.0-99-amd64-000000000000"));

    LabImage image = cache().find().orElseThrow();

    assertEquals("6.1.0-56-amd64", image.kernelVersion());
    assertEquals(newest.resolve("vmlinuz"), image.kernel());
    assertEquals(newest.resolve("initrd.gz"), image.initrd());
    assertEquals(List.of(), said);
  }

  @Test
  void shouldCompareNumbersInVersionsAsNumbers() throws IOException {
    imageFolder("6.1.0-9-amd64");
    imageFolder("6.1.0-10-amd64");
    for (String version : List.of("6.1.0-9", "6.1.0-10", "5.10.0-99")) {
      Files.writeString(folder.resolve("linux-image-" + version + "-amd64_1.deb"), "");
    }

    assertEquals("6.1.0-10-amd64", cache().find().orElseThrow().kernelVersion());
    assertEquals(
        Optional.of(folder.resolve("linux-image-6.1.0-10-amd64_1.deb")),
        new KernelPackage(folder, said::add).cached());
  }

  @Test
  void shouldRemoveWhatIsNotNeeded() throws IOException {
    Path intact = imageFolder("6.1.0-55-amd64");
    Path foreign = Files.createDirectory(folder.resolve("6.1.0-55-amd64-000000000000"));
    Path make = Files.createDirectories(folder.resolve("make-123").resolve("in")).getParent();
    Path fetch = Files.createDirectory(folder.resolve("fetch-45"));
    Path mine = Files.createDirectory(folder.resolve("make-up"));
    List<Path> all = List.of(intact, foreign, make, fetch, mine);

    assertEquals(all, leftAfter(all, Duration.ofMinutes(50)));
    assertEquals(List.of(intact, foreign, mine), leftAfter(all, Duration.ofMinutes(70)));
    assertEquals(List.of(intact, mine), leftAfter(all, Duration.ofDays(8)));
    assertEquals(List.of(), said);
  }

  private List<Path> leftAfter(List<Path> all, Duration age) {
    CacheSweep sweep = new CacheSweep(folder, Instant.now().plus(age), said::add);
    sweep.interruptedWork();
    sweep.imagesOfOthers(InitrdBuilder.fingerprint());
    return all.stream().filter(Files::exists).toList();
  }

  @Test
  void shouldRemoveABrokenImageAndReportIt() throws IOException {
    imageFolder("6.1.0-55-amd64");
    Path broken = imageFolder("6.1.0-56-amd64");
    Files.writeString(broken.resolve("initrd.gz"), "initr?");

    assertEquals("6.1.0-55-amd64", cache().find().orElseThrow().kernelVersion());
    assertFalse(Files.exists(broken));
    assertTrue(said.get(0).contains("broken"), said.toString());
  }

  @Test
  void shouldDetectEachKindOfBrokenImage() throws IOException {
    Path home = imageFolder("6.1.0-56-amd64");
    assertTrue(Checksums.match(home));
    Path sums = home.resolve("SHA256SUMS");
    String right = Files.readString(sums);

    Files.writeString(sums, "");
    assertFalse(Checksums.match(home), "an empty list");
    Files.writeString(sums, "nonsense\n");
    assertFalse(Checksums.match(home), "no list");
    Files.writeString(sums, right);
    Files.delete(home.resolve("vmlinuz"));
    assertFalse(Checksums.match(home), "a file is missing");
    Files.delete(sums);
    assertFalse(Checksums.match(home), "no list at all");
  }

  @Test
  void shouldFindTheNewestKernelInWhatAptSays() {
    assertEquals(
        Optional.of("linux-image-6.1.0-56-amd64"),
        KernelPackage.newest("linux-image-amd64\n  Depends: linux-image-6.1.0-56-amd64\n"));
    assertEquals(Optional.empty(), KernelPackage.newest("linux-image-amd64\n"));
    assertEquals(Optional.empty(), KernelPackage.newest(""));
  }

  @Test
  void shouldNameThePackagesThatAreNotInstalled() {
    String installed =
        """
        qemu-system-x86 installed
        busybox config-files
        kmod installed
        rdma-core config-files
        libibverbs1 installed
        iproute2 installed
        xz-utils installed
        """;

    assertEquals(
        List.of("busybox-static", "rdma-core", "ibverbs-providers"),
        LabPackages.missing(installed));
  }

  @Test
  void shouldLoadModulesAfterWhatTheyNeed() {
    ModuleOrder order =
        new ModuleOrder(
            List.of(
                "kernel/a/rdma_rxe.ko: kernel/a/ib_uverbs.ko kernel/b/ib_core.ko",
                "kernel/a/ib_uverbs.ko: kernel/b/ib_core.ko",
                "kernel/b/ib_core.ko:",
                "kernel/c/virtio-net.ko.xz:"));

    assertEquals(
        List.of(
            "kernel/c/virtio-net.ko.xz",
            "kernel/b/ib_core.ko",
            "kernel/a/ib_uverbs.ko",
            "kernel/a/rdma_rxe.ko"),
        order.files(List.of("virtio_net", "rdma_rxe", "built_in"), Set.of("built_in")));
    FabricException missing =
        assertThrows(FabricException.class, () -> order.files(List.of("nothing"), Set.of()));
    assertTrue(missing.getMessage().contains("nothing"), missing.getMessage());
  }

  @Test
  void shouldFindTheKernelInBothPlacesWhereDebianPutsModules() throws IOException {
    for (String base : List.of("lib", "usr/lib")) {
      Path root = Files.createDirectories(folder.resolve(base.replace('/', '-')));
      Files.createDirectories(root.resolve(base).resolve("modules").resolve("6.1.0-1-amd64"));

      KernelTree tree = KernelTree.in(root);

      assertEquals("6.1.0-1-amd64", tree.version());
      assertEquals(root.resolve("boot").resolve("vmlinuz-6.1.0-1-amd64"), tree.kernel());
      assertTrue(Files.isDirectory(tree.modules()), tree.toString());
    }
    assertThrows(FabricException.class, () -> KernelTree.in(folder.resolve("empty")));
  }

  @Test
  void shouldWriteAnArchiveByteForByte() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CpioArchive archive = new CpioArchive(bytes);
    archive.program("init", "12345".getBytes(StandardCharsets.US_ASCII));
    archive.end();

    String zero = "00000000";
    String one = "00000001";
    String expected =
        "070701"
            + one
            + "000081ed"
            + zero
            + zero
            + one
            + zero
            + "00000005"
            + zero.repeat(4)
            + "00000005"
            + zero
            + "init\0"
            + "\0"
            + "12345"
            + "\0\0\0"
            + "070701"
            + "00000002"
            + zero
            + zero
            + zero
            + one
            + zero
            + zero
            + zero.repeat(4)
            + "0000000b"
            + zero
            + "TRAILER!!!\0"
            + "\0\0\0";
    assertEquals(expected, bytes.toString(StandardCharsets.US_ASCII));
  }

  @Test
  void shouldSayWhatAToolSaidWhenItFails() {
    Duration limit = Duration.ofSeconds(20);
    FabricException failure =
        assertThrows(
            FabricException.class,
            () -> new HostProgram(folder, limit, "sh", "-c", "echo first; echo why; exit 4").run());
    assertTrue(failure.getMessage().contains("failed with 4: first; why"), failure.getMessage());
    assertEquals("C\n", new HostProgram(folder, limit, "sh", "-c", "echo $LC_ALL").run());
    assertThrows(FabricException.class, () -> new HostProgram(folder, limit, "no-such-tool").run());
  }

  @Test
  void shouldEndAProgramThatRunsTooLong() {
    HostProgram endless = new HostProgram(folder, Duration.ofMillis(200), "sleep", "1000");

    assertThrows(FabricException.class, endless::run);
  }

  @Test
  void shouldNotWaitForAChildThatKeepsTheOutputOpen() {
    Duration limit = Duration.ofSeconds(20);
    String child = "sleep 30 & echo started";
    assertEquals("started\n", new HostProgram(folder, limit, "sh", "-c", child).run());

    HostProgram endless =
        new HostProgram(folder, Duration.ofMillis(500), "sh", "-c", "sleep 30 & echo waits; wait");
    FabricException failure = assertThrows(FabricException.class, endless::run);
    assertTrue(failure.getMessage().contains("was not done after"), failure.getMessage());
  }

  @Test
  void shouldAddUpWhatSoftRoceCounted() {
    RdmaCounters counters =
        RdmaCounters.parse(
            """
            /sys/class/infiniband/rxe_to-b/ports/1/hw_counters/rcvd_pkts:120
            /sys/class/infiniband/rxe_to-b/ports/1/hw_counters/send_rnr_err:2
            /sys/class/infiniband/rxe_to-b/ports/1/hw_counters/rcvd_rnr_err:1
            /sys/class/infiniband/rxe_to-b/ports/1/hw_counters/completer_retry_err:4
            /sys/class/infiniband/rxe_to-b/ports/1/hw_counters/out_of_seq_request:8
            /sys/class/infiniband/rxe_to-b/ports/1/hw_counters/retry_rnr_exceeded_err:0
            /sys/class/infiniband/rxe_to-b/ports/1/hw_counters/retry_exceeded_err:0
            /sys/class/infiniband/rxe_to-b/ports/1/hw_counters/rcvd_seq_err:0
            /sys/class/infiniband/rxe_to-b/ports/1/hw_counters/duplicate_request:0
            /sys/class/infiniband/rxe_to-b/ports/1/hw_counters/lifespan:unknown
            """);

    assertEquals(120, counters.packets());
    assertEquals(3, counters.notReady());
    assertEquals(4, counters.retries());
    assertEquals(8, counters.outOfSequence());
    assertEquals(
        "120 packets, 3 times not ready (RNR), 4 retries, 8 out of sequence", counters.toString());
  }

  @Test
  void shouldNotReadAMissingCounterAsZero() {
    RdmaCounters counters = RdmaCounters.parse("/ports/1/hw_counters/send_rnr_err:0\n");

    FabricException refusal = assertThrows(FabricException.class, counters::notReady);

    assertTrue(refusal.getMessage().contains("no counter rcvd_rnr_err"), refusal.getMessage());
    assertTrue(refusal.getMessage().contains("[send_rnr_err]"), refusal.getMessage());
  }
}
