// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.nic.Gid;
import io.meshtransport.nic.Nic;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Transports and C-plugin-like peers that can reach each other. Closes all of them, the newest
 * first.
 */
abstract class LegacyNodes implements AutoCloseable {
  static final Map<String, String> COMPAT = Map.of("MESH_COMPAT", "nccl-mesh");

  final KnownPorts ports = new KnownPorts();
  private final Deque<Closing> opened = new ArrayDeque<>();

  private interface Closing {
    void close() throws VerbsException, IOException;
  }

  /** The address of a host, from 1; odd and even ones are on different ends of a cable. */
  abstract InetAddress address(int host) throws Exception;

  /** The NICs of a host. */
  abstract List<Nic> nics(MeshConfig config, int host) throws Exception;

  abstract VerbsDevice open(String device) throws VerbsException;

  /** The device of a host, for a peer. */
  abstract String device(int host) throws Exception;

  /** A transport on a host. */
  MeshTransport transport(Map<String, String> settings, int host) throws Exception {
    Map<String, String> all = new HashMap<>(settings);
    all.putIfAbsent("MESH_TIMEOUT_MS", "20000");
    return transport(MeshConfig.of(all), nics(MeshConfig.of(all), host));
  }

  final MeshTransport transport(MeshConfig config, List<Nic> found) throws Exception {
    List<OpenNic> nics = new ArrayList<>();
    for (Nic nic : found) {
      VerbsDevice device = ports.of(open(nic.device()), nic.gid().gid());
      nics.add(OpenNic.over(nics.size(), nic, device));
    }
    MeshTransport transport = MeshTransport.open(config, nics);
    opened.push(transport::close);
    return transport;
  }

  /** A peer on a host. */
  LegacyPeer peer(int host) throws Exception {
    InetAddress ip = address(host);
    VerbsDevice device = ports.of(open(device(host)), Gid.of(ip));
    opened.push(device::close);
    LegacyPeer peer = new LegacyPeer(device, ip);
    opened.push(peer::close);
    return peer;
  }

  @Override
  public void close() throws VerbsException, IOException {
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
  }
}
