// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.handshake.CompatHandle;
import io.meshtransport.handshake.HandleFormatException;
import io.meshtransport.handshake.Handshaker;
import io.meshtransport.handshake.LegacyHandle;
import io.meshtransport.handshake.LookupRequest;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.connect.ChannelPromise;
import io.meshtransport.transport.connect.ConnectContext;
import io.meshtransport.transport.connect.Connector;
import io.meshtransport.transport.connect.HandleLookup;
import io.meshtransport.transport.connect.MeshConnector;
import io.meshtransport.transport.connect.PromisedFuture;
import io.meshtransport.transport.ncclmesh.NcclMeshConnector;
import io.meshtransport.transport.ncclmesh.NcclMeshWire;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Starts what goes from a transport to peers: connects to the nodes that handles name, on our wire
 * or on the C plugin's, and lookups of handles. Any thread may call it.
 */
final class OutboundConnects {
  private final ConnectContext context;
  private final Handshaker handshaker;
  private final Optional<NcclMeshWire> legacy;

  /**
   * @param legacy the C plugin's wire, if MESH_COMPAT allows it
   */
  OutboundConnects(ConnectContext context, Handshaker handshaker, Optional<NcclMeshWire> legacy) {
    this.context = context;
    this.handshaker = handshaker;
    this.legacy = legacy;
  }

  /**
   * Starts the set-up of a one-way channel.
   *
   * @param named the peer's address that the caller knows, if it knows one
   * @throws TransportException BAD_HANDLE
   */
  ChannelFuture<SendChannel> connect(byte[] handle, Optional<InetAddress> named)
      throws TransportException {
    return PromisedFuture.of(
        start(connectorTo(handle, named)), SendChannel.class, context.executor());
  }

  /**
   * Starts the set-up of a connection.
   *
   * @throws TransportException BAD_HANDLE
   */
  ChannelFuture<Connection> connect(byte[] handle, ConnectOptions options)
      throws TransportException {
    MeshConnector connector =
        new MeshConnector(
            context,
            handshaker,
            ownHandle(handle),
            options.preferredAddress(),
            Optional.of(options));
    return PromisedFuture.of(start(connector), Connection.class, context.executor());
  }

  private ChannelPromise<SendChannel> start(Connector connector) {
    context.pending().add(connector);
    context.executor().execute(connector::start);
    return connector.opening();
  }

  /** A handle of both wires is taken for our own, which can do more. */
  private Connector connectorTo(byte[] handle, Optional<InetAddress> named)
      throws TransportException {
    boolean isLegacy = LegacyHandle.isMeant(handle);
    byte[] ours = isLegacy ? CompatHandle.ours(handle) : handle;
    try {
      if (isLegacy && ours.length == 0) {
        return new NcclMeshConnector(
            context, handshaker, legacyOrRefuse(), LegacyHandle.decode(handle), named);
      }
      return new MeshConnector(
          context, handshaker, PeerHandle.decodePadded(ours), named, Optional.empty());
    } catch (HandleFormatException e) {
      throw new TransportException(Reason.BAD_HANDLE, e.getMessage(), e.getCause());
    }
  }

  private NcclMeshWire legacyOrRefuse() throws TransportException {
    return legacy.orElseThrow(
        () ->
            new TransportException(
                Reason.BAD_HANDLE,
                "This is a handle of the C plugin nccl-mesh, whose wire has no authentication. Set"
                    + " MESH_COMPAT=nccl-mesh on this node to connect to it all the same."));
  }

  /**
   * What our own wire needs of a handle.
   *
   * @throws TransportException BAD_HANDLE
   */
  static PeerHandle ownHandle(byte[] handle) throws TransportException {
    byte[] ours = LegacyHandle.isMeant(handle) ? CompatHandle.ours(handle) : handle;
    if (LegacyHandle.isMeant(handle) && ours.length == 0) {
      throw new TransportException(
          Reason.BAD_HANDLE,
          "This is a handle of the C plugin nccl-mesh, whose channels go one way. Connect to it"
              + " without options.");
    }
    try {
      return PeerHandle.decodePadded(ours);
    } catch (HandleFormatException e) {
      throw new TransportException(Reason.BAD_HANDLE, e.getMessage(), e.getCause());
    }
  }

  /** As {@link io.meshtransport.spi.Transport#lookup}. */
  CompletableFuture<byte[]> lookup(InetSocketAddress address) {
    long deadlineNs = System.nanoTime() + context.settings().timeoutNs();
    return HandleLookup.ask(handshaker, new LookupRequest(address, deadlineNs));
  }
}
