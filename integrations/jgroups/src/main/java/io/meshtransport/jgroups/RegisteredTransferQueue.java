package io.meshtransport.jgroups;

import org.jgroups.protocols.TP;
import org.jgroups.protocols.TransferQueueBundler;

/**
 * JGroups' transfer-queue bundler, except that a bundle is written into registered memory and sent
 * from there. {@link MESH} takes it wherever a stack asks for {@code transfer-queue}; in other
 * transports it is JGroups' own.
 *
 * <p>JGroups makes it by its name and calls it.
 */
public class RegisteredTransferQueue extends TransferQueueBundler {
  private BundleOutput registered;

  /** For JGroups, which makes it by name. */
  public RegisteredTransferQueue() {}

  @Override
  public void init(TP transport) {
    super.init(transport);
    if (transport instanceof MESH mesh) {
      registered = new BundleOutput(output.capacity(), mesh::slots);
      output = registered;
    }
  }

  /** By JGroups' thread for it; when that ends too slowly, what is left comes from another. */
  @Override
  protected synchronized void sendBundledMessages() {
    try {
      super.sendBundledMessages();
    } finally {
      if (registered != null) {
        registered.release();
      }
    }
  }
}
