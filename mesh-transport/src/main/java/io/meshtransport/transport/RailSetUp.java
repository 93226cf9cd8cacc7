package io.meshtransport.transport;

import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.verbs.VerbsException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Adds rails to a channel that stands, one after the other: first the further queue pairs of its
 * cable, then other cables. Each has a handshake of its own over its own cable, which proves that
 * the cable leads to the same node. One that cannot be made is logged, and the channel goes on
 * without. Confined to the set-up thread.
 */
final class RailSetUp {
  private static final Logger LOG = LogManager.getLogger(RailSetUp.class);

  private final MeshTransport transport;
  private final PeerHandle peer;
  private final RailedSendChannel channel;
  private final RailSettings wanted;

  /** Cables that stand, by a candidate of each. */
  private final List<Candidate> cables = new ArrayList<>();

  private final Queue<Candidate> furtherQueuePairs = new ArrayDeque<>();
  private final Queue<Candidate> untried;
  private RailTicket ticket;

  /**
   * @param ticket of the first rail
   * @param first the way of that rail
   * @param candidates all ways to the peer, the best first
   */
  RailSetUp(
      MeshTransport transport,
      PeerHandle peer,
      RailedSendChannel channel,
      RailTicket ticket,
      Candidate first,
      List<Candidate> candidates) {
    this.transport = transport;
    this.peer = peer;
    this.channel = channel;
    this.ticket = ticket;
    this.wanted = transport.settings().rails();
    this.untried = new ArrayDeque<>(candidates);
    laid(first);
  }

  private void laid(Candidate cable) {
    cables.add(cable);
    for (int further = 1; further < wanted.perCable(); further++) {
      furtherQueuePairs.add(cable);
    }
  }

  /** Makes the next rail, if there is to be another. */
  void tryNext() {
    Candidate candidate = next();
    boolean isOver = channel.state() != ChannelState.READY;
    if (candidate == null || isOver || ticket.number() + 1 == ticket.most()) {
      return;
    }
    ticket = ticket.numbered(ticket.number() + 1);
    try {
      LinkHandshake handshake =
          LinkHandshake.begin(
              transport,
              peer,
              candidate,
              Optional.of(ticket),
              System.nanoTime() + transport.settings().timeoutNs(),
              () -> {});
      RailTicket its = ticket;
      handshake
          .outcome()
          .whenCompleteAsync(
              (established, failure) -> ended(candidate, its, handshake.link(), failure),
              transport.setUp());
    } catch (VerbsException e) {
      refused(candidate, e);
    }
  }

  private Candidate next() {
    if (!furtherQueuePairs.isEmpty()) {
      return furtherQueuePairs.remove();
    }
    while (cables.size() < wanted.cables() && !untried.isEmpty()) {
      Candidate candidate = untried.remove();
      if (cables.stream().noneMatch(cable -> isTaken(candidate, cable))) {
        return candidate;
      }
    }
    return null;
  }

  /** Each NIC has one cable. */
  private static boolean isTaken(Candidate candidate, Candidate cable) {
    return candidate.nic().equals(cable.nic())
        || candidate.remote().nicIndex() == cable.remote().nicIndex();
  }

  private void ended(Candidate candidate, RailTicket its, Link link, Throwable failure) {
    if (failure != null) {
      MeshTransport.discard(link);
      refused(candidate, failure instanceof CompletionException ? failure.getCause() : failure);
      return;
    }
    if (!channel.join(new Rail(its.number(), its.place(), link, candidate.remote().nicIndex()))) {
      MeshTransport.discard(link);
      return;
    }
    LOG.info("{}: rail {} over {}", channel.route(), its.number(), candidate.why());
    if (cables.stream().noneMatch(cable -> isTaken(candidate, cable))) {
      laid(candidate);
    }
    tryNext();
  }

  private void refused(Candidate candidate, Throwable why) {
    LOG.warn(
        "{}: no rail to {} via {}: {}",
        channel.route(),
        candidate.remote().link(),
        candidate.nic().label(),
        why.getMessage());
    tryNext();
  }
}
