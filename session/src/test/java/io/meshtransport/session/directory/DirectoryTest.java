// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Also tests {@link DirectoryEntry}, {@link DirectoryListeners}, {@link NodeTable} and {@link
 * SelfClaim}.
 */
@Timeout(60)
class DirectoryTest {
  private static final Node SELF = Nodes.node("self", 1, 1000, "self-handle");
  private static final Node OTHER = Nodes.node("other", 2, 1000, "other-handle");

  private final RecordingLogger log = new RecordingLogger();
  private final Directory directory = Nodes.directory(SELF, log.log);
  private final List<Node> news = new ArrayList<>();

  @BeforeEach
  void listen() {
    directory.onChange(news::add);
  }

  private static Node self(long incarnation, String handle) {
    return Nodes.node("self", 1, incarnation, handle);
  }

  private static Node other(long incarnation, String handle) {
    return Nodes.node("other", 2, incarnation, handle);
  }

  private Node known() {
    return directory.find(OTHER.name()).orElseThrow();
  }

  @Test
  void shouldKnowItself() {
    assertEquals(Optional.of(SELF), directory.find(SELF.name()));
    assertEquals(Optional.of(SELF), directory.withHandle(SELF.handle()));
    assertEquals(List.of(), directory.all());
  }

  @Test
  void shouldReportANewNodeOnce() {
    assertTrue(Nodes.learn(directory, OTHER));
    assertFalse(Nodes.learn(directory, OTHER));
    assertTrue(directory.introduce(OTHER), "now it is more than gossip");
    assertFalse(directory.introduce(OTHER));
    assertEquals(List.of(OTHER, OTHER), news);
    assertEquals(List.of(OTHER), directory.all());
    assertEquals(Optional.of(OTHER), directory.withHandle(OTHER.handle()));
  }

  @Test
  void shouldAcceptGossipOfANewerIncarnationOnly() {
    Nodes.learn(directory, OTHER);
    assertFalse(Nodes.learn(directory, other(999, "older")));
    assertFalse(Nodes.learn(directory, other(1000, "same age")));
    assertEquals(OTHER, known());
    assertTrue(Nodes.learn(directory, other(1001, "newer")));
    assertEquals(other(1001, "newer"), known());
    assertEquals(Optional.empty(), directory.withHandle(OTHER.handle()));
  }

  @Test
  void shouldAcceptAnIntroductionWhateverItsClock() {
    Nodes.learn(directory, OTHER);
    assertTrue(directory.introduce(other(5, "clock went back")));
    assertEquals(other(5, "clock went back"), known());
    assertFalse(Nodes.learn(directory, other(4, "older")));
    assertTrue(directory.introduce(other(5, "other handle")));
    assertEquals(3, news.size());
  }

  @Test
  void shouldAcceptGossipOfANewerIncarnationOfAnIntroducedNode() {
    directory.introduce(OTHER);
    assertFalse(Nodes.learn(directory, other(1000, "gossip")));
    assertTrue(Nodes.learn(directory, other(1001, "newer")));
    assertEquals(other(1001, "newer"), known());
  }

  @Test
  void shouldIgnoreItsOwnEchoAndItsFormerLives() {
    assertFalse(Nodes.learn(directory, SELF));
    assertFalse(directory.introduce(SELF));
    assertFalse(Nodes.learn(directory, self(999, "former")));
    assertEquals(List.of(), directory.all());
    assertEquals(List.of(), log.lines());
  }

  @Test
  void shouldClaimALaterLifeIfOthersKnowOne() {
    assertTrue(Nodes.learn(directory, self(2000, "before the clock went back")));
    Node raised = SELF.withIncarnation(2001);
    assertEquals(raised, directory.self());
    assertEquals(List.of(raised), news);
    assertEquals(Optional.of(raised), directory.find(SELF.name()));
    assertEquals(List.of(), directory.all());
    assertFalse(Nodes.learn(directory, self(2000, "before the clock went back")));
    assertFalse(Nodes.learn(directory, raised));
    assertEquals(List.of(), log.loud());
  }

  @Test
  void shouldClaimALaterLifeThanOneOfTheSameMillisecond() {
    assertTrue(Nodes.learn(directory, self(1000, "former")));
    assertEquals(1001, directory.self().incarnation());
  }

  @Test
  void shouldReportASecondNodeOfItsNameOnceClaimsDoNotHelp() {
    for (int round = 0; round < 10; round++) {
      Nodes.learn(directory, self(directory.self().incarnation() + 1, "namesake"));
    }
    assertEquals(3, news.size());
    assertEquals(1, log.loud().size(), log.loud().toString());
    assertTrue(log.loud().get(0).startsWith("error: Another live node"), log.loud().get(0));
  }

  @Test
  void shouldReportASecondNodeOfItsNameThatSpeaks() {
    assertFalse(directory.introduce(self(5, "namesake")));
    assertFalse(directory.introduce(self(2000, "namesake")));
    assertEquals(1, log.loud().size());
    assertEquals(SELF, directory.self());
  }

  @Test
  void shouldReportAnotherNodeOfItsAddressOnce() {
    Node claimant = Nodes.node("thief", 1, 2000, "thief");
    assertFalse(Nodes.learn(directory, claimant));
    assertFalse(directory.introduce(claimant));
    assertFalse(directory.introduce(Nodes.node("second", 1, 1, "second")));
    assertEquals(2, log.loud().size());
    assertTrue(log.loud().get(0).endsWith(Nodes.REMEDY), log.loud().get(0));
    assertEquals(SELF, directory.self());
    assertEquals(Optional.empty(), directory.withHandle(claimant.handle()));
  }

  @Test
  void shouldReportNoMoreClaimantsThanSixteen() {
    for (int number = 0; number < 100; number++) {
      directory.introduce(Nodes.node("thief-" + number, 1, 2000, "t"));
    }
    assertEquals(16, log.loud().size());
  }

  @Test
  void shouldNotClaimBeyondTheGreatestIncarnation() {
    assertFalse(Nodes.learn(directory, self(Node.MAX_INCARNATION, "liar")));
    assertEquals(SELF, directory.self());
    assertEquals(1, log.loud().size());
    assertTrue(Nodes.learn(directory, self(Node.MAX_INCARNATION - 1, "liar")));
    assertEquals(Node.MAX_INCARNATION, directory.self().incarnation());
  }

  private static Node started(int number, long incarnation) {
    return Nodes.node("n" + number, number, incarnation, "h" + number);
  }

  private void fill(int met) {
    for (int number = 0; number < Directory.MAX_NODES; number++) {
      Node node = started(10 + number, 10_000 + number);
      if (number < met) {
        directory.introduce(node);
      } else {
        Nodes.learn(directory, node);
      }
    }
    assertEquals(Directory.MAX_NODES, directory.all().size());
    assertEquals(List.of(), log.loud());
  }

  private boolean knows(int number) {
    return directory.find(Nodes.name(number, Nodes.PORT)).isPresent();
  }

  @Test
  void shouldRemoveTheOldestGossipFirstWhenFull() {
    fill(10);
    assertTrue(Nodes.learn(directory, started(5000, 20_000)));
    assertFalse(knows(20), "the oldest gossip");
    assertTrue(knows(10), "the oldest that spoke");
    assertTrue(directory.introduce(started(5001, 1)), "whoever speaks counts for more than gossip");
    assertFalse(knows(21));
    assertEquals(Directory.MAX_NODES, directory.all().size());
    assertEquals(1, log.loud().size());
  }

  @Test
  void shouldRefuseANewcomerThatIsTheLeastOfAll() {
    fill(0);
    Set<Node> before = new HashSet<>(directory.all());
    assertFalse(Nodes.learn(directory, started(5000, 9_999)));
    assertFalse(Nodes.learn(directory, started(5000, 10_000)));
    assertEquals(before, new HashSet<>(directory.all()));
    assertEquals(1, log.loud().size());
  }

  @Test
  void shouldRemoveTheOldestIntroducedNodeAndNoneForGossip() {
    fill(Directory.MAX_NODES);
    assertFalse(Nodes.learn(directory, started(5000, 99_999)));
    assertTrue(directory.introduce(started(5000, 99_999)));
    assertFalse(knows(10));
    assertTrue(knows(11));
    assertEquals(Directory.MAX_NODES, directory.all().size());
  }

  @Test
  void shouldReplaceAKnownNodeByANewerIncarnationWithoutRemovingAnother() {
    fill(0);
    assertTrue(Nodes.learn(directory, started(10, 50_000)));
    assertEquals(Directory.MAX_NODES, directory.all().size());
    assertTrue(knows(11));
    assertEquals(List.of(), log.loud());
  }

  @Test
  void shouldReportTheFormerIncarnationBeforeTheNewOne() {
    List<Node> told = new ArrayList<>();
    directory.onReplacement(told::add);
    directory.onChange(told::add);
    assertTrue(Nodes.learn(directory, OTHER));
    Node later = other(OTHER.incarnation() + 1, "handle of a later life");
    assertTrue(Nodes.learn(directory, later));
    assertFalse(Nodes.learn(directory, OTHER));
    assertEquals(List.of(OTHER, OTHER, later), told);
  }

  @Test
  void shouldCallBackWithoutALock() {
    List<Integer> seen = new ArrayList<>();
    directory.onChange(
        node -> {
          // Another thread gets through while the call-back runs.
          CompletableFuture<Void> elsewhere =
              CompletableFuture.runAsync(() -> Nodes.learn(directory, OTHER.withIncarnation(999)));
          elsewhere.orTimeout(30, TimeUnit.SECONDS).join();
          seen.add(directory.all().size());
        });
    assertTrue(Nodes.learn(directory, OTHER));
    assertEquals(List.of(1), seen);
  }

  @Test
  void shouldRejectGossipOfARemovedNodeButAcceptItsIntroduction() {
    List<Node> departed = new ArrayList<>();
    directory.onRemoval(departed::add);
    directory.introduce(OTHER);
    directory.remove(OTHER.id());
    directory.remove(OTHER.id());
    assertEquals(List.of(OTHER), departed);
    assertEquals(Optional.empty(), directory.find(OTHER.name()));

    assertFalse(Nodes.learn(directory, OTHER));
    assertEquals(List.of(), directory.all());
    assertTrue(directory.introduce(OTHER));
    Nodes.learn(directory, other(1001, "newer"));
    assertEquals(other(1001, "newer"), known());
  }

  @Test
  void shouldAcceptGossipOfALaterIncarnationOfARemovedNode() {
    directory.introduce(OTHER);
    directory.remove(OTHER.id());
    assertTrue(Nodes.learn(directory, other(1001, "newer")));
  }

  @Test
  void shouldRejectGossipOfANodeThatWasRemovedBeforeItWasKnown() {
    directory.remove(OTHER.id());
    assertFalse(Nodes.learn(directory, OTHER));
  }

  @Test
  void shouldRememberNoMoreRemovedNodesThanItMayKnow() {
    directory.remove(OTHER.id());
    for (int number = 0; number < Directory.MAX_NODES; number++) {
      directory.remove("handle " + number);
    }
    assertTrue(Nodes.learn(directory, OTHER));
  }

  @Test
  void shouldReportWhichNodeWasEvicted() {
    List<Node> departed = new ArrayList<>();
    directory.onRemoval(departed::add);
    fill(Directory.MAX_NODES);
    assertEquals(List.of(), departed);
    directory.introduce(Nodes.node("newcomer", 60_000, 1L << 40, "newcomer-handle"));
    assertEquals(1, departed.size());
    assertFalse(directory.all().contains(departed.get(0)));
  }

  private List<Node> reported() {
    List<Node> told = new ArrayList<>();
    for (byte[] message : directory.messages(DirectoryMessage.MIN_MESSAGE_BYTES)) {
      try {
        told.addAll(DirectoryMessage.decode(ByteBuffer.wrap(message), Nodes::id).others());
      } catch (ProtocolException e) {
        throw new AssertionError(e);
      }
    }
    return told;
  }

  @Test
  void shouldReportToOthersOnlyIntroducedNodes() {
    Nodes.learn(directory, OTHER);
    directory.markReached(OTHER.id());
    directory.introduce(started(3, 1000));
    assertEquals(List.of(started(3, 1000)), reported());
    directory.introduce(OTHER);
    assertEquals(Set.of(OTHER, started(3, 1000)), Set.copyOf(reported()));
  }

  @Test
  void shouldAcceptNoMoreGossipFromOneNodeThanItsBound() {
    for (int number = 0; number < 1000; number++) {
      directory.learn(started(10 + number, 1000), "outsider");
    }
    assertEquals(Directory.MAX_GOSSIP_PER_SOURCE, directory.all().size());
    assertTrue(directory.learn(started(5000, 1000), "another"));
    directory.introduce(started(10, 1000));
    assertTrue(directory.learn(started(5001, 1000), "outsider"), "one of its nodes was met");
  }

  @Test
  void shouldRemoveGossipWithItsLastSource() {
    List<Node> departed = new ArrayList<>();
    directory.onRemoval(departed::add);
    for (int number = 10; number < 15; number++) {
      directory.learn(started(number, 1000), "outsider");
    }
    directory.learn(started(11, 1000), "another");
    directory.introduce(started(12, 1000));
    directory.markReached("h13");
    assertTrue(directory.removeSource("outsider", node -> node.id().equals("h14")));
    assertEquals(List.of(started(10, 1000)), departed);
    assertFalse(directory.removeSource("outsider", node -> false));
    assertEquals(List.of(started(10, 1000), started(14, 1000)), departed);
    directory.removeSource("another", node -> false);
    assertEquals(3, departed.size());
    // It was not met: others may be right later.
    assertTrue(directory.learn(started(10, 1000), "another"));
  }

  @Test
  void shouldChangeNothingByGossipOfANodeWithALink() {
    Directory linked = Nodes.directory(SELF, Set.of(OTHER.id()), log.log);
    linked.introduce(OTHER);
    assertFalse(Nodes.learn(linked, other(9999, "thief")));
    assertFalse(Nodes.learn(linked, other(9999, "other-handle@elsewhere")));
    assertEquals(Optional.of(OTHER), linked.find(OTHER.name()));
    assertTrue(linked.introduce(other(9999, "other-handle@elsewhere")), "it says so itself");
  }

  @Test
  void shouldKnowOneProcessByOneNameOnly() {
    directory.introduce(OTHER);
    Node elsewhere = Nodes.node("thief", 7, 5000, OTHER.id());
    assertFalse(Nodes.learn(directory, elsewhere));
    assertFalse(directory.introduce(elsewhere));
    assertEquals(Optional.of(OTHER), directory.withId(OTHER.id()));
  }

  @Test
  void shouldStayTheSameNodeAtOtherAddresses() {
    directory.introduce(OTHER);
    List<Node> former = new ArrayList<>();
    Node moved = other(1001, "other-handle@elsewhere");
    List<Optional<Node>> now = new ArrayList<>();
    directory.onReplacement(
        each -> {
          former.add(each);
          now.add(directory.withId(each.id()));
        });
    assertTrue(directory.introduce(moved));
    assertEquals(List.of(Optional.of(moved)), now, "the same process is still known");
    assertTrue(directory.isIntroduced(OTHER.id()));
    assertEquals(Optional.of(moved), directory.withHandle(OTHER.handle()));
    assertEquals(List.of(moved), directory.all());
    assertEquals(List.of(OTHER), former);
  }

  @Test
  void shouldSayItsNewAddressesWithANewerIncarnation() {
    directory.updateHandle(SELF.handle(), 5000);
    assertEquals(List.of(), news);
    directory.updateHandle(Nodes.bytes("self-handle@elsewhere"), 5000);
    assertEquals(5000, directory.self().incarnation());
    directory.updateHandle(Nodes.bytes("self-handle@back"), 4000);
    assertEquals(5001, directory.self().incarnation(), "the clock went back");
    assertEquals(List.of("self", "self"), news.stream().map(Node::label).toList());
    assertEquals(Optional.of(directory.self()), directory.withHandle(SELF.handle()));
  }

  @Test
  void shouldConfirmANodeOnce() {
    List<Node> confirmed = new ArrayList<>();
    directory.onConfirmation(confirmed::add);
    Nodes.learn(directory, OTHER);
    assertEquals(List.of(), directory.confirmed());
    directory.markReached(OTHER.id());
    directory.markReached(OTHER.id());
    directory.introduce(OTHER);
    assertEquals(List.of(OTHER), confirmed);
    assertEquals(List.of(OTHER), directory.confirmed());
    directory.introduce(other(1, "anew"));
    assertEquals(2, confirmed.size(), "another life");
  }
}
