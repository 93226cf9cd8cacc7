// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import io.meshtransport.session.NodeExchange;
import io.meshtransport.session.PeerSession;
import io.meshtransport.session.Session;
import io.meshtransport.spi.NicListener;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The nodes of a mesh, found through seeds: addresses on cables of a few nodes. One that answers is
 * enough, because nodes report to each other those that are connected to them. A node is entered
 * for good once it has introduced itself; it is removed some time after its process has ended.
 *
 * <p>Made before the session that uses it, which {@link #start} then names; closed before it. Any
 * thread may call it; nothing here blocks.
 */
public final class SeedNodes implements NodeExchange, AutoCloseable {
  private static final Logger LOG = LogManager.getLogger(SeedNodes.class);

  /** The failures of an attempt with the handle of a process that has ended. */
  private static final Set<Reason> STALE = Set.of(Reason.WRONG_PEER, Reason.PEER_UNREACHABLE);

  /** How long a node that was reached may take to introduce itself, on a busy host. */
  static final long INTRODUCTION_MS = 15_000;

  /** Several changes that come together are reported together. */
  private static final long REPORT_MS = 5;

  /** How long a node is left to dial this one: some handshakes on a busy host. */
  private static final long OTHERS_TURN_MS = 300;

  /** A peer receives nothing: its reports are tried again. */
  private static final long REPORT_AGAIN_MS = 200;

  /** The source of nodes that answered at an address, and that no other node has reported. */
  private static final String ANSWERS = "";

  private final Transport transport;
  private final Membership membership;
  private final long removeAfterMs;
  private final Scheduler scheduler;
  private final AtomicBoolean isReportDue = new AtomicBoolean();

  /** Nodes that are left to dial this one for a while. */
  private final Set<String> postponed = ConcurrentHashMap.newKeySet();

  private final Set<String> leaving = ConcurrentHashMap.newKeySet();
  private final NicListener cables;

  /** What there is once the session is known. */
  private record Running(Session session, Directory directory, Seeds seeds, DialQueue trials) {}

  private volatile Running running;
  private volatile boolean isClosed;

  /**
   * @param removeAfterMs how long after the end of a node's process the node is removed,
   *     milliseconds
   */
  public SeedNodes(
      Transport transport, Membership membership, long removeAfterMs, Scheduler scheduler) {
    this.transport = transport;
    this.membership = membership;
    this.removeAfterMs = removeAfterMs;
    this.scheduler = scheduler;
    cables = now -> scheduler.after(0, this::cablesChanged);
  }

  /**
   * Begins to find nodes.
   *
   * @param session opened with this as its source of nodes
   * @param label what people call this node, see {@link Node#label}
   * @param given queried until nodes are known behind all of them; none for a node that waits for
   *     the others
   * @throws TransportException if the session's handle cannot be read
   */
  public void start(Session session, String label, List<Seed> given) throws TransportException {
    start(session, label);
    seeds().start(given);
  }

  /** As above; {@link #seeds} are the caller's to start. */
  public void start(Session session, String label) throws TransportException {
    byte[] handle = session.handle();
    Node self =
        new Node(
            session.name(), label, System.currentTimeMillis(), handle, transport.nodeId(handle));
    Directory directory =
        new Directory(
            self,
            membership::member,
            transport::nodeId,
            id -> isConnected(session, id),
            membership.remedy(),
            LogManager.getLogger(Directory.class));
    DialQueue trials = new DialQueue(this::dial, scheduler);
    Seeds seeds =
        new Seeds(
            directory,
            transport::lookup,
            (address, answer) -> answered(directory, trials, answer),
            scheduler,
            LogManager.getLogger(Seeds.class));
    directory.onRemoval(this::removed);
    directory.onChange(this::changed);
    running = new Running(session, directory, seeds, trials);
    transport.addNicListener(cables);
    // Those that have connected meanwhile.
    session.peers().stream().filter(PeerSession::isOpen).forEach(this::onOpen);
  }

  private static boolean isConnected(Session session, String id) {
    return connected(session, id).isPresent();
  }

  private static Optional<PeerSession> connected(Session session, String id) {
    return session.peers().stream()
        .filter(PeerSession::isOpen)
        .filter(peer -> peer.lastPeer().filter(last -> last.id().equals(id)).isPresent())
        .findAny();
  }

  /**
   * The nodes that are known.
   *
   * @throws IllegalStateException before {@link #start}
   */
  public Directory directory() {
    return running().directory();
  }

  /**
   * The search for the nodes at the seeds.
   *
   * @throws IllegalStateException before {@link #start}
   */
  public Seeds seeds() {
    return running().seeds();
  }

  /** Whether some nodes reported by others have not been dialled yet, or for the first time. */
  public boolean hasUntried() {
    return !postponed.isEmpty() || running().trials().hasUntried();
  }

  private Running running() {
    Running now = running;
    if (now == null) {
      throw new IllegalStateException("not started");
    }
    return now;
  }

  @Override
  public Optional<byte[]> handle(String name) {
    Running now = running;
    return now == null ? Optional.empty() : now.directory().find(name).map(Node::handle);
  }

  @Override
  public String whyUnknown(String name) {
    Running now = running;
    return now == null
        ? "The search for nodes has not begun: call SeedNodes.start."
        : "The seeds have led to %s. Check the name (MESH_NODE there), and that the node has one of the same seeds."
            .formatted(NodeList.of(now.directory().all().stream().map(Node::name)));
  }

  @Override
  public Optional<InetAddress> preferredAddress(String name) {
    Running now = running;
    return now == null
        ? Optional.empty()
        : now.directory().find(name).flatMap(node -> now.seeds().addressOf(node.id()));
  }

  /**
   * A node was found without a seed, as by a mesh: connects to it, which introduces the two to each
   * other. If that fails, the caller may say it again later.
   *
   * @param handle of the node's session
   * @throws IllegalStateException before {@link #start}
   */
  public void found(byte[] handle) {
    Running now = running();
    answered(now.directory(), now.trials(), handle.clone());
  }

  /** A node has answered at an address: connects to it, which introduces the two to each other. */
  private static void answered(Directory directory, DialQueue trials, byte[] handle) {
    directory
        .idOf(handle)
        .filter(id -> !directory.isIntroduced(id))
        .ifPresent(id -> trials.add(id, handle, ANSWERS));
  }

  private void dial(String id, byte[] handle) {
    Running now = running();
    try {
      now.session()
          .connect(handle, now.seeds().addressOf(id))
          .whenComplete((peer, why) -> dialled(now, id, why));
    } catch (TransportException e) {
      LOG.debug("{}: a node cannot be dialled: {}", now.directory().self(), e.summary());
      trialFailed(now, id);
    }
  }

  private void dialled(Running now, String id, Throwable failure) {
    Throwable why = failure instanceof CompletionException e ? e.getCause() : failure;
    if (why == null) {
      awaitIntroduction(now, id);
      return;
    }
    LOG.debug("{}: no connection to a node that was found: {}", now.directory().self(), why);
    if (why.getCause() instanceof ConnectException) {
      now.directory().withId(id).ifPresent(node -> removeLater(node.id()));
    }
    trialFailed(now, id);
  }

  /**
   * A node that is reached must introduce itself; the connection to one that does not is closed.
   */
  private void awaitIntroduction(Running now, String id) {
    now.directory().markReached(id);
    now.trials().reached(id);
    scheduler.after(
        INTRODUCTION_MS,
        () -> {
          if (now.trials().contains(id) && !now.directory().isIntroduced(id)) {
            LOG.debug("{}: a node has not introduced itself in time", now.directory().self());
            connected(now.session(), id).ifPresent(PeerSession::remove);
            trialFailed(now, id);
          }
        });
  }

  /** A trial has failed: a node that others still report is tried again. */
  private static void trialFailed(Running now, String id) {
    if (now.directory().withId(id).isPresent()) {
      now.trials().dialEnded(id);
    } else {
      now.trials().remove(id);
    }
  }

  @Override
  public void onOpen(PeerSession peer) {
    Running now = running;
    if (now != null) {
      peer.lastPeer().map(Peer::id).ifPresent(id -> now.directory().markReached(id));
      report(now, peer);
    }
  }

  @Override
  public void onExchange(PeerSession from, ByteBuffer message) throws ProtocolException {
    Running now = running;
    if (now == null) {
      return;
    }
    DirectoryMessage said = DirectoryMessage.decode(message, transport::nodeId);
    Node sender = said.sender();
    String id = from.lastPeer().map(Peer::id).orElse("");
    if (!sender.id().equals(id) || !sender.name().equals(from.name())) {
      throw new ProtocolException(
          "it introduces itself as %s of process %s, and is %s of process %s"
              .formatted(sender, sender.id(), from.name(), id));
    }
    Optional<String> objection = membership.objection(sender);
    if (objection.isPresent()) {
      throw new ProtocolException(objection.get());
    }
    membership.onIntroduction(sender, said.member());
    // First: code that waits for an introduction goes on with the nodes it reported.
    for (Node other : said.others()) {
      if (membership.objection(other).isEmpty()) {
        now.directory().learn(other, id);
      }
    }
    now.directory().introduce(sender);
    if (!now.directory().isIntroduced(id)) {
      now.directory().removeSource(id, node -> false);
      throw new ProtocolException(
          "node %s cannot be entered: this node has its name, or %d others are connected"
              .formatted(sender, Directory.MAX_NODES));
    }
  }

  /** A node is new, has restarted or was introduced, or this one has other addresses. */
  private void changed(Node news) {
    Running now = running;
    if (now == null) {
      return;
    }
    String id = news.id();
    if (id.equals(now.directory().self().id())) {
      reportSoon(REPORT_MS);
      return;
    }
    // As it is now: of two pieces of news on two threads the older may come last.
    Node node = now.directory().withId(id).orElse(null);
    if (node != null && now.directory().isIntroduced(id)) {
      now.trials().remove(id);
      // A node reports only those that were introduced to it.
      reportSoon(REPORT_MS);
    } else if (node != null) {
      tryReported(now, node);
    }
  }

  /**
   * Dials a node that another one has reported, which has reported this one to that as well: the
   * one with the smaller id dials at once, so that mostly one of the two does.
   */
  private void tryReported(Running now, Node node) {
    String id = node.id();
    String source = now.directory().sourceOf(id).orElse(ANSWERS);
    if (now.directory().self().id().compareTo(id) < 0 || now.trials().contains(id)) {
      now.trials().add(id, node.handle(), source);
    } else if (postponed.add(id)) {
      scheduler.after(
          OTHERS_TURN_MS,
          () -> {
            postponed.remove(id);
            if (!now.directory().isIntroduced(id) && now.directory().withId(id).isPresent()) {
              now.trials().add(id, node.handle(), source);
            }
          });
    }
  }

  private void reportSoon(long delayMs) {
    if (isReportDue.compareAndSet(false, true)) {
      scheduler.after(
          delayMs,
          () -> {
            isReportDue.set(false);
            Running now = running;
            if (now != null && !isClosed) {
              now.session().peers().stream()
                  .filter(PeerSession::isOpen)
                  .forEach(peer -> report(now, peer));
            }
          });
    }
  }

  /** Introduces this node, and reports those that were introduced to it. */
  private void report(Running now, PeerSession peer) {
    int maxBytes = Math.max(DirectoryMessage.MIN_MESSAGE_BYTES, now.session().slotCapacity());
    for (byte[] message : now.directory().messages(maxBytes)) {
      if (!peer.exchange(ByteBuffer.wrap(message)) && peer.isOpen()) {
        reportSoon(REPORT_AGAIN_MS);
        return;
      }
    }
  }

  @Override
  public void onDown(PeerSession peer, boolean wasOpen, TransportException why) {
    Running now = running;
    if (now == null) {
      return;
    }
    Optional<Node> node = now.directory().find(peer.name());
    if (!wasOpen) {
      if (STALE.contains(why.reason())) {
        node.ifPresent(now.seeds()::rediscover);
      }
      return;
    }
    peer.lastPeer().ifPresent(last -> sourceEnded(last.id()));
    if (why.reason() == Reason.PEER_CLOSED) {
      peer.lastPeer().ifPresent(last -> removeLater(last.id()));
    } else if (node.filter(each -> now.directory().isIntroduced(each.id())).isPresent()) {
      // The outcome of one more attempt says what has happened to it.
      peer.connect();
    }
  }

  @Override
  public void onProcessEnd(PeerSession peer, String nodeId) {
    if (running != null) {
      removeLater(nodeId);
    }
  }

  /** If a node does not come back, what it reported of others is removed. */
  private void sourceEnded(String id) {
    scheduler.after(
        removeAfterMs,
        () -> {
          Running now = running();
          if (!isConnected(now.session(), id)
              && now.directory().removeSource(id, membership::isNeeded)) {
            sourceEnded(id);
          }
        });
  }

  private void removeLater(String id) {
    if (leaving.add(id)) {
      removeAfterPause(id);
    }
  }

  private void removeAfterPause(String id) {
    scheduler.after(
        removeAfterMs,
        () -> {
          Running now = running();
          Optional<Node> node = now.directory().withId(id);
          boolean isGone = node.isPresent() && !isConnected(now.session(), id);
          if (isGone && (membership.isNeeded(node.get()) || now.seeds().isSeedNode(id))) {
            removeAfterPause(id);
            return;
          }
          leaving.remove(id);
          if (isGone) {
            now.directory().remove(id);
          }
        });
  }

  private void removed(Node node) {
    Running now = running;
    if (now != null) {
      now.trials().remove(node.id());
      now.session().peers().stream()
          .filter(peer -> peer.name().equals(node.name()) && !peer.isOpen())
          .forEach(PeerSession::remove);
    }
  }

  /**
   * NICs, addresses or carriers of this host have changed: the peers get the new addresses, and all
   * nodes that could not be reached are dialled and queried at once.
   */
  private void cablesChanged() {
    Running now = running;
    if (now == null || isClosed) {
      return;
    }
    now.directory().updateHandle(now.session().handle(), System.currentTimeMillis());
    for (PeerSession peer : now.session().peers()) {
      if (!peer.isOpen()
          && now.directory()
              .find(peer.name())
              .filter(n -> now.directory().isIntroduced(n.id()))
              .isPresent()) {
        peer.connectNow();
      }
    }
    now.trials().retryNow();
    now.seeds().retryNow();
  }

  /** Finds no more nodes. The session stays as it is. Safe to call twice. */
  @Override
  public void close() {
    isClosed = true;
    Running now = running;
    if (now != null) {
      transport.removeNicListener(cables);
      now.seeds().close();
      now.trials().close();
    }
  }
}
