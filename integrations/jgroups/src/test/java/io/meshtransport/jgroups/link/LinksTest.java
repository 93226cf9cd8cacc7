// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.jgroups.directory.Directory;
import io.meshtransport.jgroups.directory.Node;
import io.meshtransport.jgroups.directory.Nodes;
import io.meshtransport.jgroups.directory.RecordingLog;
import io.meshtransport.jgroups.directory.VirtualTime;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.ConnectException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What is reported and probed when a link is lost; nothing here opens a link.
 *
 * <p>Also tests {@link Scheduler}.
 *
 * <p>Also tests {@link LinkListener}, {@link LinkReports} and {@link LinkTable}.
 */
class LinksTest {
  private static final Node NODE = Nodes.node(2);

  private final RecordingLog log = new RecordingLog();
  private final Directory directory = Nodes.directory(Nodes.node(1), log.log);
  private final VirtualTime time = new VirtualTime();
  private final RecordingLinkListener fate = new RecordingLinkListener();
  private final Links links;

  LinksTest() {
    // Before there are links, which would go there.
    Nodes.learn(directory, NODE);
    links =
        new Links(
            null,
            directory,
            SendBufferPoolTest.pool(2),
            48,
            500,
            200,
            fate,
            new VirtualTime(),
            log.log);
  }

  private OutboundLink link() {
    return new OutboundLink(
        NODE.id(), NODE.handle(), new OutboundLink.Terms(links, null, 500, 200, 200), log.log);
  }

  private void lost(Reason reason) {
    links.lost(link(), new TransportException(reason, "scripted."), true);
  }

  @ParameterizedTest
  @EnumSource
  void shouldQueryOnlyIfAnotherNodeOrNoneIsThere(Reason reason) {
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

  /** The peer's host answers that no process listens at its port. */
  private void refused() {
    links.lost(
        link(),
        new TransportException(Reason.PEER_UNREACHABLE, "scripted.", new ConnectException()),
        false);
  }

  @Test
  void shouldNotWarnOfANodeThatHasLeftAndIsGone() {
    fate.left.add(NODE.id());
    refused();
    assertEquals(List.of(), log.loud());
    assertEquals(1, log.lines().size(), log.lines()::toString);
    // Back, and as unreachable as before: that is news.
    fate.left.remove(NODE.id());
    refused();
    assertEquals(1, log.loud().size(), log.lines()::toString);
  }

  @Test
  void shouldWarnOfANodeThatIsExcludedAndMayLive() {
    fate.left.add(NODE.id());
    lost(Reason.PEER_GONE);
    assertEquals(1, log.loud().size(), log.lines()::toString);
  }

  /** Openings on which nothing is decided, as long as the test lasts. */
  private Links opening(Directory directory) throws TransportException {
    SendBufferPool pool = new SendBufferPool(ScriptedTransport.registering(), 4, 2048);
    return new Links(
        ScriptedTransport.dialing(new ScriptedDialer()),
        directory,
        pool,
        2048,
        500,
        200,
        fate,
        time,
        log.log);
  }

  @Test
  void shouldEndTheLinkToTheFormerIncarnationAndIntroduceItselfToTheNew()
      throws TransportException {
    Directory nodes = Nodes.directory(Nodes.node(1), log.log);
    try (Links opening = opening(nodes)) {
      Nodes.learn(nodes, NODE);
      OutboundLink former = opening.to(NODE);
      Nodes.learn(nodes, Nodes.node(3));
      OutboundLink other = opening.to(Nodes.node(3));
      Node anew = Nodes.node(NODE.name(), 2, NODE.incarnation() + 1, "another handle");
      Nodes.learn(nodes, anew);
      assertEquals(LinkState.CLOSED, former.state());
      assertNotEquals(LinkState.CLOSED, other.state());
      assertNull(opening.known(NODE.overlay()));
      assertArrayEquals(anew.handle(), opening.to(anew).handle());
    }
  }

  @Test
  void shouldSendOverALivingLinkWhenATrialHasJustEnded() throws TransportException {
    Directory nodes = Nodes.directory(Nodes.node(1), log.log);
    try (Links opening = opening(nodes)) {
      Nodes.learn(nodes, NODE);
      OutboundLink trial = opening.toProbe(NODE);
      assertTrue(trial.closeIfUnused());
      OutboundLink link = opening.to(NODE);
      assertNotEquals(LinkState.CLOSED, link.state());
      assertFalse(link.closeIfUnused());
      assertSame(link, opening.to(NODE));
    }
  }

  @Test
  void shouldKeepTheLinkToANodeThatKeepsItsHandle() throws TransportException {
    Directory nodes = Nodes.directory(Nodes.node(1), log.log);
    try (Links opening = opening(nodes)) {
      Nodes.learn(nodes, NODE);
      OutboundLink link = opening.to(NODE);
      Node later = NODE.withIncarnation(NODE.incarnation() + 1);
      Nodes.learn(nodes, later);
      assertNotEquals(LinkState.CLOSED, link.state());
      assertSame(link, opening.to(later));
    }
  }

  @Test
  void shouldDialWhereANodeIsNowThoughItsNewsComeInAnotherOrder() throws TransportException {
    Directory nodes = Nodes.directory(Nodes.node(1), log.log);
    Node first = Nodes.node("node-2", 2, 1, "life@1");
    Node second = Nodes.node("node-2", 2, 2, "life@2");
    Node third = Nodes.node("node-2", 2, 3, "life@3");
    // Before there are links, which thus hear of the third before they hear of the second.
    nodes.onChange(
        node -> {
          if (node.equals(second)) {
            Nodes.learn(nodes, third);
          }
        });
    try (Links opening = opening(nodes)) {
      Nodes.learn(nodes, first);
      OutboundLink link = opening.to(first);
      Nodes.learn(nodes, second);
      assertArrayEquals(third.handle(), link.handle());
    }
  }

  @Test
  void shouldKeepNothingOfANodeThatIsRemovedBeforeItsNewsCome() throws TransportException {
    Directory nodes = Nodes.directory(Nodes.node(1), log.log);
    nodes.onChange(node -> nodes.remove(node.id()));
    try (Links opening = opening(nodes)) {
      nodes.introduce(NODE);
      assertEquals("", opening.print());
      assertFalse(opening.hasUntried());
    }
  }

  @Test
  void shouldEndTheLinkToANodeThatIsRemoved() throws TransportException {
    Directory nodes = Nodes.directory(Nodes.node(1), log.log);
    try (Links opening = opening(nodes)) {
      Nodes.learn(nodes, NODE);
      OutboundLink link = opening.to(NODE);
      nodes.remove(NODE.id());
      assertEquals(LinkState.CLOSED, link.state());
      assertNull(opening.known(NODE.overlay()));
      assertEquals("", opening.print());
    }
  }
}
