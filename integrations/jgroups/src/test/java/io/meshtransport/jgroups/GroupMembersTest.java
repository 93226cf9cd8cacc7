// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.View;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.VERIFY_SUSPECT;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.stack.Protocol;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.Test;

class GroupMembersTest {
  private static final Address SELF = new UUID(0, 1);
  private static final Address OTHER = new UUID(0, 2);
  private static final Address OUTSIDER = new UUID(0, 3);

  /** The protocol above the transport. */
  private static final class Above extends Protocol {
    final List<Collection<Address>> suspected = new ArrayList<>();

    @Override
    public Object up(Event event) {
      assertEquals(Event.SUSPECT, event.getType());
      suspected.add(event.getArg());
      return null;
    }
  }

  private final Above above = new Above();
  private final MESH mesh = new MESH();
  private final RecordingLog log = new RecordingLog();
  private final GroupMembers group = new GroupMembers(mesh, log.log);

  GroupMembersTest() {
    mesh.setAddress(SELF);
    mesh.setUpProtocol(above);
    group.viewChanged(View.create(SELF, 1, SELF, OTHER));
  }

  private static boolean areVerified(Protocol... stack) {
    Protocol below = new MESH();
    MESH lowest = (MESH) below;
    for (Protocol next : stack) {
      below.setUpProtocol(next);
      below = next;
    }
    return GroupMembers.areSuspectsVerified(lowest);
  }

  @Test
  void shouldPassASuspicionUpInAListThatMayBeChanged() {
    group.suspect(OTHER);
    assertEquals(1, group.suspicions());
    Collection<Address> suspects = above.suspected.get(0);
    assertTrue(suspects.remove(OTHER) && suspects.isEmpty());
  }

  @Test
  void shouldSuspectNeitherItselfNorWhoIsNoMember() {
    group.suspect(SELF);
    group.suspect(OUTSIDER);
    group.viewChanged(View.create(SELF, 2, SELF));
    group.suspect(OTHER);
    assertEquals(List.of(), above.suspected);
    assertEquals(0, group.suspicions());
  }

  @Test
  void shouldSuspectNoMemberOfAGroupThatItLeftUntilTheNextView() {
    group.left();
    assertFalse(group.has(OTHER));
    group.suspect(OTHER);
    assertEquals(List.of(), above.suspected);
    group.viewChanged(View.create(SELF, 2, SELF, OTHER));
    group.suspect(OTHER);
    assertEquals(1, above.suspected.size());
  }

  @Test
  void shouldKnowWhoWasAMemberAndIsNoMore() {
    assertFalse(group.hasLeft(OTHER));
    group.viewChanged(View.create(SELF, 2, SELF));
    group.viewChanged(View.create(SELF, 3, SELF, new UUID(0, 4)));
    assertTrue(group.hasLeft(OTHER));
    assertFalse(group.hasLeft(OUTSIDER));
    group.viewChanged(View.create(SELF, 4, SELF, OTHER));
    assertFalse(group.hasLeft(OTHER));
  }

  @Test
  void shouldSuspectAgainButSayItOnce() {
    group.suspect(OTHER);
    group.suspect(OTHER);
    assertEquals(2, above.suspected.size());
    assertEquals(1, log.lines().size(), log.lines()::toString);
  }

  @Test
  void shouldKnowWhetherTheStackChecksSuspicions() {
    assertTrue(areVerified(new FD_ALL3(), new VERIFY_SUSPECT2()));
    assertTrue(areVerified(new FD_ALL3(), new VERIFY_SUSPECT()));
    assertFalse(areVerified(new FD_ALL3()));
    assertFalse(areVerified());
  }

  @Test
  void shouldNameTheMembersOfALaterViewWhoseProcessHasEnded() {
    group.processEnded(OUTSIDER);
    assertEquals(List.of(), group.viewChanged(View.create(SELF, 2, SELF, OTHER)));
    assertEquals(List.of(OUTSIDER), group.viewChanged(View.create(SELF, 3, SELF, OTHER, OUTSIDER)));
    group.left();
    assertEquals(List.of(), group.viewChanged(View.create(SELF, 4, SELF, OUTSIDER)));
  }
}
