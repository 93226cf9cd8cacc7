// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.VerbsGidTables;
import io.meshtransport.verbs.VerbsProviders;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Hosts that share one RDMA device, which then talks to itself: one host for each two addresses.
 */
final class RdmaLegacyNodes extends LegacyNodes {
  private static final int HOSTS = 2;

  private final String device;

  RdmaLegacyNodes(String device) {
    this.device = device;
  }

  private NicAddress nicAddress(Nic nic, int host) {
    List<NicAddress> ours = new ArrayList<>(nic.addresses());
    ours.removeIf(address -> !address.link().isIpv4());
    return ours.get((host - 1) % HOSTS);
  }

  private Nic nic() throws Exception {
    MeshConfig config = MeshConfig.of(Map.of("MESH_HCA", "=" + device));
    return VerbsGidTables.discovery(config).rdma().nics().get(0);
  }

  @Override
  InetAddress address(int host) throws Exception {
    return nicAddress(nic(), host).link().address();
  }

  @Override
  List<Nic> nics(MeshConfig config, int host) throws Exception {
    Nic nic = nic();
    return List.of(nic.withAddresses(List.of(nicAddress(nic, host))));
  }

  @Override
  VerbsDevice open(String name) throws VerbsException {
    return VerbsProviders.choose("ibverbs").open(name);
  }

  @Override
  String device(int host) {
    return device;
  }
}
