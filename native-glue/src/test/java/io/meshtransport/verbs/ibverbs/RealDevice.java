// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.OneRowDevice;
import io.meshtransport.verbs.Traits;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The RDMA device that tests on real hardware, or on Soft-RoCE, may use. Chosen with
 * -Dcontract.device=NAME or MESH_CONTRACT_DEVICE=NAME; without either, and without devices, such
 * tests are left out.
 */
final class RealDevice {
  private static final String PROPERTY = "contract.device";
  private static final String VARIABLE = "MESH_CONTRACT_DEVICE";
  private static final int PORT = 1;

  private RealDevice() {}

  /** The chosen one. */
  static Optional<String> chosen() {
    return Optional.ofNullable(System.getProperty(PROPERTY, System.getenv(VARIABLE)))
        .filter(name -> !name.isBlank());
  }

  /** Why there is none. */
  static String howToChoose() {
    return "no RDMA device was chosen here (guests of the lab run this test, too): set -D"
        + PROPERTY
        + " or "
        + VARIABLE
        + " to one of "
        + new IbverbsProvider().deviceNames();
  }

  /** Leaves the test out, with a reason, where no device was chosen. */
  static String name() {
    assumeTrue(chosen().isPresent(), RealDevice::howToChoose);
    return chosen().get();
  }

  static VerbsDevice open() throws VerbsException {
    return new IbverbsProvider().open(name());
  }

  /** Those of Soft-RoCE, which names its netdev in a file of its own, or those of adapters. */
  static Traits traits() {
    return Files.exists(Path.of("/sys/class/infiniband", name(), "parent"))
        ? Traits.ofRxe()
        : Traits.ofAdapter();
  }

  /** Opens it as a host that has one address of the device's. Both may be the same. */
  static VerbsDevice openWithAddress(int which) throws VerbsException {
    VerbsDevice device = open();
    List<GidEntry> rows =
        device.gidTable(PORT).stream().filter(row -> row.gid().isIpv4Mapped()).toList();
    if (rows.isEmpty()) {
      device.close();
      throw new VerbsException(
          Errno.ENODEV, device.name() + " has no IPv4 address: `ip addr add` gives it one");
    }
    return new OneRowDevice(device, rows.get(Math.min(which, rows.size() - 1)));
  }
}
