// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.GroupSpec;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.List;

/**
 * This node's place in a mesh and in the group of all shards. Opened and used by one thread, closed
 * by its opener.
 */
final class MeshMembership implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private final Transport transport;
  private final Mesh mesh;
  private final Group group;

  private MeshMembership(Transport transport, Mesh mesh, Group group) {
    this.transport = transport;
    this.mesh = mesh;
    this.group = group;
  }

  /**
   * Joins; waits until every member does.
   *
   * @param members names of the nodes, by shard
   */
  static MeshMembership join(List<String> members) throws TransportException, CollectiveException {
    Transport transport = Transport.open();
    try {
      return join(transport, members);
    } catch (TransportException | CollectiveException | RuntimeException e) {
      transport.close();
      throw e;
    }
  }

  private static MeshMembership join(Transport transport, List<String> members)
      throws TransportException, CollectiveException {
    Mesh mesh = Mesh.join(transport);
    try {
      GroupSpec spec = GroupSpec.named("jlama").members(members);
      return new MeshMembership(transport, mesh, Group.join(mesh, spec, TIMEOUT));
    } catch (CollectiveException | RuntimeException e) {
      mesh.close();
      throw e;
    }
  }

  /** Sums and tokens by the group's operations; the caller's to close, before this. */
  MeshExchange exchange() {
    return new MeshExchange(group);
  }

  /** The members and their links. */
  String describe() {
    return group.describe();
  }

  @Override
  public void close() {
    group.close();
    mesh.close();
    transport.close();
  }
}
