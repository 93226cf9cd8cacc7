// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import java.util.List;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.protocols.PerDestinationBundler;
import org.jgroups.protocols.TP;
import org.jgroups.util.ByteArrayDataOutputStream;

/**
 * JGroups' per-destination bundler, except that a bundle is written into registered memory and sent
 * from there. {@link MESH} uses it wherever a stack configures {@code per-destination}, the default
 * of the newest JGroups, but with 5.5 alone: earlier versions of that bundler have other internals,
 * and later ones may have. In other transports it behaves as JGroups' own.
 *
 * <p>JGroups makes it by name and calls it.
 */
public class RegisteredPerDestination extends PerDestinationBundler {
  /** One per thread that sends: a single one for all destinations, unless a stack wants more. */
  private final ThreadLocal<BundleOutput> registered = ThreadLocal.withInitial(this::output);

  /** For JGroups, which makes it by name. */
  public RegisteredPerDestination() {}

  private BundleOutput output() {
    return transport instanceof MESH mesh
        ? new BundleOutput(max_size + TP.MSG_OVERHEAD, mesh::sendSlots)
        : null;
  }

  @Override
  protected void sendSingleMessage(Address dest, Message message, ByteArrayDataOutputStream array)
      throws Exception {
    BundleOutput output = registered.get();
    if (output == null) {
      super.sendSingleMessage(dest, message, array);
      return;
    }
    try {
      super.sendSingleMessage(dest, message, output);
    } finally {
      output.release();
    }
  }

  @Override
  protected void sendMessageList(
      Address dest, Address source, List<Message> messages, ByteArrayDataOutputStream array)
      throws Exception {
    BundleOutput output = registered.get();
    if (output == null) {
      super.sendMessageList(dest, source, messages, array);
      return;
    }
    try {
      super.sendMessageList(dest, source, messages, output);
    } finally {
      output.release();
    }
  }
}
