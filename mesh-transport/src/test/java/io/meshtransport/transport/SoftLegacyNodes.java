// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.nic.Discovery;
import io.meshtransport.nic.Nic;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.VerbsProviders;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Hosts at loopback addresses, over software verbs that know each other's ports. */
final class SoftLegacyNodes extends LegacyNodes {
  private static final String NETWORK = "127.77.20.";

  @Override
  InetAddress address(int host) throws Exception {
    return InetAddress.getByName(NETWORK + host);
  }

  @Override
  List<Nic> nics(MeshConfig config, int host) throws Exception {
    return nics(NETWORK + host + "/24");
  }

  private static List<Nic> nics(String addresses) throws Exception {
    return Discovery.live(MeshConfig.of(Map.of("MESH_LOOPBACK", addresses))).soft().nics();
  }

  /** A transport at these addresses, each a NIC of its own. */
  MeshTransport transport(Map<String, String> settings, String... addresses) throws Exception {
    return transport(MeshConfig.of(new HashMap<>(settings)), nics(String.join(",", addresses)));
  }

  @Override
  VerbsDevice open(String device) throws VerbsException {
    return VerbsProviders.choose("soft").open(device);
  }

  @Override
  String device(int host) throws Exception {
    return "lo-" + NETWORK + host;
  }
}
