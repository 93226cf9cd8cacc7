// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import java.net.InetAddress;
import java.util.Optional;

/** Where nodes are known from: a file, a directory, the protocol of neighbours. */
@FunctionalInterface
public interface NodeHandles {
  /**
   * The current handle of a node's session. Called before each attempt to connect, on the session's
   * thread: must not block.
   *
   * @param name of the peer's session, {@link Session#name}
   * @return what {@link Session#handle} returned there; empty if the node is not known now, and
   *     then the session queries again after a pause, or at {@link PeerSession#connectNow}
   */
  Optional<byte[]> handle(String name);

  /**
   * What is known where {@link #handle} has none, and what to do about it: the end of the text of
   * that failure. The rules of {@link #handle} apply.
   *
   * @return sentences; by default where handles come from
   */
  default String whyUnknown(String name) {
    return "The NodeHandles that this session was opened with has none for that name."
        + " Give it the bytes of Session.handle() there, or open the session with SeedNodes or MeshNodes,"
        + " which find handles by addresses of a few nodes or by the mesh."
        + " Check the name (MESH_NODE there, or SessionOptions.name), and that its session is open."
        + " A node that connects to this one needs no handle here.";
  }

  /**
   * What is known of a node that has a connection, or a handle, and does not answer: the end of the
   * text of a call that timed out. The rules of {@link #handle} apply.
   *
   * @return sentences; empty if nothing is known that would keep it from answering
   */
  default String whySilent(String name) {
    return "";
  }

  /**
   * An address of that node whose subnet is tried first: the one that a person named it by. The
   * rules of {@link #handle} apply.
   */
  default Optional<InetAddress> preferredAddress(String name) {
    return Optional.empty();
  }
}
