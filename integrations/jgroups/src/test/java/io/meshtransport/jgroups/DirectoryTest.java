package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jgroups.stack.IpAddress;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DirectoryTest {
  private static final Node SELF = Nodes.node("self", 1, 1000, "self-handle");
  private static final Node OTHER = Nodes.node("other", 2, 1000, "other-handle");

  private final RecordingLog log = new RecordingLog();
  private final Directory directory = new Directory(SELF, log.log);
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
    return directory.find(OTHER.overlay()).orElseThrow();
  }

  @Test
  void shouldKnowItself() {
    assertEquals(Optional.of(SELF), directory.find(SELF.overlay()));
    assertEquals(Optional.of(SELF), directory.withHandle(SELF.handle()));
    assertEquals(List.of(), directory.all());
  }

  @Test
  void shouldTellOfANewNodeOnce() {
    assertTrue(directory.learn(OTHER));
    assertFalse(directory.learn(OTHER));
    assertFalse(directory.meet(OTHER));
    assertFalse(directory.meet(OTHER));
    assertEquals(List.of(OTHER), news);
    assertEquals(List.of(OTHER), directory.all());
    assertEquals(Optional.of(OTHER), directory.withHandle(OTHER.handle()));
  }

  @Test
  void shouldBelieveHearsayOfANewerLifeOnly() {
    directory.learn(OTHER);
    assertFalse(directory.learn(other(999, "older")));
    assertFalse(directory.learn(other(1000, "same age")));
    assertEquals(OTHER, known());
    assertTrue(directory.learn(other(1001, "newer")));
    assertEquals(other(1001, "newer"), known());
    assertEquals(Optional.empty(), directory.withHandle(OTHER.handle()));
  }

  @Test
  void shouldBelieveWhoSpeaksWhateverItsClockSaid() {
    directory.learn(OTHER);
    assertTrue(directory.meet(other(5, "clock went back")));
    assertEquals(other(5, "clock went back"), known());
    assertFalse(directory.learn(other(4, "older")));
    assertTrue(directory.meet(other(5, "other handle")));
    assertEquals(3, news.size());
  }

  @Test
  void shouldBelieveHearsayOfANewerLifeOfWhoSpokeOnce() {
    directory.meet(OTHER);
    assertFalse(directory.learn(other(1000, "hearsay")));
    assertTrue(directory.learn(other(1001, "newer")));
    assertEquals(other(1001, "newer"), known());
  }

  @Test
  void shouldIgnoreItsOwnEchoAndItsFormerLives() {
    assertFalse(directory.learn(SELF));
    assertFalse(directory.meet(SELF));
    assertFalse(directory.learn(self(999, "former")));
    assertEquals(List.of(), directory.all());
    assertEquals(List.of(), log.lines());
  }

  @Test
  void shouldClaimALaterLifeIfOthersKnowOne() {
    assertTrue(directory.learn(self(2000, "before the clock went back")));
    Node raised = SELF.withIncarnation(2001);
    assertEquals(raised, directory.self());
    assertEquals(List.of(raised), news);
    assertEquals(Optional.of(raised), directory.find(SELF.overlay()));
    assertEquals(List.of(), directory.all());
    assertFalse(directory.learn(self(2000, "before the clock went back")));
    assertFalse(directory.learn(raised));
    assertEquals(List.of(), log.loud());
  }

  @Test
  void shouldClaimALaterLifeThanOneOfTheSameMillisecond() {
    assertTrue(directory.learn(self(1000, "former")));
    assertEquals(1001, directory.self().incarnation());
  }

  @Test
  void shouldReportASecondNodeOfItsNameOnceClaimsDoNotHelp() {
    for (int round = 0; round < 10; round++) {
      directory.learn(self(directory.self().incarnation() + 1, "namesake"));
    }
    assertEquals(3, news.size());
    assertEquals(1, log.loud().size(), log.loud().toString());
    assertTrue(log.loud().get(0).startsWith("error: Another live node"), log.loud().get(0));
  }

  @Test
  void shouldReportASecondNodeOfItsNameThatSpeaks() {
    assertFalse(directory.meet(self(5, "namesake")));
    assertFalse(directory.meet(self(2000, "namesake")));
    assertEquals(1, log.loud().size());
    assertEquals(SELF, directory.self());
  }

  @Test
  void shouldReportAnotherNodeOfItsAddressOnce() {
    Node claimant = Nodes.node("thief", 1, 2000, "thief");
    assertFalse(directory.learn(claimant));
    assertFalse(directory.meet(claimant));
    assertFalse(directory.meet(Nodes.node("second", 1, 1, "second")));
    assertEquals(2, log.loud().size());
    assertTrue(log.loud().get(0).contains("overlay_addr"), log.loud().get(0));
    assertEquals(SELF, directory.self());
    assertEquals(Optional.empty(), directory.withHandle(claimant.handle()));
  }

  @Test
  void shouldReportNoMoreClaimantsThanSixteen() {
    for (int number = 0; number < 100; number++) {
      directory.meet(Nodes.node("thief-" + number, 1, 2000, "t"));
    }
    assertEquals(16, log.loud().size());
  }

  @Test
  void shouldNotClaimBeyondTheGreatestIncarnation() {
    assertFalse(directory.learn(self(Node.MAX_INCARNATION, "liar")));
    assertEquals(SELF, directory.self());
    assertEquals(1, log.loud().size());
    assertTrue(directory.learn(self(Node.MAX_INCARNATION - 1, "liar")));
    assertEquals(Node.MAX_INCARNATION, directory.self().incarnation());
  }

  private static Node started(int number, long incarnation) {
    return Nodes.node("n" + number, number, incarnation, "h" + number);
  }

  private void fill(int met) {
    for (int number = 0; number < Directory.MAX_NODES; number++) {
      Node node = started(10 + number, 10_000 + number);
      if (number < met) {
        directory.meet(node);
      } else {
        directory.learn(node);
      }
    }
    assertEquals(Directory.MAX_NODES, directory.all().size());
    assertEquals(List.of(), log.loud());
  }

  private boolean knows(int number) {
    return directory.find(Nodes.overlay(number, Nodes.PORT)).isPresent();
  }

  @Test
  void shouldForgetTheOldestHearsayFirstWhenFull() {
    fill(10);
    assertTrue(directory.learn(started(5000, 20_000)));
    assertFalse(knows(20), "the oldest hearsay");
    assertTrue(knows(10), "the oldest that spoke");
    assertTrue(directory.meet(started(5001, 1)), "whoever speaks counts for more than hearsay");
    assertFalse(knows(21));
    assertEquals(Directory.MAX_NODES, directory.all().size());
    assertEquals(1, log.loud().size());
  }

  @Test
  void shouldRefuseANewcomerThatIsTheLeastOfAll() {
    fill(0);
    Set<Node> before = new HashSet<>(directory.all());
    assertFalse(directory.learn(started(5000, 9_999)));
    assertFalse(directory.learn(started(5000, 10_000)));
    assertEquals(before, new HashSet<>(directory.all()));
    assertEquals(1, log.loud().size());
  }

  @Test
  void shouldForgetTheOldestOfAllWhoSpokeAndNoneForHearsay() {
    fill(Directory.MAX_NODES);
    assertFalse(directory.learn(started(5000, 99_999)));
    assertTrue(directory.meet(started(5000, 99_999)));
    assertFalse(knows(10));
    assertTrue(knows(11));
    assertEquals(Directory.MAX_NODES, directory.all().size());
  }

  @Test
  void shouldTakeANewerLifeOfAKnownNodeWithoutForgettingAnother() {
    fill(0);
    assertTrue(directory.learn(started(10, 50_000)));
    assertEquals(Directory.MAX_NODES, directory.all().size());
    assertTrue(knows(11));
    assertEquals(List.of(), log.loud());
  }

  @Test
  void shouldTellWhoeverWasSucceededBeforeWhoSucceeds() {
    List<Node> told = new ArrayList<>();
    directory.onSuccession(told::add);
    directory.onChange(told::add);
    assertTrue(directory.learn(OTHER));
    Node later = other(OTHER.incarnation() + 1, "handle of a later life");
    assertTrue(directory.learn(later));
    assertFalse(directory.learn(OTHER));
    assertEquals(List.of(OTHER, OTHER, later), told);
  }

  @Test
  void shouldCallBackWithNoLockHeld() {
    List<Integer> seen = new ArrayList<>();
    directory.onChange(
        node -> {
          // Another thread gets through while the call-back runs.
          CompletableFuture<Void> elsewhere =
              CompletableFuture.runAsync(() -> directory.learn(OTHER.withIncarnation(999)));
          elsewhere.orTimeout(30, TimeUnit.SECONDS).join();
          seen.add(directory.all().size());
        });
    assertTrue(directory.learn(OTHER));
    assertEquals(List.of(1), seen);
  }

  @Test
  void shouldFindANodeByItsIpAddressIfItIsTheOnlyOneThere() {
    directory.learn(OTHER);
    assertEquals(Optional.of(OTHER), directory.find(Nodes.overlay(2, 7800)));
    assertEquals(Optional.of(SELF), directory.find(Nodes.overlay(1, 7800)));
    assertEquals(Optional.empty(), directory.find(Nodes.overlay(3, Nodes.PORT)));
  }

  @Test
  void shouldNotGuessBetweenTwoNodesOfOneIpAddress() {
    Node neighbour = new Node(Nodes.overlay(2, 4792), "neighbour", 1, new byte[] {1});
    Node atHome = new Node(Nodes.overlay(1, 4792), "at-home", 1, new byte[] {2});
    directory.learn(OTHER);
    directory.learn(neighbour);
    directory.learn(atHome);
    assertEquals(Optional.empty(), directory.find(Nodes.overlay(2, 7800)));
    assertEquals(Optional.empty(), directory.find(Nodes.overlay(1, 7800)));
    assertEquals(Optional.of(neighbour), directory.find(new IpAddress(address(2), 4792)));
    assertEquals(Optional.of(OTHER), directory.find(OTHER.overlay()));
  }

  private static InetAddress address(int number) {
    return Nodes.overlay(number, 1).getIpAddress();
  }

  @Test
  void shouldNotBelieveOthersOfANodeThatItForgotButTheNodeItself() {
    List<Node> departed = new ArrayList<>();
    directory.onDeparture(departed::add);
    directory.meet(OTHER);
    directory.forget(OTHER.handle());
    directory.forget(OTHER.handle());
    assertEquals(List.of(OTHER), departed);
    assertEquals(Optional.empty(), directory.find(OTHER.overlay()));

    assertFalse(directory.learn(OTHER));
    assertEquals(List.of(), directory.all());
    assertTrue(directory.meet(OTHER));
    directory.learn(other(1001, "newer"));
    assertEquals(other(1001, "newer"), known());
  }

  @Test
  void shouldBelieveOthersOfALaterLifeOfANodeThatItForgot() {
    directory.meet(OTHER);
    directory.forget(OTHER.handle());
    assertTrue(directory.learn(other(1001, "newer")));
  }

  @Test
  void shouldNotBelieveOthersOfANodeThatWasForgottenBeforeItWasKnown() {
    directory.forget(OTHER.handle());
    assertFalse(directory.learn(OTHER));
  }

  @Test
  void shouldRememberNoMoreForgottenNodesThanItMayKnow() {
    directory.forget(OTHER.handle());
    for (int number = 0; number < Directory.MAX_NODES; number++) {
      directory.forget(Nodes.bytes("handle " + number));
    }
    assertTrue(directory.learn(OTHER));
  }

  @Test
  void shouldTellWhoHadToMakeRoom() {
    List<Node> departed = new ArrayList<>();
    directory.onDeparture(departed::add);
    fill(Directory.MAX_NODES);
    assertEquals(List.of(), departed);
    directory.meet(Nodes.node("newcomer", 60_000, 1L << 40, "newcomer-handle"));
    assertEquals(1, departed.size());
    assertFalse(directory.all().contains(departed.get(0)));
  }
}
