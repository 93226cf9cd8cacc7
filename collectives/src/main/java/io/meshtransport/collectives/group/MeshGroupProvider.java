// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.GroupProvider;
import io.meshtransport.collectives.GroupSpec;
import io.meshtransport.collectives.Rendezvous;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.List;

/** Makes groups over meshes and transports. Holds nothing; any thread may call it. */
public final class MeshGroupProvider implements GroupProvider {
  @Override
  public Group join(Mesh mesh, GroupSpec spec, Duration timeout) throws CollectiveException {
    String self = mesh.self().peer().name();
    if (!spec.member().isEmpty() && !spec.member().equals(self)) {
      throw new IllegalArgumentException(
          "the member is named '" + spec.member() + "' and the mesh's node '" + self + "'");
    }
    return join(mesh.transport(), spec, new MeshRendezvous(mesh, spec.name()), self, timeout);
  }

  @Override
  public Group join(Transport transport, GroupSpec spec, Rendezvous rendezvous, Duration timeout)
      throws CollectiveException {
    String self = spec.member().isEmpty() ? transport.self().name() : spec.member();
    return join(transport, spec, rendezvous, self, timeout);
  }

  private static Group join(
      Transport transport, GroupSpec spec, Rendezvous rendezvous, String self, Duration timeout)
      throws CollectiveException {
    if (spec.size() == 0) {
      throw new IllegalArgumentException(
          "the group '" + spec.name() + "' has no size: give it one, or its members");
    }
    if (!spec.members().isEmpty() && !spec.members().contains(self)) {
      throw new IllegalArgumentException(
          "this member, '" + self + "', is not among " + spec.members());
    }
    Deadline deadline = Deadline.after(timeout);
    Reception reception;
    try {
      Roster roster = new Roster(rendezvous, self, spec.size());
      reception = Reception.open(transport, roster, MeshGroup.OPTIONS.unlisted());
    } catch (TransportException e) {
      throw GroupJoin.failure(Reason.RESOURCES, "group '" + spec.name() + "': " + e.summary(), e);
    }
    MemberNews news = new MemberNews(reception.mesh());
    JoinLog log = new JoinLog(MemberArrival.describe(spec), System::nanoTime);
    GroupMembership membership;
    try {
      List<String> names = new MemberArrival(spec, reception.roster(), news, log).await(deadline);
      membership = new GroupMembership(spec.name(), spec.name(), 0, names, names.indexOf(self));
    } catch (CollectiveException | RuntimeException e) {
      reception.release();
      throw e;
    }
    return MeshGroup.join(reception, membership, MemberLives.ANY, news, log, deadline);
  }
}
