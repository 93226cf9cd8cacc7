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
  private final DetachListener listener;

  /** Ends what is open over the NIC when the overlay is detached. */
  public interface DetachListener {
    /** The NIC still works: peers can be told. */
    void leaving(LocalNics.Gone nic);

    /** The NIC does not work any more. Called with the lock of the NICs. */
    void gone(LocalNics.Gone nic);
  }

  private OverlayLink(OverlayBridge bridge, OpenNic nic, LocalNics nics, DetachListener listener) {
    this.bridge = bridge;
    this.nic = nic;
    this.nics = nics;
    this.listener = listener;
  }

  /**
   * Makes the NIC.
   *
   * @param handshakePort of this node
   * @param listener is called when this closes
   * @param isDetour whether what this node sends is to avoid cables that join it with its peers
   * @throws TransportException NO_RESOURCES if it cannot be made; a retry may help
   */
  public static OverlayLink open(
      Overlay overlay,
      NodeId self,
      IntSupplier handshakePort,
      LocalNics nics,
      DetachListener listener,
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
      return new OverlayLink(bridge, nics.attach(nic, device), nics, listener);
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
      listener.leaving(new LocalNics.Gone(nic, WHY));
    } finally {
      detach();
    }
  }

  /** This object alone can close the bridge and the NIC. */
  private void detach() {
    try {
      bridge.close();
    } finally {
      nics.detach(nic, WHY, listener::gone);
    }
  }
}
