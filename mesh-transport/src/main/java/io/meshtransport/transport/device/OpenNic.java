// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import io.meshtransport.nic.AddressText;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.nic.PortState;
import io.meshtransport.spi.NicDescription;
import io.meshtransport.verbs.DeviceAttributes;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.PortAttributes;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * A NIC in use: its opened device and the one protection domain everything on it lives in. Owned by
 * the transport's {@link LocalNics}, which keeps its description up to date and closes it once
 * nothing uses it. Any thread may call it.
 */
public final class OpenNic implements AutoCloseable {
  /** Name of the provider whose devices are software. */
  public static final String SOFTWARE = "soft";

  private static final Logger LOG = LogManager.getLogger(OpenNic.class);

  /** Of {@link #uses}: closed, so that nothing may use it any more. */
  private static final int CLOSED = -1;

  private final int index;
  private final VerbsDevice device;
  private final ProtectionDomain domain;
  private final PortAttributes port;
  private final int readsServed;
  private final int readsIssued;
  private final int maxQueueDepth;
  private final int maxCompletions;
  private final DeviceEvents events;
  private final Teardown teardown;
  private final ControlMemory control;
  private final AtomicInteger liveChannels = new AtomicInteger();
  private final AtomicInteger uses = new AtomicInteger();
  private volatile Nic nic;

  /** By System.nanoTime; meaningless while the port has a carrier. */
  private volatile long carrierLostNs = System.nanoTime();

  private OpenNic(
      int index,
      Nic nic,
      VerbsDevice device,
      ProtectionDomain domain,
      PortAttributes port,
      DeviceAttributes limits) {
    this.index = index;
    this.nic = nic;
    this.device = device;
    this.domain = domain;
    this.port = port;
    readsServed = reads(limits.maxReadAtomic());
    readsIssued = reads(limits.maxInitiatedReadAtomic());
    maxQueueDepth = limits.maxQueuePairDepth();
    maxCompletions = limits.maxCompletionQueueDepth();
    this.control = new ControlMemory(domain);
    this.teardown = new Teardown(nic.label(), device);
    this.events = new DeviceEvents(nic.label(), nic.port(), device::pollAsyncEvent);
  }

  /**
   * Takes a device over: closes it if anything goes wrong here.
   *
   * @param index position among the transport's NICs, by which the peer names it too
   */
  public static OpenNic over(int index, Nic nic, VerbsDevice device) throws VerbsException {
    try (Rollback undo = new Rollback()) {
      undo.on(device);
      ProtectionDomain domain = undo.on(device.allocateProtectionDomain());
      Nic current = withCurrentRows(nic, device.gidTable(nic.port()));
      PortAttributes port = device.queryPort(nic.port());
      OpenNic open = new OpenNic(index, current, device, domain, port, device.query());
      undo.keepAll();
      return open;
    }
  }

  /** Every device that is an RDMA device does one at least. */
  private static int reads(int deviceLimit) {
    return Math.max(1, Math.min(QueuePairSettings.MAX_READS, deviceLimit));
  }

  /** Only the addresses that have a row now. */
  private static Nic withCurrentRows(Nic nic, List<GidEntry> table) throws VerbsException {
    List<NicAddress> current = new ArrayList<>();
    for (NicAddress address : nic.addresses()) {
      find(address.gid(), table).ifPresent(row -> current.add(new NicAddress(address.link(), row)));
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

  /** A VLAN repeats the GIDs of the interface below it: its interface tells a row from its twin. */
  private static Optional<GidEntry> find(GidEntry wanted, List<GidEntry> table) {
    return table.stream()
        .filter(row -> row.gid().equals(wanted.gid()) && row.type() == wanted.type())
        .filter(
            row -> row.ifindex() == 0 || wanted.ifindex() == 0 || row.ifindex() == wanted.ifindex())
        .findFirst();
  }

  /**
   * Where a GID is in the table now: rows move when addresses come and go, so each is found again
   * by its value rather than trusted by its index.
   *
   * @throws VerbsException ENODEV if it is in no row; a retry helps once the address is back
   */
  public GidEntry rowNow(GidEntry wanted) throws VerbsException {
    events.poll(System.nanoTime());
    if (events.isDeviceLost()) {
      throw new VerbsException(
          Errno.ENODEV,
          nic.label()
              + " has failed and answers no more. It is opened anew as soon as the host has it again.");
    }
    Optional<GidEntry> row = find(wanted, device.gidTable(nic.port()));
    if (row.isEmpty()) {
      String address = AddressText.of(wanted.gid().toAddress());
      throw new VerbsException(
          Errno.ENODEV,
          "%s port %d: %s is not in its GID table any more. Give the address back, `ip addr show dev %s` shows what"
                  .formatted(nic.label(), nic.port(), address, nic.netdev())
              + " there is; others are used as soon as they are there.");
    }
    return row.get();
  }

  /**
   * Keeps it open until the use is closed.
   *
   * @throws VerbsException ENODEV if it is closed already
   */
  public Use use() throws VerbsException {
    int before;
    do {
      before = uses.get();
      if (before == CLOSED) {
        throw new VerbsException(Errno.ENODEV, nic.label() + " is gone from this host.");
      }
    } while (!uses.compareAndSet(before, before + 1));
    return new Use(this);
  }

  /** One use of a NIC; closing it twice is closing it once. */
  public static final class Use implements AutoCloseable {
    private final OpenNic of;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Use(OpenNic of) {
      this.of = of;
    }

    @Override
    public void close() {
      if (closed.compareAndSet(false, true)) {
        of.uses.decrementAndGet();
      }
    }
  }

  /** Forbids further uses; answers false while there are any. */
  public boolean retire() {
    return uses.compareAndSet(0, CLOSED) || uses.get() == CLOSED;
  }

  /** The host has changed: what it says of this NIC now. */
  public void update(Nic now) {
    if (nic.state() == PortState.ACTIVE) {
      carrierLostNs = System.nanoTime();
    }
    nic = now;
  }

  /**
   * For how long the port has lacked a carrier, as the transport saw it; 0 if it has one. Seen up
   * to half a second late.
   */
  public long withoutCarrierNs(long nowNs) {
    return nic.state() == PortState.ACTIVE ? 0 : Math.max(0, nowNs - carrierLostNs);
  }

  /**
   * Has a software device listen at the addresses of now: at one that has gone to another
   * interface, its socket would keep the data port from that interface's device.
   */
  void followAddresses() {
    if (nic.provider().equals(SOFTWARE)) {
      try {
        device.gidTable(nic.port());
      } catch (VerbsException e) {
        // Then it keeps them, and the other's failure says so.
        LOG.debug("{} cannot read its addresses", nic.label(), e);
      }
    }
  }

  /** Whether a description is of this very interface of this port. */
  public boolean isOf(Nic other) {
    Nic mine = nic;
    return mine.provider().equals(other.provider())
        && mine.device().equals(other.device())
        && mine.port() == other.port()
        && mine.netdev().equals(other.netdev())
        && mine.ifindex() == other.ifindex();
  }

  /** Largest payload of a packet in bytes, now: by the port and by its network interface. */
  public int activeMtuBytesNow() throws VerbsException {
    return Math.min(nic.activeMtu(), device.queryPort(nic.port()).activeMtuBytes());
  }

  public NicDescription describe() {
    Nic now = nic;
    return new NicDescription(
        now.device(),
        now.netdev(),
        now.provider(),
        now.addresses().stream().map(NicAddress::toString).toList(),
        now.speedMbps(),
        maxMessageBytes(),
        now.state() == PortState.ACTIVE);
  }

  public int index() {
    return index;
  }

  /** What the host says of it now. */
  public Nic nic() {
    return nic;
  }

  public VerbsDevice device() {
    return device;
  }

  public ProtectionDomain domain() {
    return domain;
  }

  /** Work requests in one queue of a queue pair, at most. */
  public int maxQueueDepth() {
    return maxQueueDepth;
  }

  /** Completions in one completion queue, at most. */
  public int maxCompletions() {
    return maxCompletions;
  }

  /** Largest message of one work request in bytes. */
  public long maxMessageBytes() {
    return port.maxMessageBytes();
  }

  /** A peer's reads that it serves at once on one channel, 1 to 16. */
  public int readsServed() {
    return readsServed;
  }

  /** Own reads that it has under way at once on one channel, 1 to 16. */
  public int readsIssued() {
    return readsIssued;
  }

  /** What the device has reported of itself. */
  public DeviceEvents events() {
    return events;
  }

  /** Takes away what was made on it. */
  public Teardown teardown() {
    return teardown;
  }

  public AtomicInteger liveChannels() {
    return liveChannels;
  }

  /** Memory for the control messages of its links. */
  public ControlMemory control() {
    return control;
  }

  @Override
  public void close() throws VerbsException {
    control.close();
    domain.close();
    device.close();
  }
}
