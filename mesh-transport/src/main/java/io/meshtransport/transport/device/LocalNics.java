// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import io.meshtransport.nic.HostFingerprint;
import io.meshtransport.nic.Inventory;
import io.meshtransport.nic.Nic;
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
  /** A look that others ask for is spared if there was one so shortly before. */
  private static final long FRESH_NS = TimeUnit.MILLISECONDS.toNanos(20);

  /** GID rows follow addresses after a while: so many scans after a change read everything. */
  private static final int SETTLING_LOOKS = 8;

  /** Of a NIC that cannot be opened, in scans. */
  private static final int RETRY_SCANS = 10;

  /** A NIC whose interface is gone, and why that is said. */
  public record Gone(OpenNic nic, String why) {}

  /** Empty where the NICs are fixed. */
  private final Optional<NicHost> host;

  private final Registrations registrations;

  /** Everything that is open. Guarded by this. */
  private final List<OpenNic> open = new ArrayList<>();

  /** Of these, which wait to be closed. */
  private final RetiredNics retired;

  /** NICs that are not of the host, which scans leave alone. Guarded by this. */
  private final Set<OpenNic> attached = new HashSet<>();

  private final NicAbsence absence = new NicAbsence();
  private final NicIndices indices;

  /** What cannot be opened, so that it is said once. */
  private final Map<String, String> refused = new HashMap<>();

  private Optional<HostFingerprint> last = Optional.empty();
  private int settling;
  private int scans;
  private long lastScanNs;
  private boolean isClosed;

  /** Those that the host has with an address, best first. Replaced, never changed. */
  private volatile List<OpenNic> now = List.of();

  private LocalNics(Optional<NicHost> host, List<OpenNic> nics) {
    this.host = host;
    open.addAll(nics);
    now = List.copyOf(nics);
    indices = new NicIndices(nics.size());
    registrations = new Registrations(now);
    retired = new RetiredNics(registrations);
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
    usable.stream()
        .map(OpenNic::nic)
        .filter(nic -> !NicLog.isActive(nic))
        .forEach(NicLog::withoutCarrier);
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
    return indices.bound();
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
    boolean isPending = !retired.isEmpty() || absence.isPending() || anyDeviceLost();
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
    List<Gone> goneBefore = retired.allGone();
    retireAbsent(found, seen, onGone);
    // Again: an untested channel releases a NIC only when it is made to.
    goneBefore.forEach(onGone);
    open.removeAll(retired.closeUnused());
    if (found.stream().anyMatch(nic -> known(nic).isEmpty())) {
      open.forEach(OpenNic::followAddresses);
    }
    List<OpenNic> before = now;
    List<OpenNic> usable = new ArrayList<>();
    for (Nic nic : found) {
      Optional<OpenNic> known = known(nic);
      known.ifPresent(each -> changed(each, nic));
      known
          .or(
              () ->
                  mayRetry || !refused.containsKey(NicIndices.key(nic))
                      ? came(from, nic)
                      : Optional.empty())
          .ifPresent(usable::add);
    }
    usable.addAll(attached);
    now = List.copyOf(usable);
    before.stream().filter(nic -> !usable.contains(nic)).forEach(this::withdrawn);
    refused.keySet().retainAll(found.stream().map(NicIndices::key).collect(Collectors.toSet()));
    return !described.equals(described());
  }

  private Optional<OpenNic> known(Nic nic) {
    return open.stream().filter(each -> !retired.contains(each) && each.isOf(nic)).findFirst();
  }

  private void changed(OpenNic known, Nic nic) {
    Nic was = known.nic();
    known.update(nic);
    NicLog.seen(was, nic, !now.contains(known));
  }

  private void withdrawn(OpenNic nic) {
    if (!retired.contains(nic)) {
      NicLog.withdrawn(nic.nic());
    }
  }

  private Optional<OpenNic> came(NicHost from, Nic nic) {
    try {
      OpenNic opened = opened(from, nic);
      NicLog.came(nic);
      refused.remove(NicIndices.key(nic));
      return Optional.of(opened);
    } catch (VerbsException e) {
      String why = cannotBeOpened(nic, e);
      if (!why.equals(refused.put(NicIndices.key(nic), why))) {
        NicLog.refused(why);
      }
      return Optional.empty();
    }
  }

  /**
   * Opens a NIC and registers all memory with it, so that it can be used as soon as it is found.
   */
  private OpenNic opened(NicHost from, Nic nic) throws VerbsException {
    return opened(nic, freeIndex(nic), from.open(nic.device()));
  }

  private OpenNic opened(Nic nic, int index, VerbsDevice device) throws VerbsException {
    try (Rollback undo = new Rollback()) {
      OpenNic opened = undo.on(OpenNic.over(index, nic, device));
      registrations.addNic(opened);
      undo.keepAll();
      indices.use(NicIndices.key(nic), index);
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
    OpenNic opened = opened(nic, freeIndex(nic), device);
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
      now = now.stream().filter(each -> each != nic).toList();
      onGone.accept(retired.gone(nic, why));
    }
  }

  private int freeIndex(Nic nic) throws VerbsException {
    Set<Integer> taken = open.stream().map(OpenNic::index).collect(Collectors.toSet());
    return indices.free(NicIndices.key(nic), taken);
  }

  // --- what goes

  private void retireAbsent(List<Nic> found, HostFingerprint seen, Consumer<Gone> onGone) {
    for (OpenNic nic : List.copyOf(open)) {
      if (!retired.contains(nic) && !attached.contains(nic)) {
        absence.judge(nic, found, seen).ifPresent(why -> retire(nic, why, seen, onGone));
      }
    }
  }

  private void retire(OpenNic nic, String why, HostFingerprint seen, Consumer<Gone> onGone) {
    retired.add(nic);
    now = now.stream().filter(each -> each != nic).toList();
    boolean isRenamed = NicAbsence.newName(nic.nic(), seen).isPresent();
    if (isRenamed) {
      NicLog.renamed(nic.nic(), why);
    } else {
      NicLog.gone(nic.nic(), why);
      onGone.accept(retired.gone(nic, why));
    }
  }

  // --- the end

  /** Closes every NIC, whatever becomes of the others. */
  public synchronized void close(Exception leak) {
    isClosed = true;
    now = List.of();
    Map<OpenNic, Teardown.Removal> ends = new LinkedHashMap<>();
    open.forEach(nic -> ends.put(nic, retired.beginLast(nic)));
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
}
