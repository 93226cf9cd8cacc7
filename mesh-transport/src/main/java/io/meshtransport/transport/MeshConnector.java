package io.meshtransport.transport;

import io.meshtransport.handshake.ConnectRequest;
import io.meshtransport.handshake.Endpoint;
import io.meshtransport.handshake.Established;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.handshake.RefusedException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/**
 * Connects to a node of our own kind: a candidate counts when the node that answers is the one in
 * the handle. {@link #bringUp} runs on a handshake thread, the rest on the set-up thread.
 */
final class MeshConnector extends Connector {
  private final PeerHandle peer;

  MeshConnector(MeshTransport transport, PeerHandle peer) {
    super(transport, "node " + peer.node().brief());
    this.peer = peer;
  }

  @Override
  Routes routes() {
    return transport.route(
        peer.addresses().stream()
            .map(
                address ->
                    new RemoteAddress(address.link(), address.nicIndex(), address.speedMbps()))
            .toList());
  }

  @Override
  void shakeHands(Candidate candidate, long untilNs) throws VerbsException {
    OpenNic nic = transport.openNic(candidate.nic());
    try (Undo undo = new Undo()) {
      Link link =
          undo.on(Link.open(nic, candidate.local().gid(), LinkSizes.SENDER, transport.randomPsn()));
      ConnectRequest request =
          new ConnectRequest(
              candidate.local().link().address(),
              new InetSocketAddress(candidate.remote().link().address(), peer.handshakePort()),
              peer.node(),
              link.nic().index(),
              candidate.remote().nicIndex(),
              transport.endpoint(link, peer.listenerId()),
              untilNs);
      CompletableFuture<Established> handshake =
          transport.handshaker().connect(request, (nonce, theirs) -> bringUp(link, theirs));
      undo.keepAll();
      await(candidate, link, handshake, established -> finish(candidate, link, established));
    }
  }

  private void bringUp(Link link, Endpoint theirs) throws RefusedException {
    try {
      link.connect(PeerQueuePair.of(theirs), transport.settings().link());
    } catch (VerbsException | IllegalArgumentException e) {
      throw new RefusedException("the connecting side cannot bring up its queue pair", e);
    }
  }

  private void finish(Candidate candidate, Link link, Established established) {
    ChannelParameters theirs;
    try {
      theirs = ChannelParameters.decode(established.peerEndpoint().parameters());
    } catch (IllegalArgumentException e) {
      failed(candidate, link, Reason.PROTOCOL, e.getMessage());
      return;
    }
    Way way = way(peer.node().brief(), candidate);
    ready(
        new MeshSendChannel(
            transport,
            life(),
            link,
            way.route(established.durationNs()),
            link.partBytes(theirs),
            new PeerNic(peer.node(), candidate.remote().nicIndex())));
  }
}
