// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.handshake.Handshaker;
import io.meshtransport.handshake.LegacyPort;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.connect.ConnectContext;
import io.meshtransport.transport.connect.MeshListener;
import io.meshtransport.transport.ncclmesh.NcclMeshWire;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Opens the listeners of a transport, each with a handle that names this node's addresses of now;
 * with MESH_COMPAT also a port for C plugins. Any thread may call it.
 */
final class ListenerFactory {
  private final ConnectContext context;
  private final Handshaker handshaker;
  private final Optional<NcclMeshWire> legacy;

  /**
   * @param legacy the C plugin's wire, if MESH_COMPAT allows it
   */
  ListenerFactory(ConnectContext context, Handshaker handshaker, Optional<NcclMeshWire> legacy) {
    this.context = context;
    this.handshaker = handshaker;
    this.legacy = legacy;
  }

  /**
   * Opens a listener, which is in the transport's registry until it is closed.
   *
   * @throws TransportException NO_RESOURCES or NO_NIC, of the C plugin's wire
   */
  MeshListener open(ConnectOptions options) throws TransportException {
    return context.listeners().open(id -> listener(id, options));
  }

  private MeshListener listener(int id, ConnectOptions options) throws TransportException {
    return legacy.isPresent()
        ? legacyListener(legacy.get(), id, options)
        : listener(id, options, () -> handle(id).encode(), () -> {});
  }

  private MeshListener listener(
      int id, ConnectOptions options, Supplier<byte[]> handle, Runnable onClose) {
    return new MeshListener(
        handshaker.self().shortId(),
        id,
        options,
        handle,
        context.executor(),
        listener -> {
          onClose.run();
          context.listeners().remove(listener);
        });
  }

  private MeshListener legacyListener(NcclMeshWire wire, int id, ConnectOptions options)
      throws TransportException {
    LegacyPort port = wire.listen(context, handshaker, id);
    try {
      byte[] first = wire.handle(port, handle(id));
      return listener(id, options, () -> legacyHandle(wire, port, id, first), port::close);
    } catch (TransportException e) {
      port.close();
      throw e;
    }
  }

  /** While there is no IPv4 address for the C plugin's part: the handle of when there was one. */
  private byte[] legacyHandle(NcclMeshWire wire, LegacyPort port, int id, byte[] first) {
    try {
      return wire.handle(port, handle(id));
    } catch (TransportException noAddress) {
      return first.clone();
    }
  }

  /** With the addresses of now. */
  private PeerHandle handle(int listenerId) {
    return new PeerHandle(handshaker.self(), listenerId, handshaker.port(), addresses());
  }

  private List<HandleAddress> addresses() {
    return context.nics().now().stream()
        .flatMap(
            nic ->
                nic.nic().addresses().stream()
                    .map(
                        address ->
                            new HandleAddress(address.link(), nic.index(), nic.nic().speedMbps())))
        .sorted(Comparator.comparing(address -> address.link().isLinkLocal()))
        .limit(PeerHandle.MAX_ADDRESSES)
        .toList();
  }
}
