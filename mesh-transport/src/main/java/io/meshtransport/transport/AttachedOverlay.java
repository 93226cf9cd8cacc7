// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.handshake.Handshaker;
import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.connect.ConnectContext;
import io.meshtransport.transport.connect.OverlayRoutes;
import io.meshtransport.transport.overlay.OverlayLink;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** The overlay of a transport, which has one at most. Any thread may call it. */
final class AttachedOverlay implements AutoCloseable {
  private final ConnectContext context;
  private final Handshaker handshaker;
  private final HostChanges host;

  /** Whether the transport speaks the C plugin's wire, which knows cables only. */
  private final boolean isLegacy;

  private final AtomicReference<OverlayLink> attached = new AtomicReference<>();

  /** With the monitor: what is attached later nobody would detach. */
  private boolean isClosed;

  AttachedOverlay(
      ConnectContext context, Handshaker handshaker, HostChanges host, boolean isLegacy) {
    this.context = context;
    this.handshaker = handshaker;
    this.host = host;
    this.isLegacy = isLegacy;
  }

  /**
   * As {@link io.meshtransport.spi.Transport#attach}.
   *
   * @throws TransportException also CLOSED
   */
  synchronized Overlay.Attachment attach(Overlay overlay) throws TransportException {
    if (isClosed) {
      throw new TransportException(Reason.CLOSED, "the transport is closed");
    }
    if (isLegacy || context.nics().areFixed() || attached.get() != null) {
      throw new TransportException(
          Reason.UNAVAILABLE,
          attached.get() != null
              ? "an overlay is attached to this transport already"
              : "this transport reaches nodes over cables only (MESH_COMPAT)");
    }
    // A rail beside that over the cable is of use only if it is beside the cable, too.
    boolean isDetour = context.settings().isStandbyUsed();
    OverlayLink link =
        OverlayLink.open(
            overlay, handshaker.self(), handshaker::port, context.nics(), host, isDetour);
    attached.set(link);
    context.routes().overlay(link.routes());
    host.attachedChanged();
    return () -> detach(link);
  }

  private void detach(OverlayLink link) {
    if (attached.compareAndSet(link, null)) {
      context.routes().overlay(OverlayRoutes.NONE);
      link.close();
      host.attachedChanged();
    }
  }

  /** Detaches it, if there is one. */
  @Override
  public void close() {
    synchronized (this) {
      isClosed = true;
    }
    Optional.ofNullable(attached.get()).ifPresent(this::detach);
  }
}
