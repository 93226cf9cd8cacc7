// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.session.directory.Node;
import io.meshtransport.session.directory.VirtualTime;
import io.meshtransport.spi.InMemoryTransport;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.View;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a runtime knows of the members behind nodes, without a stack. */
class MeshRuntimeTest {
  private static final Address SELF = new UUID(0, 1);
  private static final Address OTHER = new UUID(0, 2);
  private static final int BUNDLE_BYTES = 64_000;

  private final MESH mesh = new MESH();
  private final RecordingLog log = new RecordingLog();
  private final GroupMembers members = new GroupMembers(mesh, log.log);
  private final InMemoryTransport other = new InMemoryTransport("other");
  private final MeshRuntime runtime;

  MeshRuntimeTest() throws Exception {
    mesh.setAddress(SELF);
    mesh.node_name = "self";
    runtime =
        new MeshRuntime(
            mesh,
            new InMemoryTransport("self"),
            BUNDLE_BYTES,
            members,
            message -> {},
            new VirtualTime(),
            log.log);
  }

  @AfterEach
  void close() {
    runtime.close();
    other.close();
  }

  /** The other node, as each of its listeners makes it known. */
  private Node node(String id, long incarnation) throws Exception {
    return new Node("198.18.0.2:4791", "other", incarnation, other.listen().handle(), id);
  }

  private void introduce(Node node) {
    runtime.onIntroduction(node, MemberAddress.write(OTHER));
    runtime.directory().introduce(node);
  }

  /** The members of a view whose process is known to have ended once this one has. */
  private List<Address> endedWith(String id) {
    runtime.onProcessEnd(runtime.session().to("198.18.0.2:4791"), id);
    return members.viewChanged(View.create(SELF, 1, SELF, OTHER));
  }

  @Test
  void shouldNoticeTheEndOfAMemberThatWasKnownByOtherAddressesBefore() throws Exception {
    String id = other.self().id();
    runtime.directory().learn(node(id, 1), "source");
    introduce(node(id, 2));
    assertEquals(List.of(OTHER), endedWith(id));
  }

  @Test
  void shouldForgetTheMemberOfAProcessThatAnotherHasReplaced() throws Exception {
    introduce(node("a former life", 1));
    runtime.directory().introduce(node(other.self().id(), 2));
    assertEquals(List.of(), endedWith("a former life"));
  }
}
