// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.ncclmesh;

import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.handshake.Handshaker;
import io.meshtransport.handshake.LegacyConnectRequest;
import io.meshtransport.handshake.LegacyEndpoint;
import io.meshtransport.handshake.LegacyEstablished;
import io.meshtransport.handshake.LegacyHandle;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.handshake.RefusedException;
import io.meshtransport.nic.Gid;
import io.meshtransport.spi.Route;
import io.meshtransport.transport.connect.ConnectContext;
import io.meshtransport.transport.connect.Connector;
import io.meshtransport.transport.connect.RouteDescription;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.device.Rollback;
import io.meshtransport.transport.route.Candidate;
import io.meshtransport.transport.route.Routes;
import io.meshtransport.verbs.VerbsException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Connects to a C plugin: a candidate counts when it answers, for that wire has no proof of
 * identity. {@link #bringUp} runs on a handshake thread, the rest on the set-up thread.
 */
public final class NcclMeshConnector extends Connector {
  private static final Logger LOG = LogManager.getLogger(NcclMeshConnector.class);

  private final Handshaker handshaker;
  private final NcclMeshWire wire;
  private final LegacyHandle peer;

  public NcclMeshConnector(
      ConnectContext context,
      Handshaker handshaker,
      NcclMeshWire wire,
      LegacyHandle peer,
      Optional<InetAddress> named) {
    super(context, NcclMeshWire.peerName(peer.addresses().get(0).link().address()), named);
    this.handshaker = handshaker;
    this.wire = wire;
    this.peer = peer;
  }

  @Override
  public Routes routes() {
    return context
        .routes()
        .plan(
            peer.addresses().stream()
                .map(
                    address ->
                        new HandleAddress(
                            address.link(), address.nicIndex(), NcclMeshWire.SPEED_UNKNOWN))
                .toList(),
            named());
  }

  @Override
  public Optional<NodeId> peerNode() {
    return Optional.empty();
  }

  @Override
  public String peerId() {
    return NcclMeshWire.peerName(peer.addresses().get(0).link().address());
  }

  /** A listener on that wire has a channel as soon as it answers; there is no taking it back. */
  @Override
  public boolean isSideBySide() {
    return false;
  }

  @Override
  public void shakeHands(Candidate candidate, long untilNs) throws VerbsException {
    OpenNic nic = context.openNic(candidate.nic());
    try (Rollback undo = new Rollback()) {
      NcclMeshEndpoint line = undo.on(NcclMeshEndpoint.open(nic, candidate.local().gid()));
      LegacyConnectRequest request =
          new LegacyConnectRequest(
              candidate.local().link().address(),
              new InetSocketAddress(candidate.remote().link().address(), peer.handshakePort()),
              wire.endpoint(
                  line, candidate.local(), line.gid().gid(), candidate.remote().nicIndex()),
              untilNs);
      CompletableFuture<LegacyEstablished> handshake =
          handshaker.connectLegacy(request, theirs -> bringUp(candidate, line, theirs));
      undo.keepAll();
      await(candidate, line, handshake, established -> finish(candidate, line, established));
    }
  }

  private void bringUp(Candidate candidate, NcclMeshEndpoint line, LegacyEndpoint theirs)
      throws RefusedException {
    // An answer without an address means the one that was dialled.
    Inet4Address ip =
        theirs.ip().isAnyLocalAddress()
            ? (Inet4Address) candidate.remote().link().address()
            : theirs.ip();
    NcclMeshWire.requireNeighbour(candidate.local(), ip);
    if (peer.mtuBytes() > line.mtuBytes(wire.settings())) {
      LOG.warn(
          "{}: its handle says path MTU {}, {} does {}: longer messages may fail unless it uses that, too",
          NcclMeshWire.peerName(ip),
          peer.mtuBytes(),
          candidate.nic().label(),
          line.mtuBytes(wire.settings()));
    }
    try {
      line.connect(NcclMeshWire.queuePair(theirs, Gid.of(ip), peer.mtuBytes()), wire.settings());
    } catch (VerbsException | IllegalArgumentException e) {
      throw new RefusedException("no queue pair to the C plugin: " + e.getMessage(), e);
    }
  }

  private void finish(Candidate candidate, NcclMeshEndpoint line, LegacyEstablished established) {
    String name = NcclMeshWire.peerName(candidate.remote().link().address());
    Route route = RouteDescription.of(name, "", candidate, "", established.durationNs());
    ready(candidate, new NcclMeshSendChannel(context.forChannels(), life(), line, route));
  }
}
