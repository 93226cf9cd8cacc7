package io.meshtransport.transport;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.spi.NicDescription;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.PortAttributes;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A NIC in use: its opened device and the one protection domain everything on it lives in. Owned by
 * the transport. Any thread may call it.
 */
final class OpenNic implements AutoCloseable {
  private final int index;
  private final Nic nic;
  private final VerbsDevice device;
  private final ProtectionDomain domain;
  private final PortAttributes port;
  private final AtomicInteger liveChannels = new AtomicInteger();

  private OpenNic(
      int index, Nic nic, VerbsDevice device, ProtectionDomain domain, PortAttributes port) {
    this.index = index;
    this.nic = nic;
    this.device = device;
    this.domain = domain;
    this.port = port;
  }

  /**
   * Takes a device over: closes it if anything goes wrong here.
   *
   * @param index position among the transport's NICs, by which the peer names it too
   */
  static OpenNic over(int index, Nic nic, VerbsDevice device) throws VerbsException {
    ProtectionDomain domain = null;
    try {
      domain = device.allocateProtectionDomain();
      Nic current = withCurrentRows(nic, device.gidTable(nic.port()));
      return new OpenNic(index, current, device, domain, device.queryPort(nic.port()));
    } catch (VerbsException e) {
      if (domain != null) {
        domain.close();
      }
      device.close();
      throw e;
    }
  }

  /**
   * Rows move when addresses come and go, so each is found again by its GID rather than trusted by
   * its index.
   */
  private static Nic withCurrentRows(Nic nic, List<GidEntry> table) throws VerbsException {
    List<NicAddress> current = new ArrayList<>();
    for (NicAddress address : nic.addresses()) {
      table.stream()
          .filter(
              row -> row.gid().equals(address.gid().gid()) && row.type() == address.gid().type())
          .findFirst()
          .ifPresent(row -> current.add(new NicAddress(address.link(), row)));
    }
    if (current.isEmpty()) {
      throw new VerbsException(
          Errno.ENODEV,
          nic.label()
              + " port "
              + nic.port()
              + ": none of "
              + nic.addresses()
              + " is in its GID table any more. Were the"
              + " addresses changed a moment ago? Then open the transport again.");
    }
    return nic.withAddresses(current);
  }

  NicDescription describe() {
    return new NicDescription(
        nic.device(),
        nic.netdev(),
        nic.provider(),
        nic.addresses().stream().map(NicAddress::toString).toList(),
        nic.speedMbps(),
        maxMessageBytes());
  }

  int index() {
    return index;
  }

  Nic nic() {
    return nic;
  }

  VerbsDevice device() {
    return device;
  }

  ProtectionDomain domain() {
    return domain;
  }

  /** Largest message of one work request in bytes. */
  long maxMessageBytes() {
    return port.maxMessageBytes();
  }

  AtomicInteger liveChannels() {
    return liveChannels;
  }

  @Override
  public void close() throws VerbsException {
    domain.close();
    device.close();
  }
}
