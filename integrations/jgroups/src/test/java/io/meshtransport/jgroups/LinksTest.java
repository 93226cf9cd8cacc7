package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is said and asked when a link is lost; nothing here opens any. */
class LinksTest {
  private static final Node NODE = Nodes.node(2);

  private final RecordingLog log = new RecordingLog();
  private final Directory directory = new Directory(Nodes.node(1), log.log);
  private final RecordingFate fate = new RecordingFate();
  private final Links links;

  LinksTest() {
    // Before there are links, which would go there.
    directory.learn(NODE);
    links = new Links(null, directory, SlotPoolTest.pool(2), 48, 500, 200, fate, log.log);
  }

  private void lost(Reason reason) {
    links.lost(NODE.handle(), new TransportException(reason, "scripted."), true);
  }

  @ParameterizedTest
  @EnumSource
  void shouldAskWhoIsThereOnlyIfAnotherNodeOrNobodyIs(Reason reason) {
    lost(reason);
    boolean another = reason == Reason.WRONG_PEER || reason == Reason.PEER_UNREACHABLE;
    assertEquals(another ? List.of(NODE) : List.of(), fate.stale);
  }

  @Test
  void shouldSayEachReasonOnceAndItsTextOnce() {
    for (int times = 0; times < 3; times++) {
      lost(Reason.PEER_GONE);
    }
    lost(Reason.PEER_UNREACHABLE);
    String format = "warn: node-1 (198.18.0.1:4791): lost the link to node %s: %s: scripted.";
    assertEquals(
        List.of(
            String.format(format, NODE, Reason.PEER_GONE),
            String.format(format, NODE, Reason.PEER_UNREACHABLE)),
        log.loud());
  }

  /** The peer's host says that nobody is at its port. */
  private void refused() {
    links.lost(
        NODE.handle(),
        new TransportException(Reason.PEER_UNREACHABLE, "scripted.", new ConnectException()),
        false);
  }

  @Test
  void shouldNotWarnOfANodeThatHasLeftAndIsGone() {
    String handle = new String(NODE.handle(), StandardCharsets.UTF_8);
    fate.left.add(handle);
    refused();
    assertEquals(List.of(), log.loud());
    assertEquals(1, log.lines().size(), log.lines()::toString);
    // Back, and as unreachable as before: that is news.
    fate.left.remove(handle);
    refused();
    assertEquals(1, log.loud().size(), log.lines()::toString);
  }

  @Test
  void shouldWarnOfANodeThatIsExcludedAndMayLive() {
    fate.left.add(new String(NODE.handle(), StandardCharsets.UTF_8));
    lost(Reason.PEER_GONE);
    assertEquals(1, log.loud().size(), log.lines()::toString);
  }

  /** Openings on which nothing is decided, as long as the test lasts. */
  private Links opening(Directory directory) throws TransportException {
    SlotPool pool = new SlotPool(ScriptedTransport.alone(), 4, 2048);
    return new Links(
        ScriptedTransport.dialing(new ScriptedDialer()),
        directory,
        pool,
        2048,
        500,
        200,
        fate,
        log.log);
  }

  @Test
  void shouldEndTheLinkToANodeThatLivesAnewAndGreetTheLivingOne() throws TransportException {
    Directory nodes = new Directory(Nodes.node(1), log.log);
    try (Links opening = opening(nodes)) {
      nodes.learn(NODE);
      LinkOut former = opening.to(NODE);
      nodes.learn(Nodes.node(3));
      LinkOut other = opening.to(Nodes.node(3));
      Node anew = Nodes.node(NODE.name(), 2, NODE.incarnation() + 1, "another handle");
      nodes.learn(anew);
      assertEquals(LinkState.CLOSED, former.state());
      assertNotEquals(LinkState.CLOSED, other.state());
      assertNull(opening.known(NODE.overlay()));
      assertArrayEquals(anew.handle(), opening.to(anew).handle());
    }
  }

  @Test
  void shouldKeepTheLinkToANodeThatKeepsItsHandle() throws TransportException {
    Directory nodes = new Directory(Nodes.node(1), log.log);
    try (Links opening = opening(nodes)) {
      nodes.learn(NODE);
      LinkOut link = opening.to(NODE);
      Node later = NODE.withIncarnation(NODE.incarnation() + 1);
      nodes.learn(later);
      assertNotEquals(LinkState.CLOSED, link.state());
      assertSame(link, opening.to(later));
    }
  }

  @Test
  void shouldEndTheLinkToANodeThatIsForgotten() throws TransportException {
    Directory nodes = new Directory(Nodes.node(1), log.log);
    try (Links opening = opening(nodes)) {
      nodes.learn(NODE);
      LinkOut link = opening.to(NODE);
      nodes.forget(NODE.handle());
      assertEquals(LinkState.CLOSED, link.state());
      assertNull(opening.known(NODE.overlay()));
      assertEquals("", opening.print());
    }
  }
}
