// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.config.VerdictDelay;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.Peer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@link Namesakes} of node {@code a}. */
class NamesakesTest {
  private static final MeshNode SELF = node("a", "1", MeshNodeState.ALIVE, "eth0 10.0.1.1");
  private static final long MS = 1_000_000;

  private final Namesakes namesakes = new Namesakes();

  private static MeshNode node(String name, String id, MeshNodeState state, String... interfaces) {
    return new MeshNode(new Peer(name, id), 1, state, "", Set.of(), List.of(interfaces));
  }

  private Optional<String> proved(long nowNs) {
    return namesakes.proved(Set.of("a", "b"), nowNs);
  }

  @Test
  void shouldProveWhatLastsFromTheLastThatCame() {
    MeshNode one = node("b", "2", MeshNodeState.ALIVE);
    MeshNode other = node("b", "3", MeshNodeState.STUCK);
    namesakes.note(SELF, List.of(one, other), 0);
    assertEquals(Set.of("b"), namesakes.names());
    namesakes.note(SELF, List.of(one, other, node("b", "4", MeshNodeState.ALIVE)), MS);
    assertEquals(Optional.empty(), proved(VerdictDelay.MAX_NS));
    namesakes.note(SELF, List.of(one, other), 2 * MS);
    assertEquals(List.of(one, other), namesakes.of("b"));
    assertEquals(Optional.of("b"), proved(VerdictDelay.MAX_NS + MS));
    assertEquals(
        Optional.empty(), namesakes.proved(Set.of("a"), VerdictDelay.MAX_NS + MS), "not asked for");
  }

  @Test
  void shouldNotCountANodeOutOfReach() {
    namesakes.note(
        SELF,
        List.of(node("b", "2", MeshNodeState.ALIVE), node("b", "3", MeshNodeState.UNREACHABLE)),
        0);
    assertEquals(Set.of(), namesakes.names());
  }

  @ParameterizedTest
  @EnumSource(names = {"PROCESS_GONE", "NODE_GONE", "UNREACHABLE"})
  void shouldTakeOneThatIsJudgedForAnEarlierLife(MeshNodeState verdict) {
    String elsewhere = "eth0 10.0.1.2";
    namesakes.note(SELF, List.of(node("a", "2", MeshNodeState.ALIVE, elsewhere)), 0);
    namesakes.note(SELF, List.of(node("a", "2", verdict, elsewhere)), 1000 * MS);
    assertEquals(Set.of(), namesakes.names());
    assertEquals(Optional.empty(), proved(Long.MAX_VALUE));
  }

  @Test
  void shouldProveThatATwinOfThisNodeLeftOnAnotherHost() {
    MeshNode twin = node("a", "2", MeshNodeState.ALIVE, "eth0 10.0.1.2");
    namesakes.note(SELF, List.of(twin), 0);
    assertEquals(Optional.empty(), proved(0));
    namesakes.note(SELF, List.of(), MS);
    assertEquals(Optional.of("a"), proved(MS));
    namesakes.note(SELF, List.of(), 2 * MS);
    assertEquals(List.of(SELF, twin), namesakes.of("a"));
  }

  /** A supervisor may start the next process before the one before it has left. */
  @Test
  void shouldNotProveThatATwinOfThisHostLeft() {
    MeshNode before = node("a", "2", MeshNodeState.ALIVE, "eth0 10.0.1.1", "eth1 10.0.9.1");
    namesakes.note(SELF, List.of(before), 0);
    namesakes.note(SELF, List.of(node("a", "2", MeshNodeState.LEFT)), 2000 * MS);
    assertEquals(Set.of(), namesakes.names());
    assertEquals(Optional.empty(), proved(Long.MAX_VALUE));
  }

  /** Its last record may have been on its way. */
  @Test
  void shouldProveThatATwinWithoutAddressesLeftIfItWasThereForLong() {
    MeshNode before = node("a", "2", MeshNodeState.ALIVE);
    namesakes.note(SELF, List.of(before), 0);
    namesakes.note(SELF, List.of(node("a", "2", MeshNodeState.LEFT)), 100 * MS);
    assertEquals(Optional.empty(), proved(Long.MAX_VALUE));
    namesakes.note(SELF, List.of(before), 1000 * MS);
    namesakes.note(SELF, List.of(node("a", "2", MeshNodeState.LEFT)), 1600 * MS);
    assertEquals(Optional.of("a"), proved(1600 * MS));
  }

  /** Another node cannot know: it may be one that was started again. */
  @Test
  void shouldNotProveThatTwoOthersHadOneName() {
    namesakes.note(
        SELF, List.of(node("b", "2", MeshNodeState.ALIVE), node("b", "3", MeshNodeState.ALIVE)), 0);
    namesakes.note(SELF, List.of(node("b", "3", MeshNodeState.ALIVE)), 1000 * MS);
    assertEquals(Optional.empty(), proved(Long.MAX_VALUE));
  }
}
