// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException.Reason;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;

/**
 * The contract over libibverbs. All nodes share one device, Soft-RoCE or an adapter, which then
 * talks to itself. Chosen as the contract of the verbs is: -Dcontract.device=NAME or
 * MESH_CONTRACT_DEVICE=NAME.
 */
@Tag("rdma-device")
class RdmaTransportContractTest extends MeshTransportContractTest {
  /** An emulated processor needs seconds for its first handshake. */
  static final Duration TIMEOUT = Duration.ofSeconds(15);

  /** Soft-RoCE does not report to the owner of memory what it has refused. */
  static final Set<Reason> REFUSED_AT_OWNER = EnumSet.of(Reason.REMOTE_ACCESS, Reason.PEER_GONE);

  @Override
  protected Transport openNode(String name) throws Exception {
    return open(name, Map.of());
  }

  /** A node on the device that was chosen, with more settings. */
  static Transport open(String name, Map<String, String> moreSettings) throws Exception {
    String device = System.getProperty("contract.device", System.getenv("MESH_CONTRACT_DEVICE"));
    assumeTrue(
        device != null && !device.isBlank(),
        "no RDMA device was chosen here (guests of the lab run this test, too): set"
            + " MESH_CONTRACT_DEVICE");
    Map<String, String> settings =
        new HashMap<>(
            Map.of(
                "MESH_PROVIDER",
                "ibverbs",
                "MESH_HCA",
                "=" + device,
                "MESH_HANDSHAKE_PORT",
                "0",
                "MESH_TIMEOUT_MS",
                Long.toString(TIMEOUT.toMillis()),
                "MESH_NODE",
                name));
    settings.putAll(moreSettings);
    return Transport.open(settings);
  }

  @Override
  protected Duration connectTimeout() {
    return TIMEOUT;
  }

  @Override
  protected Set<Reason> accessRefusedAtOwner() {
    return REFUSED_AT_OWNER;
  }

  @Override
  protected int repetitions(int usual) {
    return fewer(usual);
  }

  /** A connection there and back takes a tenth of a second, up to one, under emulation. */
  static int fewer(int usual) {
    int part = Boolean.getBoolean("mesh.test.long") ? 4 : 10;
    return Math.min(usual, Math.max(5, usual / part));
  }
}
