// SPDX-License-Identifier: Apache-2.0
/**
 * Channels to and from the C plugin nccl-mesh, on its wire; in use only with MESH_COMPAT=nccl-mesh.
 * Each request is one work request of the device: no announcements, no control messages.
 *
 * <p>Beside {@code message}, on top of {@code channel}; its connector and acceptor stand on {@code
 * connect}. Only the transport knows it. {@code NcclMeshChannelTest} drives it against a
 * written-out peer, {@code RdmaLegacyChannelTest} over RDMA devices; docs/WIRE.md has the bytes.
 */
package io.meshtransport.transport.ncclmesh;
