// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.Rendezvous;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The members of a group as nodes of a mesh that publish a service of its name. Any thread. */
final class MeshRendezvous implements Rendezvous {
  /** Before the group's name, in the names of services. */
  private static final String PREFIX = "group:";

  private final Mesh mesh;
  private final String service;

  MeshRendezvous(Mesh mesh, String group) {
    this.mesh = mesh;
    service = PREFIX + group;
  }

  Mesh mesh() {
    return mesh;
  }

  @Override
  public void publish(String member, byte[] handle) {
    mesh.publish(service, handle);
  }

  @Override
  public List<String> members() {
    return members(mesh.nodes());
  }

  /**
   * The names of the members.
   *
   * @param nodes the others that the mesh knows
   */
  List<String> members(List<MeshNode> nodes) {
    List<String> names = new ArrayList<>();
    names.add(mesh.self().peer().name());
    for (MeshNode each : nodes) {
      if (!each.state().isGone() && has(each)) {
        names.add(each.peer().name());
      }
    }
    return names;
  }

  /** Whether a node is a member. */
  boolean has(MeshNode node) {
    return node.services().contains(service);
  }

  /** The names of the other groups that a node is a member of, each in quotes. */
  List<String> otherGroups(MeshNode node) {
    return node.services().stream()
        .filter(each -> each.startsWith(PREFIX) && !each.equals(service))
        .map(each -> "'" + each.substring(PREFIX.length()) + "'")
        .sorted()
        .toList();
  }

  @Override
  public Optional<byte[]> handle(String member) {
    MeshNode self = mesh.self();
    return member.equals(self.peer().name())
        ? mesh.lookup(self, service)
        : mesh.lookup(member, service);
  }

  /** This node is no member any more. */
  void withdraw() {
    mesh.withdraw(service);
  }
}
