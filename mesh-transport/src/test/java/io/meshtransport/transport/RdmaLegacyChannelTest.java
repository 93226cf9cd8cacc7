// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/**
 * The C plugin's wire over libibverbs. Under emulation the first test alone takes a minute or more.
 * The device needs two IPv4 addresses in one subnet. Chosen as the contract of the verbs is:
 * -Dcontract.device=NAME or MESH_CONTRACT_DEVICE=NAME.
 */
@Tag("rdma-device")
@Timeout(300)
class RdmaLegacyChannelTest extends NcclMeshChannelTest {
  @Override
  LegacyNodes openNodes() {
    String device = System.getProperty("contract.device", System.getenv("MESH_CONTRACT_DEVICE"));
    assumeTrue(
        device != null && !device.isBlank(),
        "no RDMA device was chosen here (guests of the lab run this test, too): set"
            + " MESH_CONTRACT_DEVICE");
    return new RdmaLegacyNodes(device);
  }
}
