// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.Topology;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/** The lab as tests use it: whether there is one, and guests with the provider ibverbs. */
public final class TestLab {
  // 18 is 1.07 s: on a busy host a guest may pause for longer than the usual 67 ms.
  private static final Map<String, String> SETTINGS =
      Map.of("MESH_PROVIDER", "ibverbs", "MESH_IB_TIMEOUT", "18");
  private static final String MODE = System.getProperty("mesh.test.lab", "auto");
  private static final TestLab ONLY = new TestLab();

  private final Optional<LabImage> image;
  private final Optional<String> obstacle;

  private TestLab() {
    Optional<LabImage> found = Optional.empty();
    Optional<String> why = Optional.empty();
    if (MODE.equals("off")) {
      why = Optional.of("-Dmesh.test.lab=off");
    } else {
      try {
        // Installs nothing: tests do not change the host.
        found = Optional.of(new LabPackages(line -> System.out.println("lab: " + line)).fetch());
      } catch (IOException | FabricException e) {
        why = Optional.of(String.valueOf(e.getMessage()));
      }
    }
    if (why.isPresent() && MODE.equals("required")) {
      throw new IllegalStateException("no RoCE lab here: " + why.get());
    }
    this.image = found;
    this.obstacle = why;
  }

  static Optional<String> obstacle() {
    return ONLY.obstacle;
  }

  /** Guests whose ports carry 4096 bytes per packet. Close it. */
  public static LabFabric boot(Topology topology) {
    return boot(topology.withMtu(4200), LabOptions.STANDARD);
  }

  /** With the topology's own MTUs. */
  static LabFabric boot(Topology topology, LabOptions options) {
    return boot(topology, options, SETTINGS);
  }

  /** With the topology's own MTUs, and these settings instead of the patient ones. */
  static LabFabric boot(Topology topology, LabOptions options, Map<String, String> settings) {
    ClassArchive.begin();
    return LabFabric.boot(topology, ONLY.image.orElseThrow(), options, settings);
  }
}
