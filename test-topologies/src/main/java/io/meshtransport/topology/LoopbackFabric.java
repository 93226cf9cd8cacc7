// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A topology on the loopback interface of this host, for where namespaces are forbidden: cable k is
 * 127.77.k.0/24, its ends .1 and .2. Linux answers for all of 127.0.0.0/8, so nothing needs to be
 * set up and nothing to be taken away. What it cannot do: cut a cable, count a cable's bytes, or
 * keep a node from reaching an address that is not its own.
 */
final class LoopbackFabric implements Fabric {
  private final Topology topology;

  LoopbackFabric(Topology wanted) {
    List<Cable> cables = new ArrayList<>();
    for (Cable cable : wanted.cables()) {
      String subnet = "127.77." + (cables.size() + 1);
      cables.add(
          Cable.between(cable.a().node(), subnet + ".1/24", cable.b().node(), subnet + ".2/24"));
    }
    this.topology = new Topology(wanted.name(), wanted.nodes(), cables);
  }

  @Override
  public Topology topology() {
    return topology;
  }

  @Override
  public Map<String, String> settings(String node) {
    String addresses =
        topology.cablesOf(node).stream()
            .map(cable -> cable.end(node).address().toString())
            .collect(Collectors.joining(","));
    // One host, many nodes: the port of one that has gone must not become the next one's.
    return Map.of("MESH_LOOPBACK", addresses, "MESH_PROVIDER", "soft", "MESH_HANDSHAKE_PORT", "0");
  }

  @Override
  public Process start(String node, ProcessBuilder process) throws IOException {
    return process.start();
  }

  @Override
  public boolean hasRealCables() {
    return false;
  }

  @Override
  public void cut(Cable cable) {
    throw noRealCables();
  }

  @Override
  public void mend(Cable cable) {
    throw noRealCables();
  }

  @Override
  public List<InterfaceCounters> counters(String node) {
    throw noRealCables();
  }

  private static UnsupportedOperationException noRealCables() {
    return new UnsupportedOperationException(
        "all cables of a loopback fabric are one interface; ask hasRealCables() first");
  }

  @Override
  public void close() {
    // Nothing was set up.
  }
}
