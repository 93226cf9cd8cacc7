// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Arguments of QEMU, and the files of {@link GuestFiles} they name. */
class QemuCommandTest {
  private static final GuestFiles FILES = new GuestFiles(Path.of("/tmp/mesh-lab-1-x"));

  private static final LabImage IMAGE =
      new LabImage("6.1", Path.of("/cache/vmlinuz"), Path.of("/cache/initrd.gz"));

  private static List<String> qemu(Topology topology, String node) {
    return QemuCommand.arguments(
        Path.of("/usr/bin/qemu"),
        IMAGE,
        LabOptions.STANDARD.withProcessors(2),
        FILES,
        node,
        GuestNic.of(topology, node));
  }

  private static Set<String> valuesOf(List<String> words, String option) {
    Set<String> values = new HashSet<>();
    for (int i = 0; i + 1 < words.size(); i++) {
      if (words.get(i).equals(option)) {
        values.add(words.get(i + 1));
      }
    }
    return values;
  }

  @Test
  void shouldPlugBothEndsOfACableIntoEachOther() {
    String atA = "local.path=/tmp/mesh-lab-1-x/cable0.a,remote.type=unix,remote.path=";
    assertTrue(
        valuesOf(qemu(Topologies.PAIR, "a"), "-netdev")
            .contains("dgram,id=nic0,local.type=unix," + atA + "/tmp/mesh-lab-1-x/cable0.b"));
    assertTrue(
        valuesOf(qemu(Topologies.PAIR, "b"), "-netdev")
            .contains(
                "dgram,id=nic0,local.type=unix,local.path=/tmp/mesh-lab-1-x/cable0.b,"
                    + "remote.type=unix,remote.path=/tmp/mesh-lab-1-x/cable0.a"));
  }

  @Test
  void shouldShowTheHostReadOnlyAndOneFolderWritable() {
    assertEquals(
        Set.of(
            "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap",
            "local,path=/tmp/mesh-lab-1-x/a,mount_tag=share,security_model=none"),
        valuesOf(qemu(Topologies.PAIR, "a"), "-virtfs"));
  }

  @Test
  void shouldPassTheOptionsToQemu() {
    List<String> words = qemu(Topologies.PAIR, "a");

    assertEquals(Set.of("tcg,thread=multi"), valuesOf(words, "-accel"));
    assertEquals(Set.of("2"), valuesOf(words, "-smp"));
    assertEquals(Set.of("2048M"), valuesOf(words, "-m"));
    assertEquals(Set.of("/cache/vmlinuz"), valuesOf(words, "-kernel"));
    assertEquals(Set.of("/cache/initrd.gz"), valuesOf(words, "-initrd"));
  }

  @Test
  void shouldQuoteCommas() {
    GuestFiles odd = new GuestFiles(Path.of("/tmp/a,b"));
    List<String> words =
        QemuCommand.arguments(
            Path.of("/usr/bin/qemu"),
            IMAGE,
            LabOptions.STANDARD,
            odd,
            "a",
            GuestNic.of(Topologies.PAIR, "a"));
    assertTrue(
        valuesOf(words, "-virtfs")
            .contains("local,path=/tmp/a,,b/a,mount_tag=share,security_model=none"));
    assertTrue(valuesOf(words, "-chardev").contains("socket,id=agent,path=/tmp/a,,b/a.agent"));
    assertTrue(
        valuesOf(words, "-netdev")
            .contains(
                "dgram,id=nic0,local.type=unix,local.path=/tmp/a,,b/cable0.a,"
                    + "remote.type=unix,remote.path=/tmp/a,,b/cable0.b"));
  }
}
