// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.jmx;

import java.util.List;
import java.util.Map;

/**
 * An open transport, as JMX shows it: {@code io.meshtransport:type=Transport,node=a,id=3f2d...},
 * where {@code node} is its setting MESH_NODE and {@code id} its node id. The bean is registered
 * with the platform's MBean server soon after the transport has opened, and unregistered when it
 * closes. All attributes are read only and consist of simple types, so that a client needs no class
 * of ours.
 *
 * <p>Any thread may read. Nothing is counted or kept for the bean, so that a transport that is not
 * watched pays nothing. Only {@link #getChannels} takes locks of the data path: that of each
 * channel in turn, while it counts the pending requests.
 */
public interface MeshTransportMXBean {
  /** Its setting MESH_NODE, by default the host's name. */
  String getNode();

  /** Its node id: 32 hexadecimal digits, which peers show the first eight of. */
  String getId();

  /** The TCP port of its handshakes. */
  int getHandshakePort();

  /** Its NICs, best first. */
  List<NicStatus> getNics();

  /** Number of open channels. */
  int getChannelCount();

  /** Its open channels, in the order in which they were made. */
  List<ChannelStatus> getChannels();

  /** What went over each NIC, to and from all peers. */
  List<TrafficStatus> getTrafficByNic();

  /** What went over each NIC to and from each peer, up to 256 pairs. */
  List<TrafficStatus> getTrafficByPeer();

  /** Counters of handshakes, by their names. */
  Map<String, Long> getHandshakes();

  /** Components of {@link io.meshtransport.spi.MemoryStatistics}, by their names. */
  Map<String, Long> getMemory();

  /**
   * The mesh as this node knows it, if the program has joined one with this transport: JSON of the
   * format {@code mesh-map/1}, which docs/COMMANDS.md describes. Empty otherwise. The map is made
   * when it is read, unless nothing has changed since; its text is written at each read. What the
   * mesh keeps for it are the last map and the cables that worked.
   */
  String getMeshMap();

  /** The neighbour port of that mesh; 0 if none was joined. */
  int getMeshPort();
}
