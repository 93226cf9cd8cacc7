// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.overlay;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.nic.Nic;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.connect.OverlayRoutes;
import io.meshtransport.transport.device.LocalNics;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * An overlay at a transport: a virtual NIC, ranked behind all others, and the bridge below it. Any
 * thread may call it.
 */
public final class OverlayLink implements AutoCloseable {
  private static final String WHY = "the overlay was detached";

  private final OverlayBridge bridge;
  private final OpenNic nic;
  private final LocalNics nics;
  private final Consumer<LocalNics.Gone> onLeave;
  private final Consumer<LocalNics.Gone> onGone;

  private OverlayLink(
      OverlayBridge bridge,
      OpenNic nic,
      LocalNics nics,
      Consumer<LocalNics.Gone> onLeave,
      Consumer<LocalNics.Gone> onGone) {
    this.bridge = bridge;
    this.nic = nic;
    this.nics = nics;
    this.onLeave = onLeave;
    this.onGone = onGone;
  }

  /**
   * Makes the NIC.
   *
   * @param handshakePort of this node
   * @param onLeave ends what is open over the NIC alone, and tells its peers, before this closes
   * @param onGone ends what is open over the NIC when this closes
   * @param isDetour whether what this node sends is to avoid cables that join it with its peers
   * @throws TransportException NO_RESOURCES if it cannot be made; a retry may help
   */
  public static OverlayLink open(
      Overlay overlay,
      NodeId self,
      IntSupplier handshakePort,
      LocalNics nics,
      Consumer<LocalNics.Gone> onLeave,
      Consumer<LocalNics.Gone> onGone,
      boolean isDetour)
      throws TransportException {
    Nic nic = OverlayAddress.nic(self);
    FlowNetwork network =
        new FlowNetwork(
            overlay, Overlay.NIC, nic.addresses().get(0).gid(), OverlayAddress.MTU_BYTES, isDetour);
    VerbsDevice device = new SoftDevice(Overlay.NIC, network);
    OverlayBridge bridge = null;
    try {
      bridge = OverlayBridge.open(overlay, network, self, handshakePort);
      return new OverlayLink(bridge, nics.attach(nic, device), nics, onLeave, onGone);
    } catch (VerbsException | IOException e) {
      if (bridge != null) {
        bridge.close();
      }
      close(device, e);
      throw new TransportException(
          Reason.NO_RESOURCES, "the overlay's NIC cannot be made: " + e.getMessage(), e);
    }
  }

  private static void close(VerbsDevice device, Exception why) {
    try {
      device.close();
    } catch (VerbsException e) {
      why.addSuppressed(e);
    }
  }

  /** For the transport's set-ups. */
  public OverlayRoutes routes() {
    return bridge;
  }

  @Override
  public void close() {
    try {
      onLeave.accept(new LocalNics.Gone(nic, WHY));
    } finally {
      detach();
    }
  }

  /** Nobody else knows the bridge and the NIC. */
  private void detach() {
    try {
      bridge.close();
    } finally {
      nics.detach(nic, WHY, onGone);
    }
  }
}
