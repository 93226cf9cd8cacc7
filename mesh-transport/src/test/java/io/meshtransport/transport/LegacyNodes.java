package io.meshtransport.transport;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.nic.Discovery;
import io.meshtransport.nic.Gid;
import io.meshtransport.nic.Nic;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.VerbsProviders;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Transports and C-plugin-like peers on loopback addresses, over software verbs that know each
 * other's ports. Closes all of them, the newest first.
 */
final class LegacyNodes implements AutoCloseable {
  static final Map<String, String> COMPAT = Map.of("MESH_COMPAT", "nccl-mesh");

  final KnownPorts ports = new KnownPorts();
  private final Deque<Closing> opened = new ArrayDeque<>();

  private interface Closing {
    void close() throws VerbsException, IOException;
  }

  /** A transport with these settings at these addresses, each a NIC of its own. */
  MeshTransport transport(Map<String, String> settings, String... addresses) throws Exception {
    Map<String, String> all = new HashMap<>(settings);
    all.put("MESH_LOOPBACK", String.join(",", addresses));
    all.putIfAbsent("MESH_TIMEOUT_MS", "20000");
    MeshConfig config = MeshConfig.of(all);
    List<OpenNic> nics = new ArrayList<>();
    for (Nic nic : Discovery.live(config).soft().nics()) {
      nics.add(OpenNic.over(nics.size(), nic, device(nic.device(), nic.gid().gid())));
    }
    MeshTransport transport = MeshTransport.open(config, nics);
    opened.push(transport::close);
    return transport;
  }

  private VerbsDevice device(String name, Gid gid) throws Exception {
    return ports.of(VerbsProviders.choose("soft").open(name), gid);
  }

  LegacyPeer peer(String address) throws Exception {
    InetAddress ip = InetAddress.getByName(address);
    VerbsDevice device = device("lo-" + address, Gid.of(ip));
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
