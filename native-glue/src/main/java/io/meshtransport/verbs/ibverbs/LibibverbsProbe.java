// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.verbs.Availability;
import io.meshtransport.verbs.VerbsException;
import java.util.List;
import java.util.Optional;

/**
 * Whether libibverbs can drive RDMA devices on this host, probed once.
 *
 * @param library empty if it cannot be used at all
 * @param availability whether there is a device that can be opened; else why not, and what to do
 */
record LibibverbsProbe(Optional<Libibverbs> library, Availability availability) {
  private static final String SOFT_INSTEAD = " MESH_PROVIDER=soft works without it.";

  /** The one probe of this process. */
  static LibibverbsProbe ofThisHost() {
    return OfThisHost.PROBE;
  }

  /** Loads the library on first use only. */
  private static final class OfThisHost {
    static final LibibverbsProbe PROBE = of(Libibverbs.NAME);
  }

  static LibibverbsProbe of(String name) {
    try {
      HostAbi.ofThisHost();
      Libibverbs library = Libibverbs.load(name);
      return new LibibverbsProbe(Optional.of(library), devicesOf(library));
    } catch (VerbsException e) {
      return without(e.getMessage() + ".");
    } catch (LinkageError e) {
      // The library, one of its functions, or JNA's own native part.
      return without(unusable(name, e));
    }
  }

  private static LibibverbsProbe without(String why) {
    return new LibibverbsProbe(Optional.empty(), Availability.no(why + SOFT_INSTEAD));
  }

  private static String unusable(String name, LinkageError error) {
    return name
        + " cannot be loaded ("
        + String.valueOf(error.getMessage()).lines().findFirst().orElse("no reason given")
        + "). Install rdma-core 28 or later, on Debian `apt install libibverbs1"
        + " ibverbs-providers`. JNA unpacks a library of its own: where the folder for temporary"
        + " files is mounted noexec, name another with -Djna.tmpdir.";
  }

  private static Availability devicesOf(Libibverbs library) {
    try (DeviceList devices = DeviceList.ask(library)) {
      return devices.names().isEmpty()
          ? Availability.no(
              "the kernel's RDMA core has no device. Load the driver of the adapter; `rdma link`"
                  + " lists what there is."
                  + SOFT_INSTEAD)
          : openable(library, devices.names());
    } catch (VerbsException e) {
      return Availability.no(e.getMessage() + SOFT_INSTEAD);
    }
  }

  /** One device that opens is enough: opening another one reports what is wrong with that. */
  private static Availability openable(Libibverbs library, List<String> names) {
    StringBuilder refusals = new StringBuilder();
    for (String name : names) {
      try {
        DeviceList.open(library, name).close();
        return Availability.yes("RDMA devices " + String.join(", ", names));
      } catch (VerbsException e) {
        refusals.append(e.getMessage()).append(' ');
      }
    }
    return Availability.no("no RDMA device can be opened: " + refusals + SOFT_INSTEAD.strip());
  }
}
