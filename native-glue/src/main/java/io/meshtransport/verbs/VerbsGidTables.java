// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.nic.Discovery;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidTableSource;
import java.io.IOException;
import java.util.List;

/**
 * GID tables as the devices themselves report them: one call for each port in place of some
 * thousand files. Opens a device for each scan and closes it again. Any thread may call it.
 */
public final class VerbsGidTables implements GidTableSource {
  private static final String RDMA = "ibverbs";

  private final VerbsProvider provider;

  VerbsGidTables(VerbsProvider provider) {
    this.provider = provider;
  }

  /**
   * This host, seen as a transport sees it: with the tables of its RDMA devices where libibverbs
   * can open them, with sysfs otherwise.
   */
  public static Discovery discovery(MeshConfig config) {
    try {
      return discovery(config, VerbsProviders.choose(RDMA));
    } catch (VerbsException noRdma) {
      // Not a failure: VerbsProviders says why there is no RDMA to a caller that requires it.
      return Discovery.live(config);
    }
  }

  /**
   * This host, seen through one provider: with the tables of its RDMA devices if it is that of
   * libibverbs, with sysfs otherwise.
   */
  public static Discovery discovery(MeshConfig config, VerbsProvider provider) {
    return provider.name().equals(RDMA)
        ? Discovery.live(config, new VerbsGidTables(provider))
        : Discovery.live(config);
  }

  @Override
  public List<GidEntry> rows(String device, int port) throws IOException {
    try (VerbsDevice opened = provider.open(device)) {
      return opened.gidTable(port);
    } catch (VerbsException e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}
