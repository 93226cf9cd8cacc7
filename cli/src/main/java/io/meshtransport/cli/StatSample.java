// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import java.util.List;

/**
 * The channels of a process at one moment.
 *
 * @param takenNs when, on the clock of System.nanoTime
 * @param nodes the open transports
 */
record StatSample(long takenNs, List<Node> nodes) {
  /**
   * One open transport.
   *
   * @param name its setting MESH_NODE
   * @param id its node id
   */
  record Node(String name, String id, List<Channel> channels) {
    /** As texts name nodes. */
    String label() {
      String digits = id.substring(0, Math.min(8, id.length()));
      return name.isEmpty() ? digits : name + " (" + digits + ")";
    }
  }

  /**
   * One open channel.
   *
   * @param number among those of its process
   * @param direction send, receive or both
   * @param peer name and id of the peer
   * @param route address of the peer, and the local NIC
   * @param pending requests that wait for their end; -1 if the channel was busy
   * @param oldestMs age of the oldest of them; -1 if there is none, or as above
   * @param messages sent and received so far
   * @param bytes sent and received so far
   * @param failure empty unless it has failed
   */
  record Channel(
      long number,
      String direction,
      String peer,
      String route,
      String state,
      int pending,
      long oldestMs,
      long messages,
      long bytes,
      String failure) {}
}
