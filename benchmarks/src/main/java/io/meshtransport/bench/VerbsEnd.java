// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidType;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.InitAttributes;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.VerbsProvider;
import io.meshtransport.verbs.VerbsProviders;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The verbs alone, without channels: one RC queue pair and what {@link VerbsRoundTrips} does with
 * it, which is the least that a Java program can do for a message there and back. What channels
 * take longer is theirs; what this takes longer than a program in C is Java's. Goes there and back
 * only, and only spinning. One thread.
 */
final class VerbsEnd implements BenchEnd {
  private static final int PORT = 1;
  private static final int ACCESS = Access.LOCAL_WRITE;
  private static final int PSN = 0;
  private static final int INLINE_BYTES = 64;

  /** 4.096 us * 2^18 is 1.07 s: an emulated guest may pause. For ever where no receive waits. */
  private static final int TIMEOUT = 18;

  private static final int RETRIES = 6;
  private static final int RNR_RETRIES = 7;
  private static final int RNR_TIMER = 12;

  /** So that packets come from the node's own subnet only. */
  private static final int HOP_LIMIT = 1;

  private final VerbsDevice device;
  private final GidEntry gid;
  private final ProtectionDomain domain;
  private final MemoryRegion region;
  private final CompletionQueue sends;
  private final CompletionQueue receives;
  private final QueuePair pair;
  private final VerbsRoundTrips trips;

  private VerbsEnd(VerbsDevice device, GidEntry gid) throws VerbsException {
    this.device = device;
    this.gid = gid;
    domain = device.allocateProtectionDomain();
    ByteBuffer memory = ByteBuffer.allocateDirect(VerbsRoundTrips.MEMORY_BYTES);
    region = domain.register(memory, ACCESS);
    sends = device.createCompletionQueue(VerbsRoundTrips.SLOTS);
    receives = device.createCompletionQueue(VerbsRoundTrips.SLOTS);
    pair =
        domain.createQueuePair(
            new QueuePairCapabilities(
                VerbsRoundTrips.SLOTS, VerbsRoundTrips.SLOTS, 1, 1, INLINE_BYTES),
            sends,
            receives);
    pair.toInit(new InitAttributes(PORT, 0, 0));
    trips = new VerbsRoundTrips(pair, sends, receives, region, memory);
  }

  /**
   * Opens the device that has an address.
   *
   * @param host an address of this node's cable
   */
  static VerbsEnd open(String host) throws IOException {
    try {
      VerbsProvider provider =
          VerbsProviders.choose(
              Optional.ofNullable(System.getenv("MESH_PROVIDER")).orElse(VerbsProviders.AUTO));
      for (String name : provider.deviceNames()) {
        VerbsDevice device = provider.open(name);
        Optional<GidEntry> gid = find(device, host);
        if (gid.isPresent()) {
          return new VerbsEnd(device, gid.get());
        }
        device.close();
      }
      throw new IOException("no device of " + provider.name() + " has the address " + host);
    } catch (VerbsException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /**
   * Opens an end over a device, which is the end's from then on.
   *
   * @param host an address that it has
   */
  static VerbsEnd over(VerbsDevice device, String host) throws IOException, VerbsException {
    Optional<GidEntry> gid = find(device, host);
    if (gid.isEmpty()) {
      device.close();
      throw new VerbsException(Errno.ENODEV, device.name() + " has no address " + host);
    }
    return new VerbsEnd(device, gid.get());
  }

  private static Optional<GidEntry> find(VerbsDevice device, String host)
      throws IOException, VerbsException {
    Gid wanted = Gid.of(InetAddress.getByName(host));
    return device.gidTable(PORT).stream()
        .filter(row -> row.gid().equals(wanted))
        .filter(row -> row.type() == GidType.ROCE_V2 || row.type() == GidType.SOFT)
        .findFirst();
  }

  @Override
  public String address() {
    return "%s %d %d".formatted(gid.gid(), device.wirePort(), pair.number());
  }

  @Override
  public void connect(String address, boolean initiates, int connections) throws IOException {
    BenchEnd.requireOne(connections);
    String[] parts = address.split(" ");
    try {
      int mtuBytes = device.queryPort(PORT).activeMtuBytes();
      pair.toReadyToReceive(
          new ReadyToReceiveAttributes(
              new PeerAddress(
                  Gid.parse(parts[0]), Integer.parseInt(parts[1]), gid.index(), HOP_LIMIT, 0, 0),
              Integer.parseInt(parts[2]),
              PSN,
              mtuBytes,
              1,
              RNR_TIMER));
      pair.toReadyToSend(new ReadyToSendAttributes(PSN, TIMEOUT, RETRIES, RNR_RETRIES, 1));
    } catch (VerbsException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public Measurement initiate(Workload workload, RunClock clock) throws IOException {
    return trips.initiate(messageBytes(workload), clock);
  }

  @Override
  public Measurement respond(Workload workload, RunClock clock) throws IOException {
    return trips.respond(messageBytes(workload));
  }

  private static int messageBytes(Workload workload) {
    if (workload.kind() != Workload.Kind.PING_PONG
        || workload.waiting() != Workload.Waiting.SPIN
        || workload.messageBytes() > VerbsRoundTrips.MAX_BYTES) {
      throw new IllegalArgumentException(workload + " is not measured with the verbs alone");
    }
    return workload.messageBytes();
  }

  @Override
  public void close() throws IOException {
    try {
      pair.close();
      receives.close();
      sends.close();
      region.close();
      domain.close();
      device.close();
    } catch (VerbsException e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}
