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
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Makes groups over meshes and transports. Holds nothing; any thread may call it. */
public final class MeshGroupProvider implements GroupProvider {
  private static final long PAUSE_NS = 5_000_000;

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
      reception = Reception.open(transport, rendezvous, self, MeshGroup.OPTIONS);
    } catch (TransportException e) {
      throw GroupJoin.failure(Reason.RESOURCES, "group '" + spec.name() + "': " + e.summary(), e);
    }
    GroupMembership membership;
    try {
      List<String> names = awaitNames(spec, rendezvous, self, deadline);
      membership = new GroupMembership(spec.name(), spec.name(), 0, names, names.indexOf(self));
    } catch (CollectiveException | RuntimeException e) {
      reception.release();
      throw e;
    }
    return MeshGroup.join(reception, membership, deadline);
  }

  /** In the order of ranks, once all are there. */
  private static List<String> awaitNames(
      GroupSpec spec, Rendezvous rendezvous, String self, Deadline deadline)
      throws CollectiveException {
    while (true) {
      List<String> present = rendezvous.members();
      requireOnce(spec, present);
      if (!spec.members().isEmpty()
          ? new HashSet<>(present).containsAll(spec.members())
          : present.size() >= spec.size()) {
        return spec.members().isEmpty() ? chosen(spec, present) : spec.members();
      }
      if (deadline.leftNs() <= 0 || Thread.currentThread().isInterrupted()) {
        boolean isInterrupted = Thread.currentThread().isInterrupted();
        throw GroupJoin.failure(
            isInterrupted ? Reason.INTERRUPTED : Reason.TIMED_OUT,
            "group '"
                + spec.name()
                + "' of "
                + spec.size()
                + " members "
                + spec.members()
                + ": only "
                + present
                + " have come"
                + (isInterrupted ? ", and the thread was interrupted." : " in time."),
            null);
      }
      LockSupport.parkNanos(PAUSE_NS);
    }
  }

  private static void requireOnce(GroupSpec spec, List<String> present) throws CollectiveException {
    if (new HashSet<>(present).size() != present.size()) {
      throw GroupJoin.failure(
          Reason.UNREACHABLE,
          "group '"
              + spec.name()
              + "': two living nodes have one name, of "
              + present
              + ". Give each node a MESH_NODE of its own.",
          null);
    }
  }

  private static List<String> chosen(GroupSpec spec, List<String> present)
      throws CollectiveException {
    if (present.size() > spec.size()) {
      throw GroupJoin.failure(
          Reason.MISMATCH,
          "group '"
              + spec.name()
              + "' has "
              + spec.size()
              + " members, and these have come: "
              + present
              + ". Name the members, or give the group a name of its own.",
          null);
    }
    return present.stream().sorted().toList();
  }
}
