// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.Rendezvous;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The members that have come to a rendezvous: the handle of each, and how many members it expects,
 * which is why members that expect different groups learn of it before they connect. Any thread.
 *
 * <pre>
 *   0        1
 *  +--------+---------------------+
 *  |  size  |  handle ...         |   u8; 0 and no handle once the member has left
 *  +--------+---------------------+
 * </pre>
 */
final class Roster {
  private static final byte LEFT = 0;

  private final Rendezvous rendezvous;
  private final String self;
  private final int size;

  /** Replaced as a whole; null before the first. */
  private volatile byte[] published;

  /**
   * @param size of the group that this member expects
   */
  Roster(Rendezvous rendezvous, String self, int size) {
    this.rendezvous = rendezvous;
    this.self = self;
    this.size = size;
  }

  String self() {
    return self;
  }

  /** The mesh by which the members find each other, if they do. */
  Optional<MeshRendezvous> mesh() {
    return rendezvous instanceof MeshRendezvous mesh ? Optional.of(mesh) : Optional.empty();
  }

  /** The names of all nodes of the mesh, members or not; empty without a mesh. */
  List<String> nodes() {
    return mesh().stream()
        .flatMap(each -> each.mesh().nodes().stream())
        .map(each -> each.peer().name())
        .toList();
  }

  void publish(byte[] handle) {
    published = ByteBuffer.allocate(1 + handle.length).put((byte) size).put(handle).array();
    rendezvous.publish(self, published);
  }

  /** A mesh forgets its member; elsewhere it is marked. One that has come anew since stays. */
  void leave() {
    Optional<byte[]> now = rendezvous.handle(self);
    if (now.isPresent() && !Arrays.equals(now.get(), published)) {
      return;
    }
    mesh()
        .ifPresentOrElse(
            MeshRendezvous::withdraw, () -> rendezvous.publish(self, new byte[] {LEFT}));
  }

  /** The names of those that have come and not left, this one included, in any order. */
  List<String> present() {
    return rendezvous.members().stream().filter(each -> expected(each) != LEFT).toList();
  }

  /** A name that two nodes of a mesh have can be looked up by none. */
  private int expected(String member) {
    return rendezvous
        .handle(member)
        .filter(each -> each.length > 0)
        .map(each -> each[0] & 0xFF)
        .orElse(size);
  }

  /** The handle of a member, as it is known now; empty for one that has not come, or left. */
  Optional<byte[]> handle(String member) {
    return rendezvous
        .handle(member)
        .filter(each -> each.length > 0 && each[0] != LEFT)
        .map(each -> ByteBuffer.allocate(each.length - 1).put(each, 1, each.length - 1).array());
  }

  /** Those of some members that expect another number of them than this one, in words. */
  List<String> mismatches(List<String> members) {
    return members.stream()
        .filter(each -> expected(each) != LEFT && expected(each) != size)
        .map(each -> each + " joins " + expected(each))
        .toList();
  }
}
