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
    List<String> names = new ArrayList<>();
    names.add(mesh.self().peer().name());
    for (MeshNode each : mesh.nodes()) {
      if (!each.state().isGone() && each.services().contains(service)) {
        names.add(each.peer().name());
      }
    }
    return names;
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
