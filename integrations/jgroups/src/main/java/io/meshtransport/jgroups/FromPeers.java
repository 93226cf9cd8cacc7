package io.meshtransport.jgroups;

import io.meshtransport.spi.TransportException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.jgroups.logging.Log;

/** What peers send, on their links' threads: bundles for JGroups, news for the directory. */
final class FromPeers implements LinkIn.Arrivals {
  private final MESH mesh;
  private final Supplier<Running> current;
  private final Log log;

  /**
   * @param current what runs now; gives null before the start and after the end
   */
  FromPeers(MESH mesh, Supplier<Running> current, Log log) {
    this.mesh = mesh;
    this.current = current;
    this.log = log;
  }

  @Override
  public void directory(DirectoryMessage message) {
    Running now = current.get();
    if (now != null) {
      // First: what the directory does with a new life may ask who was the member of the former.
      introduced(now, message);
      now.directory().meet(message.sender());
      message.others().forEach(now.directory()::learn);
    }
  }

  private void introduced(Running now, DirectoryMessage message) {
    byte[] handle = message.sender().handle();
    try {
      now.absences().introduced(handle, MemberAddress.read(message.member()));
    } catch (IOException e) {
      log.debug("%s: of node %s: %s", now.directory().self(), message.sender(), e.getMessage());
    }
  }

  @Override
  public void bundle(Node sender, ByteBuffer bundle) {
    try {
      Delivery.deliver(mesh, sender.overlay(), new SlotInput(bundle), bundle.remaining());
    } catch (Exception e) {
      log.error("a bundle from node %s cannot be read: %s", sender, e);
    }
  }

  @Override
  public void ended(LinkIn link, Node sender, TransportException why) {
    Running now = current.get();
    if (now != null) {
      now.reception().ended(link);
      log.debug(
          "%s: the link from %s is over: %s",
          now.directory().self(), sender, why == null ? "closed here" : why.summary());
      if (why != null && sender != null) {
        now.absences().ended(sender.handle(), why);
        now.links().doubt(sender.handle());
      }
    }
  }

  @Override
  public void nonsense(Node sender, String peer, ProtocolException why) {
    log.warn(
        "The link from %s (%s) is closed, for what it sends is not MESH: %s",
        sender, peer, why.getMessage());
  }
}
