// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import io.meshtransport.nic.HostFingerprint;
import io.meshtransport.nic.Inventory;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.nic.PortState;
import io.meshtransport.nic.Rejection;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The NICs of one transport: follows the host, whose interfaces and RDMA ports come and go, get
 * other addresses, lose their carrier and have it again. Opens what comes, keeps open what only has
 * no address or carrier for a while, and closes what is gone once nothing uses it. Owned by the
 * transport.
 *
 * <p>A NIC has one index as long as it is open, by which handles, rails and keys of memory name it;
 * an interface that comes back gets the index it had, if that is free.
 *
 * <p>Any thread may call it. Looks are made one at a time; {@link #now} waits for none.
 */
public final class LocalNics {
  /** Handles, rails and keys name NICs by small numbers. */
  static final int MAX_NICS = 256;

  /** A look that others ask for is spared if there was one so shortly before. */
  private static final long FRESH_NS = TimeUnit.MILLISECONDS.toNanos(20);

  /** GID rows follow addresses after a while: so many scans after a change read everything. */
  private static final int SETTLING_LOOKS = 8;

  /** Of a NIC that cannot be opened, in scans. */
  private static final int RETRY_SCANS = 10;

  /** What is absent for one look may have been hidden by the look itself. */
  private static final int ABSENT_LOOKS = 2;

  private static final Logger LOG = LogManager.getLogger(LocalNics.class);

  /** A NIC whose interface is gone, and why that is said. */
  public record Gone(OpenNic nic, String why) {}

  /** Empty where the NICs are fixed. */
  private final Optional<NicHost> host;

  private final Registrations registrations;

  /** Everything that is open. Guarded by this. */
  private final List<OpenNic> open = new ArrayList<>();

  /** Of these, which wait to be closed. */
  private final Set<OpenNic> retired = new HashSet<>();

  /** Of those, which are gone from the host, and why. */
  private final Map<OpenNic, Gone> gone = new HashMap<>();

  /** And which are being closed. */
  private final Map<OpenNic, Teardown.Removal> closing = new HashMap<>();

  /** NICs that are not of the host, which scans leave alone. Guarded by this. */
  private final Set<OpenNic> attached = new HashSet<>();

  private final Map<OpenNic, Integer> absentLooks = new HashMap<>();

  /** By device and interface: the index each had last. */
  private final Map<String, Integer> indices = new HashMap<>();

  /** What cannot be opened, so that it is said once. */
  private final Map<String, String> refused = new HashMap<>();

  private Optional<HostFingerprint> last = Optional.empty();
  private int settling;
  private int scans;
  private long lastScanNs;
  private boolean isClosed;

  /** Those that the host has with an address, best first. Replaced, never changed. */
  private volatile List<OpenNic> now = List.of();

  private volatile int indexBound;

  private LocalNics(Optional<NicHost> host, List<OpenNic> nics) {
    this.host = host;
    open.addAll(nics);
    now = List.copyOf(nics);
    indexBound = nics.size();
    registrations = new Registrations(now);
  }

  /** NICs that never change, taken over. */
  public static LocalNics fixed(List<OpenNic> nics) {
    return new LocalNics(Optional.empty(), nics);
  }

  /**
   * Opens what a host has now: one broken NIC does not take the others away.
   *
   * @param refusals gets a sentence for each NIC that could not be opened
   */
  public static LocalNics of(NicHost host, List<String> refusals) {
    LocalNics nics = new LocalNics(Optional.of(host), List.of());
    nics.openFirst(host, refusals);
    return nics;
  }

  private synchronized void openFirst(NicHost from, List<String> refusals) {
    try {
      openAll(from, refusals);
    } catch (RuntimeException | Error e) {
      close(new IllegalStateException(e));
      throw e;
    }
  }

  private void openAll(NicHost from, List<String> refusals) {
    last = Optional.of(from.fingerprint());
    Inventory found = from.scan();
    List<OpenNic> usable = new ArrayList<>();
    for (Nic nic : found.candidates()) {
      try {
        usable.add(opened(from, nic));
      } catch (VerbsException e) {
        refusals.add(cannotBeOpened(nic, e));
      }
    }
    now = List.copyOf(usable);
    settling = SETTLING_LOOKS;
    if (usable.isEmpty()) {
      found.rejections().stream().map(Rejection::toString).forEach(refusals::add);
    }
    usable.stream().map(OpenNic::nic).filter(nic -> !isActive(nic)).forEach(LocalNics::noCarrier);
  }

  private static void noCarrier(Nic nic) {
    LOG.warn(
        "{} has the address {} but is {}, without a carrier: check that it is set up (`ip link set {} up`), its"
            + " cable, and that the machine at the other end is on. It is used as soon as it has one.",
        nic.label(),
        nic.addresses(),
        nic.state(),
        nic.netdev());
  }

  private static boolean isActive(Nic nic) {
    return nic.state() == PortState.ACTIVE;
  }

  private static String cannotBeOpened(Nic nic, VerbsException why) {
    return nic.label() + " cannot be opened: " + why.getMessage();
  }

  // --- questions

  /** The NICs that the host has with an address, with or without a carrier, best first. */
  public List<OpenNic> now() {
    return now;
  }

  /** What the host says of them now. */
  public List<Nic> described() {
    return now.stream().map(OpenNic::nic).toList();
  }

  /** The one of a description, however old, if the host still has it. */
  public Optional<OpenNic> find(Nic nic) {
    return now.stream().filter(each -> each.isOf(nic)).findFirst();
  }

  /** The one with an index, if the host still has it. */
  public Optional<OpenNic> at(int index) {
    return now.stream().filter(nic -> nic.index() == index).findFirst();
  }

  /** The one that has an address now. */
  public Optional<OpenNic> at(InetAddress address) {
    return now.stream()
        .filter(nic -> nic.nic().addresses().stream().anyMatch(own -> own.is(address)))
        .findFirst();
  }

  /** All indices so far are below it. */
  public int indexBound() {
    return indexBound;
  }

  /** Everything that is registered. */
  public Registrations registrations() {
    return registrations;
  }

  /** Whether these are no host's, and never change. */
  public boolean areFixed() {
    return host.isEmpty();
  }

  /** Whether the host is followed. */
  boolean isFollowing() {
    return host.filter(NicHost::isChanging).isPresent();
  }

  // --- following

  /**
   * Scans the host, unless that was done a moment ago.
   *
   * @param onGone called for each NIC whose interface is gone, with the lock held
   * @return whether anything has changed
   */
  public synchronized boolean scanIfStale(Consumer<Gone> onGone) {
    return System.nanoTime() - lastScanNs > FRESH_NS && scan(onGone);
  }

  /** As {@link #scanIfStale}, always. */
  public synchronized boolean scan(Consumer<Gone> onGone) {
    if (!isFollowing() || isClosed) {
      return false;
    }
    lastScanNs = System.nanoTime();
    scans++;
    HostFingerprint seen = host.get().fingerprint();
    boolean isDifferent = last.filter(seen::equals).isEmpty();
    boolean isRetry = !refused.isEmpty() && scans % RETRY_SCANS == 0;
    boolean isPending = !retired.isEmpty() || !absentLooks.isEmpty() || anyDeviceLost();
    if (!isDifferent && settling == 0 && !isRetry && !isPending) {
      return false;
    }
    settling = isDifferent ? SETTLING_LOOKS : Math.max(0, settling - 1);
    Inventory found = host.get().scan();
    // Only now: a look that fails is made again.
    last = Optional.of(seen);
    return follow(host.get(), found.candidates(), seen, isDifferent || isRetry, onGone);
  }

  private boolean anyDeviceLost() {
    return now.stream().anyMatch(nic -> nic.events().isDeviceLost());
  }

  private boolean follow(
      NicHost from,
      List<Nic> found,
      HostFingerprint seen,
      boolean mayRetry,
      Consumer<Gone> onGone) {
    List<Nic> described = described();
    List<Gone> goneBefore = List.copyOf(gone.values());
    retireAbsent(found, seen, onGone);
    // Again: an untested channel releases a NIC only when it is made to.
    goneBefore.forEach(onGone);
    closeUnused();
    if (found.stream().anyMatch(nic -> known(nic).isEmpty())) {
      open.forEach(OpenNic::followAddresses);
    }
    List<OpenNic> before = now;
    List<OpenNic> usable = new ArrayList<>();
    for (Nic nic : found) {
      Optional<OpenNic> known = known(nic);
      known.ifPresent(each -> changed(each, nic));
      known
          .or(() -> mayRetry || !refused.containsKey(key(nic)) ? came(from, nic) : Optional.empty())
          .ifPresent(usable::add);
    }
    usable.addAll(attached);
    now = List.copyOf(usable);
    before.stream().filter(nic -> !usable.contains(nic)).forEach(this::withdrawn);
    refused.keySet().retainAll(found.stream().map(LocalNics::key).collect(Collectors.toSet()));
    return !described.equals(described());
  }

  private Optional<OpenNic> known(Nic nic) {
    return open.stream().filter(each -> !retired.contains(each) && each.isOf(nic)).findFirst();
  }

  private void changed(OpenNic known, Nic nic) {
    Nic was = known.nic();
    known.update(nic);
    if (!now.contains(known)) {
      LOG.info("{} is back with {}", nic.label(), nic.addresses());
    } else if (!addresses(was).equals(addresses(nic))) {
      LOG.info("{} has {} now, in place of {}", nic.label(), nic.addresses(), was.addresses());
    }
    if (isActive(was) && !isActive(nic)) {
      LOG.warn("{} {} has lost its carrier", nic.label(), nic.addresses());
    } else if (!isActive(was) && isActive(nic)) {
      LOG.info("{} {} has a carrier now", nic.label(), nic.addresses());
    }
  }

  private static List<String> addresses(Nic nic) {
    return nic.addresses().stream().map(NicAddress::toString).toList();
  }

  private void withdrawn(OpenNic nic) {
    if (!retired.contains(nic)) {
      LOG.warn(
          "{} has lost its addresses {}: channels over it stay, new ones go elsewhere until it has one"
              + " again",
          nic.nic().label(),
          nic.nic().addresses());
    }
  }

  private Optional<OpenNic> came(NicHost from, Nic nic) {
    try {
      OpenNic opened = opened(from, nic);
      LOG.info(
          "{} {} is there now and is used from here on{}",
          nic.label(),
          nic.addresses(),
          isActive(nic) ? "" : ", once it has a carrier");
      refused.remove(key(nic));
      return Optional.of(opened);
    } catch (VerbsException e) {
      String why = cannotBeOpened(nic, e);
      if (!why.equals(refused.put(key(nic), why))) {
        LOG.warn(
            "{}{} It is tried again now and then; other NICs are not affected.",
            why,
            why.endsWith(".") ? "" : ".");
      }
      return Optional.empty();
    }
  }

  /**
   * Opens a NIC and registers all memory with it, so that it can be used as soon as it is found.
   */
  private OpenNic opened(NicHost from, Nic nic) throws VerbsException {
    return opened(nic, freeIndex(key(nic)), from.open(nic.device()));
  }

  private OpenNic opened(Nic nic, int index, VerbsDevice device) throws VerbsException {
    try (Rollback undo = new Rollback()) {
      OpenNic opened = undo.on(OpenNic.over(index, nic, device));
      registrations.addNic(opened);
      undo.keepAll();
      indices.put(key(nic), index);
      indexBound = Math.max(indexBound, index + 1);
      open.add(opened);
      return opened;
    }
  }

  /**
   * Adds a NIC that is not of the host, behind all others, until {@link #detach}.
   *
   * @param device taken over, also if this throws
   */
  public synchronized OpenNic attach(Nic nic, VerbsDevice device) throws VerbsException {
    if (isClosed) {
      device.close();
      throw new VerbsException(Errno.ENODEV, "the transport is closed");
    }
    OpenNic opened = opened(nic, freeIndex(key(nic)), device);
    attached.add(opened);
    List<OpenNic> with = new ArrayList<>(now);
    with.add(opened);
    now = List.copyOf(with);
    return opened;
  }

  /**
   * Takes away what {@link #attach} added.
   *
   * @param onGone called for it, with the lock held
   */
  public synchronized void detach(OpenNic nic, String why, Consumer<Gone> onGone) {
    if (attached.remove(nic) && !isClosed) {
      retired.add(nic);
      registrations.removeNic(nic);
      now = now.stream().filter(each -> each != nic).toList();
      gone.put(nic, new Gone(nic, why));
      onGone.accept(gone.get(nic));
    }
  }

  private static String key(Nic nic) {
    return nic.device() + "/" + nic.port() + "/" + nic.netdev();
  }

  /** The one it had; else one that none has had; else any that is free. */
  private int freeIndex(String key) throws VerbsException {
    Set<Integer> taken = open.stream().map(OpenNic::index).collect(Collectors.toSet());
    Integer own = indices.get(key);
    if (own != null && !taken.contains(own)) {
      return own;
    }
    for (int index = 0; index < MAX_NICS; index++) {
      if (!taken.contains(index) && !indices.containsValue(index)) {
        return index;
      }
    }
    for (int index = 0; index < MAX_NICS; index++) {
      if (!taken.contains(index)) {
        int given = index;
        indices.values().removeIf(each -> each == given);
        return index;
      }
    }
    throw new VerbsException(
        Errno.ENOMEM,
        MAX_NICS + " NICs are open already. MESH_IFNAME and MESH_HCA leave some out.");
  }

  // --- what goes

  private void retireAbsent(List<Nic> found, HostFingerprint seen, Consumer<Gone> onGone) {
    for (OpenNic nic : List.copyOf(open)) {
      if (retired.contains(nic) || attached.contains(nic)) {
        continue;
      }
      String why = whyGone(nic, seen);
      boolean isCertain = nic.events().isDeviceLost() || isReplaced(nic, found);
      if (why.isEmpty() && !isCertain) {
        absentLooks.remove(nic);
      } else if (isCertain || absentLooks.merge(nic, 1, Integer::sum) >= ABSENT_LOOKS) {
        retire(nic, why.isEmpty() ? "its device has failed" : why, seen, onGone);
      }
    }
  }

  /** Why a NIC is not of this host any more; empty if it is. */
  private static String whyGone(OpenNic nic, HostFingerprint seen) {
    Nic was = nic.nic();
    boolean isThere =
        was.ifindex() == 0
            ? seen.netdevs().contains(was.netdev())
            : seen.interfaces().stream()
                .anyMatch(
                    each ->
                        each.name().equals(was.netdev())
                            && (each.ifindex() == 0 || each.ifindex() == was.ifindex()));
    if (!isThere) {
      return newName(was, seen)
          .map(name -> "its interface is called " + name + " now")
          .orElse("its interface was removed");
    }
    boolean isRdma = !was.provider().equals(OpenNic.SOFTWARE);
    return isRdma && !seen.rdmaDevices().contains(was.device())
        ? "its RDMA device was removed"
        : "";
  }

  /** Another interface of the same name is there: this one is not. */
  private static boolean isReplaced(OpenNic nic, List<Nic> found) {
    Nic was = nic.nic();
    return found.stream().anyMatch(each -> key(each).equals(key(was)) && !nic.isOf(each));
  }

  private static Optional<String> newName(Nic was, HostFingerprint seen) {
    return seen.interfaces().stream()
        .filter(each -> was.ifindex() != 0 && each.ifindex() == was.ifindex())
        .filter(each -> !each.name().equals(was.netdev()))
        .map(each -> each.name())
        .findFirst();
  }

  private void retire(OpenNic nic, String why, HostFingerprint seen, Consumer<Gone> onGone) {
    absentLooks.remove(nic);
    retired.add(nic);
    registrations.removeNic(nic);
    now = now.stream().filter(each -> each != nic).toList();
    boolean isRenamed = newName(nic.nic(), seen).isPresent();
    if (isRenamed) {
      LOG.info("{}: {}; channels over it stay", nic.nic().label(), why);
    } else {
      LOG.warn("{} is gone from this host: {}. Its channels end.", nic.nic().label(), why);
      gone.put(nic, new Gone(nic, why));
      onGone.accept(gone.get(nic));
    }
  }

  private void closeUnused() {
    for (OpenNic nic : List.copyOf(retired)) {
      if (nic.retire() && closing.computeIfAbsent(nic, this::beginClosing).isOver()) {
        closing.remove(nic);
        retired.remove(nic);
        gone.remove(nic);
        open.remove(nic);
      }
    }
  }

  private Teardown.Removal beginClosing(OpenNic nic) {
    return nic.teardown()
        .beginLast(
            "the device",
            () -> {
              IllegalStateException leak = new IllegalStateException("not closed");
              registrations.removeNic(nic, leak);
              close(nic, leak);
              if (leak.getSuppressed().length > 0) {
                // A device that is gone may refuse to end what went with it; nothing uses it.
                LOG.debug("{}: not everything could be closed", nic.nic().label(), leak);
              }
            });
  }

  // --- the end

  /** Closes every NIC, whatever becomes of the others. */
  public synchronized void close(Exception leak) {
    isClosed = true;
    now = List.of();
    Map<OpenNic, Teardown.Removal> ends = new LinkedHashMap<>();
    open.forEach(
        nic ->
            ends.put(
                nic,
                closing.containsKey(nic)
                    ? closing.get(nic)
                    : nic.teardown().beginLast("the device", nic::close)));
    ends.forEach(
        (nic, end) -> {
          try {
            end.await();
          } catch (VerbsException e) {
            // What a driver is still busy with is closed when it is done, which it has said.
            if (end.isOver() && !retired.contains(nic)) {
              leak.addSuppressed(e);
            }
          }
        });
    open.clear();
  }

  private static void close(OpenNic nic, Exception leak) {
    try {
      nic.close();
    } catch (VerbsException e) {
      leak.addSuppressed(e);
    }
  }
}
