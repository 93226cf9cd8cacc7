// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How the members of a group find each other where there is no {@link io.meshtransport.spi.Mesh}:
 * each publishes the handle of its listener, and reads those of the others. What is published says
 * more than where the listener is, and means something to this library alone. A member that leaves
 * publishes that, unless its name has been published anew since. The caller's to close, if it can
 * be closed, after the groups. Any thread may call it.
 *
 * <p>Serves one group at a time: a member that joins anew under its name replaces its earlier
 * group, which is to be closed soon, for it publishes again when this node's addresses change.
 */
public interface Rendezvous {
  /**
   * Makes this member's handle known, or changes it.
   *
   * @param member this member's name
   * @param handle at most 513 bytes
   */
  void publish(String member, byte[] handle);

  /** The names of the members that have published, this one included, in any order. */
  List<String> members();

  /** The handle of a member, as it is known now. Never blocks; empty if it has not published. */
  Optional<byte[]> handle(String member);

  /** For members that all are in this process, each with the same object. */
  static Rendezvous inProcess() {
    ConcurrentHashMap<String, byte[]> handles = new ConcurrentHashMap<>();
    return new Rendezvous() {
      @Override
      public void publish(String member, byte[] handle) {
        handles.put(member, handle.clone());
      }

      @Override
      public List<String> members() {
        return List.copyOf(handles.keySet());
      }

      @Override
      public Optional<byte[]> handle(String member) {
        return Optional.ofNullable(handles.get(member)).map(byte[]::clone);
      }
    };
  }
}
