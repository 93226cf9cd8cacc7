// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.logging.log4j.Logger;
import org.junit.jupiter.api.Test;

/** Also tests {@link AwaitedIntroductions} and {@link SeedStatus}. */
class SeedsTest {
  private static final Node SELF = Nodes.node(1);
  private static final Node NODE = Nodes.node(2);
  private static final InetSocketAddress THERE = ScriptedPeers.at(2);
  private static final List<Seed> ONE = List.of(new Seed("10.77.1.2", Nodes.PORT));

  private final VirtualTime time = new VirtualTime();
  private final ScriptedPeers peers = new ScriptedPeers(time);
  private final RecordingLogger log = new RecordingLogger();
  private final Directory directory = Nodes.directory(SELF, log.log);
  private final List<String> found = new ArrayList<>();
  private final Seeds seeds = new Seeds(directory, peers, this::found, time, log.log);

  private void found(InetSocketAddress address, byte[] handle) {
    found.add(SeedQueries.text(address) + " " + new String(handle, StandardCharsets.UTF_8));
  }

  private List<Long> queriedAtMs() {
    return peers.asked.stream().map(line -> Long.valueOf(line.split(" ")[0])).toList();
  }

  private static TransportException failure(CompletableFuture<?> promise) {
    assertTrue(promise.isDone());
    ExecutionException failed = assertThrows(ExecutionException.class, promise::get);
    return (TransportException) failed.getCause();
  }

  @Test
  void shouldQueryMoreAndMoreSlowlyUntilANodeAnswers() {
    seeds.start(ONE);
    time.pass(10_000);
    assertEquals(List.of(0L, 200L, 600L, 1_400L, 3_000L, 5_000L, 7_000L, 9_000L), queriedAtMs());
    assertEquals(1, seeds.unanswered());
    assertEquals(List.of(), found);
  }

  @Test
  void shouldGoOnQueryingThoughTheHandlerOfAnAnswerAndItsReportFail() {
    Logger failing =
        (Logger)
            Proxy.newProxyInstance(
                Logger.class.getClassLoader(),
                new Class<?>[] {Logger.class},
                (proxy, method, arguments) -> {
                  throw new InternalError("in this test");
                });
    Seeds scarce =
        new Seeds(
            directory,
            peers,
            (address, handle) -> {
              throw new InternalError("in this test");
            },
            time,
            failing);
    peers.answer(THERE, NODE.handle());
    scarce.start(ONE);
    time.pass(1_000);
    assertEquals(List.of(0L, 200L, 600L), queriedAtMs());
  }

  @Test
  void shouldQuerySeveralSeedsEachAtItsOwnPace() {
    peers.answer(THERE, NODE.handle());
    directory.introduce(NODE);
    seeds.start(Seed.parse("10.77.1.2,10.77.1.3", Nodes.PORT));
    time.pass(500);
    assertEquals(
        List.of("0 10.77.1.2:4791", "0 10.77.1.3:4791", "200 10.77.1.3:4791"), peers.asked);
    assertEquals(1, seeds.unanswered());
  }

  @Test
  void shouldReportTheAnswerUntilItsNodeIsKnownAndThenQueryNoMore() {
    peers.answer(THERE, NODE.handle());
    seeds.start(ONE);
    time.pass(700);
    assertEquals(
        List.of("10.77.1.2:4791 handle-2", "10.77.1.2:4791 handle-2", "10.77.1.2:4791 handle-2"),
        found);
    assertEquals(1, seeds.unanswered());
    directory.introduce(NODE);
    assertEquals(0, seeds.unanswered());
    time.pass(60_000);
    assertEquals(3, peers.asked.size());
    assertEquals(3, found.size());
    assertEquals(0, seeds.unanswered());
  }

  @Test
  void shouldRecogniseItselfAndQueryNoMore() {
    peers.answer(THERE, SELF.handle());
    seeds.start(ONE);
    time.pass(60_000);
    assertEquals(List.of(0L), queriedAtMs());
    assertEquals(List.of(), found);
    assertEquals(0, seeds.unanswered());
  }

  @Test
  void shouldGoOnQueryingForANodeKnownByGossipAlone() {
    Nodes.learn(directory, NODE);
    peers.answer(THERE, NODE.handle());
    seeds.start(ONE);
    time.pass(100);
    assertEquals(1, found.size());
    assertEquals(1, seeds.unanswered());
    directory.introduce(NODE);
    assertEquals(0, seeds.unanswered());
  }

  @Test
  void shouldQueryAgainAtOnceWhenCablesHaveChanged() {
    seeds.start(Seed.parse("10.77.1.2,10.77.1.3", Nodes.PORT));
    CompletableFuture<byte[]> stuck = peers.keepWaiting(ScriptedPeers.at(3));
    time.pass(3_100);
    directory.introduce(NODE);
    int before = peers.asked.size();
    peers.answer(THERE, NODE.handle());
    seeds.retryNow();
    time.pass(0);
    assertEquals(
        Set.of("3100 10.77.1.2:4791", "3100 10.77.1.3:4791"),
        Set.copyOf(peers.asked.subList(before, peers.asked.size())));
    assertFalse(stuck.isDone());
    assertEquals(1, seeds.unanswered());
    seeds.retryNow();
    time.pass(0);
    assertEquals(before + 3, peers.asked.size(), "the one that is known is asked no more");
  }

  @Test
  void shouldQueryQuicklyForSomeTimeWhenCablesHaveChanged() {
    seeds.start(ONE);
    time.pass(10_000);
    int before = peers.asked.size();
    seeds.retryNow();
    time.pass(3_000);
    List<Long> quick = queriedAtMs().subList(before, peers.asked.size());
    assertEquals(
        List.of(
            10_000L, 10_200L, 10_400L, 10_600L, 10_800L, 11_000L, 11_200L, 11_400L, 11_600L,
            11_800L, 12_000L, 12_200L, 12_600L),
        quick);
  }

  @Test
  void shouldQueryTheSeedOfARemovedNodeAgain() {
    directory.introduce(NODE);
    peers.answer(THERE, NODE.handle());
    seeds.start(ONE);
    time.pass(60_000);
    assertEquals(1, peers.asked.size());
    directory.remove(NODE.id());
    assertEquals(1, seeds.unanswered());
    time.pass(1_000);
    assertTrue(peers.asked.size() > 1, peers.asked::toString);
  }

  @Test
  void shouldKnowThatNoNodeIsThereWhereEachHostRefuses() {
    assertFalse(seeds.areAllRefused(), "there are no seeds");
    TransportException refused =
        new TransportException(
            Reason.PEER_UNREACHABLE, "scripted.", new ConnectException("Connection refused"));
    peers.keepWaiting(THERE).completeExceptionally(refused);
    peers.answer(ScriptedPeers.at(3), SELF.handle());
    seeds.start(Seed.parse("10.77.1.2,10.77.1.3", Nodes.PORT));
    assertFalse(seeds.areAllRefused());
    time.pass(0);
    assertTrue(seeds.areAllRefused());
    assertTrue(seeds.initialDiscovery().isOver());
    peers.answer(THERE, NODE.handle());
    time.pass(1_000);
    assertFalse(seeds.areAllRefused());
    assertTrue(seeds.hasAnswer());
  }

  @Test
  void shouldNotConcludeFromSilenceThatNoNodeIsThere() {
    peers.fail(THERE, Reason.TIMED_OUT);
    seeds.start(ONE);
    time.pass(10_000);
    assertFalse(seeds.areAllRefused());
  }

  @Test
  void shouldNotQueryAgainWhileAQueryIsOutstanding() {
    CompletableFuture<byte[]> reply = peers.keepWaiting(THERE);
    seeds.start(ONE);
    time.pass(10_000);
    assertEquals(List.of(0L), queriedAtMs());
    reply.completeExceptionally(new TransportException(Reason.TIMED_OUT, "late."));
    time.pass(199);
    assertEquals(1, peers.asked.size());
    time.pass(1);
    assertEquals(2, peers.asked.size());
  }

  @Test
  void shouldGoOnQueryingIfAnAnswerCannotBeAdded() {
    peers.answer(THERE, NODE.handle());
    Seeds careless =
        new Seeds(
            directory,
            peers,
            (address, handle) -> {
              throw new IllegalStateException("cannot connect");
            },
            time,
            log.log);
    careless.start(ONE);
    time.pass(200);
    assertEquals(List.of(0L, 200L), queriedAtMs());
    assertTrue(log.loud().get(0).contains("cannot connect"), log.loud().toString());
  }

  @Test
  void shouldResolveAnUnknownHostAgainAndLogItOnce() {
    // Not an address by its form, and no name server is queried.
    seeds.start(List.of(new Seed("a:1:2", 7)));
    time.pass(Seeds.SILENCE_MS - 1);
    assertEquals(List.of(), peers.asked);
    assertEquals(1, seeds.unanswered());
    assertEquals(1, log.loud().size(), log.loud().toString());
    assertTrue(log.loud().get(0).contains("[a:1:2]:7"), log.loud().get(0));
  }

  @Test
  void shouldSayAfterASilenceWhatWasTried() {
    seeds.start(ONE);
    time.pass(Seeds.SILENCE_MS - 1);
    assertEquals(List.of(), log.loud());
    time.pass(120_000);
    assertEquals(1, log.loud().size());
    String line = log.loud().get(0);
    assertTrue(line.contains("10.77.1.2:4791 (PEER_UNREACHABLE: nobody there.)"), line);
    assertTrue(line.contains("10 s"), line);
  }

  @Test
  void shouldNotCallARefusalSilence() {
    peers.fail(THERE, Reason.REFUSED);
    seeds.start(ONE);
    time.pass(2 * Seeds.SILENCE_MS);
    assertEquals(1, log.loud().size(), log.loud().toString());
    assertTrue(log.loud().get(0).contains("REFUSED"), log.loud().get(0));
  }

  @Test
  void shouldSayNothingOfSilenceIfANodeIsKnownOrItWasClosed() {
    seeds.start(ONE);
    directory.introduce(Nodes.node(9));
    time.pass(Seeds.SILENCE_MS);
    assertEquals(List.of(), log.loud());
    Seeds closed = new Seeds(Nodes.directory(SELF, log.log), peers, this::found, time, log.log);
    closed.start(ONE);
    closed.close();
    time.pass(Seeds.SILENCE_MS);
    assertEquals(List.of(), log.loud());
  }

  @Test
  void shouldQueryAStaleNodeWhereItAnsweredAndReportItsNewIncarnation() {
    discover();
    peers.answer(THERE, Nodes.bytes("a new life"));
    seeds.rediscover(NODE);
    time.pass(0);
    assertEquals(List.of(0L, 1_000L), queriedAtMs());
    assertEquals(List.of("10.77.1.2:4791 a new life"), found);
  }

  @Test
  void shouldTreatTheLatestIncarnationAtASeedAsTheSeedNodeAndSearchForTheNext() {
    discover();
    Node second = Nodes.node("node-2", 2, 2000, "second life");
    peers.answer(THERE, second.handle());
    seeds.rediscover(NODE);
    time.pass(0);
    directory.introduce(second);
    assertTrue(seeds.isSeedNode(second.id()));
    assertFalse(seeds.isSeedNode(NODE.id()));
    peers.fail(THERE, Reason.PEER_UNREACHABLE);
    seeds.rediscover(second);
    time.pass(60_000);
    assertTrue(seeds.isSeedNode(second.id()));
    peers.answer(THERE, Nodes.bytes("third life"));
    seeds.rediscover(second);
    time.pass(0);
    assertEquals(List.of("10.77.1.2:4791 second life", "10.77.1.2:4791 third life"), found);
  }

  @Test
  void shouldTreatEachNodeThatAnsweredAtASeedAsASeedNode() {
    directory.introduce(NODE);
    Node other = Nodes.node(3);
    directory.introduce(other);
    peers.answer(THERE, NODE.handle());
    peers.answer(ScriptedPeers.at(3), other.handle());
    seeds.start(ONE);
    seeds.find(ScriptedPeers.at(3));
    time.pass(0);
    assertTrue(seeds.isSeedNode(NODE.id()));
    assertFalse(seeds.isSeedNode(other.id()), "answered, but at no seed's address");
    seeds.start(Seed.parse("10.77.1.3", Nodes.PORT));
    time.pass(0);
    assertTrue(seeds.isSeedNode(NODE.id()) && seeds.isSeedNode(other.id()));
  }

  private void discover() {
    directory.introduce(NODE);
    peers.answer(THERE, NODE.handle());
    seeds.start(ONE);
    time.pass(1_000);
    assertEquals(0, seeds.unanswered());
  }

  @Test
  void shouldReportNothingOfAStaleNodeThatIsStillTheSame() {
    discover();
    seeds.rediscover(NODE);
    time.pass(10_000);
    assertEquals(List.of(0L, 1_000L), queriedAtMs());
    assertEquals(List.of(), found);
  }

  @Test
  void shouldQueryAllSeedsForAStaleNodeFoundByGossipButNotTooOften() {
    discover();
    Node gossip = Nodes.node(5);
    seeds.rediscover(gossip);
    seeds.rediscover(gossip);
    time.pass(4_999);
    seeds.rediscover(gossip);
    assertEquals(List.of(0L, 1_000L), queriedAtMs());
    time.pass(1);
    seeds.rediscover(gossip);
    time.pass(0);
    assertEquals(List.of(0L, 1_000L, 6_000L), queriedAtMs());
    assertEquals(0, seeds.unanswered());
  }

  @Test
  void shouldQueryASeedInOneRoundOnlyHoweverOftenNodesGrowStale() {
    seeds.start(ONE);
    time.pass(100);
    seeds.rediscover(Nodes.node(5));
    time.pass(2_900);
    assertEquals(List.of(0L, 200L, 600L, 1_400L, 3_000L), queriedAtMs());
    // Known now, but the round that ends with it has not checked yet.
    peers.answer(THERE, NODE.handle());
    time.pass(3_200);
    directory.introduce(NODE);
    assertEquals(0, seeds.unanswered());
    time.pass(5_000);
    peers.fail(THERE, Reason.PEER_UNREACHABLE);
    peers.asked.clear();
    seeds.rediscover(Nodes.node(5));
    time.pass(1_000);
    assertEquals(List.of(11_200L, 11_400L, 11_800L), queriedAtMs());
  }

  @Test
  void shouldFindANodeOnceItHasIntroducedItself() {
    peers.answer(THERE, NODE.handle());
    CompletableFuture<Node> promise = seeds.find(THERE);
    assertFalse(promise.isDone());
    time.pass(100);
    assertFalse(promise.isDone());
    assertEquals(List.of("10.77.1.2:4791 handle-2"), found);
    directory.introduce(Nodes.node(3));
    assertFalse(promise.isDone());
    directory.introduce(NODE);
    assertSame(NODE, promise.join());
    time.pass(60_000);
    assertSame(NODE, promise.join());
  }

  @Test
  void shouldFindAKnownNodeAndItselfAtOnce() {
    directory.introduce(NODE);
    peers.answer(THERE, NODE.handle());
    peers.answer(ScriptedPeers.at(1), SELF.handle());
    CompletableFuture<Node> node = seeds.find(THERE);
    CompletableFuture<Node> self = seeds.find(ScriptedPeers.at(1));
    time.pass(0);
    assertEquals(NODE, node.join());
    assertEquals(SELF, self.join());
    assertEquals(List.of(), found);
  }

  @Test
  void shouldFailToFindANodeThatDoesNotAnswer() {
    peers.fail(THERE, Reason.REFUSED);
    CompletableFuture<Node> promise = seeds.find(THERE);
    time.pass(0);
    assertEquals(Reason.REFUSED, failure(promise).reason());
  }

  @Test
  void shouldGiveUpOnWhoAnswersButDoesNotIntroduceItself() {
    peers.answer(THERE, NODE.handle());
    CompletableFuture<Node> promise = seeds.find(THERE);
    time.pass(Seeds.INTRODUCTION_MS - 1);
    assertFalse(promise.isDone());
    time.pass(1);
    assertEquals(Reason.TIMED_OUT, failure(promise).reason());
    assertTrue(failure(promise).getMessage().startsWith("10.77.1.2:4791 answered"));
    CompletableFuture<Node> again = seeds.find(THERE);
    time.pass(100);
    assertFalse(again.isDone());
    directory.introduce(NODE);
    assertSame(NODE, again.join());
  }

  @Test
  void shouldGiveEveryoneWhoFindsTheWholeTimeForTheIntroduction() {
    peers.answer(THERE, NODE.handle());
    peers.answer(ScriptedPeers.at(3), NODE.handle());
    CompletableFuture<Node> first = seeds.find(THERE);
    time.pass(Seeds.INTRODUCTION_MS - 1);
    CompletableFuture<Node> second = seeds.find(ScriptedPeers.at(3));
    time.pass(1);
    assertTrue(first.isCompletedExceptionally());
    assertFalse(second.isDone());
    directory.introduce(NODE);
    assertSame(NODE, second.join());
  }

  @Test
  void shouldFailEveryPromiseWhenClosedAndQueryNothingMore() {
    peers.answer(THERE, NODE.handle());
    peers.keepWaiting(ScriptedPeers.at(3));
    CompletableFuture<Node> answered = seeds.find(THERE);
    CompletableFuture<Node> asking = seeds.find(ScriptedPeers.at(3));
    seeds.start(List.of(new Seed("10.77.1.4", 1)));
    time.pass(0);
    int before = peers.asked.size();
    seeds.close();
    seeds.close();
    CompletableFuture<Node> late = seeds.find(THERE);
    seeds.rediscover(Nodes.node(7));
    time.pass(60_000);
    assertEquals(Reason.CLOSED, failure(answered).reason());
    assertEquals(Reason.CLOSED, failure(asking).reason());
    assertEquals(Reason.CLOSED, failure(late).reason());
    assertEquals(before, peers.asked.size());
    assertEquals(List.of(), log.loud());
  }

  @Test
  void shouldHaveSearchedWhenANodeBehindASeedIsKnown() {
    peers.answer(THERE, NODE.handle());
    seeds.start(Seed.parse("10.77.1.2,10.77.1.3", Nodes.PORT));
    time.pass(1_000);
    assertFalse(seeds.initialDiscovery().isOver());
    directory.introduce(NODE);
    assertTrue(seeds.initialDiscovery().isOver());
  }

  @Test
  void shouldHaveSearchedWhenNoNodeIsThere() {
    seeds.start(Seed.parse("10.77.1.2,10.77.1.3", Nodes.PORT));
    assertFalse(seeds.initialDiscovery().isOver());
    time.pass(0);
    assertTrue(seeds.initialDiscovery().isOver());
  }

  @Test
  void shouldHaveSearchedWithoutSeeds() {
    assertFalse(seeds.initialDiscovery().isOver());
    seeds.start(List.of());
    assertTrue(seeds.initialDiscovery().isOver());
  }

  @Test
  void shouldNotReportItselfAsAnotherNode() {
    peers.answer(THERE, SELF.handle());
    peers.answer(ScriptedPeers.at(3), NODE.handle());
    seeds.start(Seed.parse("10.77.1.2,10.77.1.3", Nodes.PORT));
    time.pass(1_000);
    assertFalse(seeds.initialDiscovery().isOver());
    directory.introduce(NODE);
    assertTrue(seeds.initialDiscovery().isOver());
  }

  @Test
  void shouldNotQueryForeverASeedThatDoesNotIntroduceItself() {
    peers.answer(THERE, NODE.handle());
    seeds.start(ONE);
    time.pass(Seeds.INTRODUCTION_MS);
    assertTrue(seeds.initialDiscovery().isOver());
  }

  @Test
  void shouldQueryNoMoreWhenClosed() {
    peers.answer(THERE, NODE.handle());
    seeds.start(ONE);
    time.pass(0);
    seeds.close();
    assertTrue(seeds.initialDiscovery().isOver());
  }
}
