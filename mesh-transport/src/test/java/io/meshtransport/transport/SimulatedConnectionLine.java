// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.softverbs.sim.SimulatedFabric;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.Peer;
import io.meshtransport.transport.channel.ChannelAttendant;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.device.NicFixture;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.device.WatchedDevice;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.QueueDepths;
import io.meshtransport.transport.message.MeshConnection;
import io.meshtransport.transport.rail.Rail;
import io.meshtransport.transport.rail.RailId;
import io.meshtransport.transport.rail.RailSet;
import io.meshtransport.transport.rail.Rails;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.VerbsDevice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A connection over a cable and a rail that stands by, which exist in memory only, without a
 * handshake. Confined to the test's thread.
 */
final class SimulatedConnectionLine implements AutoCloseable {
  static final int CABLE = 0;
  static final int RELAY = 1;

  private static final int NICS = 2;
  private static final int MOST = 4;
  private static final String[] NAMES = {SimulatedLine.FROM, SimulatedLine.TO};
  private static final long LOOK_NS = 20_000_000;

  final SimulatedFabric fabric;
  final MeshTransport[] nodes = new MeshTransport[2];

  /** The end that connected, and the one that accepted. */
  final MeshConnection[] ends = new MeshConnection[2];

  private final int requests;
  private final boolean isRelayUnheard;
  private int last;

  SimulatedConnectionLine(long seed, SimulatedCable cable, long partBytes, ConnectOptions options)
      throws Exception {
    this(seed, cable, partBytes, options, false);
  }

  /**
   * @param isRelayUnheard whether no poller gets events of the relay's NIC, as where the cable's is
   *     an RDMA device
   */
  SimulatedConnectionLine(
      long seed,
      SimulatedCable cable,
      long partBytes,
      ConnectOptions options,
      boolean isRelayUnheard)
      throws Exception {
    this.isRelayUnheard = isRelayUnheard;
    fabric = new SimulatedFabric(seed, cable);
    requests = options.requests();
    for (int end = 0; end < 2; end++) {
      nodes[end] = open(NAMES[end]);
    }
    MeshEndpoint[] endpoints = endpoints(CABLE);
    for (int end = 0; end < 2; end++) {
      ends[end] =
          new MeshConnection(
              nodes[end].context().forChannels(),
              ChannelPair.ready(end == 0 ? "to" : "from"),
              new Rail(0, 0, endpoints[end], CABLE),
              ticket(0),
              end == 0,
              ChannelPair.route(nodes[end], NAMES[1 - end]),
              partBytes,
              nodes[1 - end].node(),
              new Peer(NAMES[1 - end], nodes[1 - end].node().toString()),
              new byte[0],
              options,
              requests);
      nodes[end].context().channels().adopt(ends[end], Optional.empty());
    }
  }

  private static RailId ticket(int number) {
    return new RailId(SimulatedLine.BUNDLE, number, MOST, NICS, NICS);
  }

  private MeshTransport open(String name) throws Exception {
    List<OpenNic> nics = new ArrayList<>();
    for (int nic = 0; nic < NICS; nic++) {
      String device = SimulatedLine.device(name, nic);
      nics.add(
          nic == RELAY
              ? NicFixture.over(nic, "soft", device, Overlay.NIC, relay(device))
              : NicFixture.over(nic, "soft", device, fabric.open(device)));
    }
    // A fabric is of one thread: none is to move along what this one does not poll.
    return MeshTransport.open(
        MeshConfig.of(
            Map.of("MESH_TIMEOUT_MS", "20000", "MESH_NODE", name, "MESH_PROGRESS_THREAD", "0")),
        nics,
        channel -> new ChannelAttendant() {});
  }

  private VerbsDevice relay(String device) throws Exception {
    VerbsDevice relay = fabric.open(device);
    if (!isRelayUnheard) {
      return relay;
    }
    WatchedDevice unheard = new WatchedDevice(relay);
    unheard.refuse("attach");
    return unheard.device();
  }

  private MeshEndpoint[] endpoints(int nic) throws Exception {
    MeshEndpoint[] endpoints = new MeshEndpoint[2];
    for (int end = 0; end < 2; end++) {
      endpoints[end] =
          ChannelPair.endpoint(nodes[end], nic, QueueDepths.duplexRail(requests, NICS, NICS));
    }
    ChannelPair.connect(endpoints[0], endpoints[1], SimulatedLine.LINK);
    return endpoints;
  }

  /**
   * Makes another rail.
   *
   * @return whether there is one at both ends
   */
  boolean addRail(int nic) throws Exception {
    Optional<RailId> free = ends[0].rails().ticketAfter(ticket(last));
    if (free.isEmpty() || !ends[1].rails().objectionTo(free.get()).isEmpty()) {
      return false;
    }
    last = free.get().number();
    MeshEndpoint[] endpoints = endpoints(nic);
    boolean isIn = true;
    for (int end = 1; end >= 0; end--) {
      isIn =
          isIn && ends[end].rails().join(new Rail(last, free.get().place(), endpoints[end], nic));
      if (!isIn) {
        endpoints[end].close();
      }
    }
    return isIn;
  }

  /** Whether a rail over a NIC is live at both ends, the same at each. */
  boolean hasRail(int nic) {
    return ends[0].rails().liveRails().stream()
        .filter(rail -> rail.endpoint().nic().index() == nic)
        .anyMatch(
            rail ->
                ends[1].rails().liveRails().stream()
                    .anyMatch(other -> other.number() == rail.number()));
  }

  /** As the set-up does: a rail over the cable where none stands, then one that stands by. */
  void repair() throws Exception {
    boolean isThere = hasRail(CABLE) || addRail(CABLE);
    if (isThere && !isStoodBy()) {
      addRail(RELAY);
    }
  }

  private boolean isStoodBy() {
    return ends[0].rails().liveRails().stream()
        .max((one, other) -> Integer.compare(one.number(), other.number()))
        .filter(Rail::isStandby)
        .isPresent();
  }

  /** The NIC of an end's primary. */
  int primary(int end) {
    return rails(ends[end]).primary().endpoint().nic().index();
  }

  static Rails rails(MeshChannel channel) {
    return ((RailSet) channel.core.endpoints()).rails();
  }

  void cut(int nic) {
    fabric.cut(SimulatedLine.device(NAMES[0], nic), SimulatedLine.device(NAMES[1], nic));
  }

  void mend(int nic) {
    fabric.mend(SimulatedLine.device(NAMES[0], nic), SimulatedLine.device(NAMES[1], nic));
  }

  /** Until whatever has met silence is heard again or given up, at both ends. */
  void letSilenceEnd() {
    long untilNs = fabric.nowNs() + 2 * ReadyToSendAttributes.SOFT_SILENCE_NS;
    while (fabric.nowNs() < untilNs) {
      fabric.runUntil(fabric.nowNs() + LOOK_NS);
      for (MeshConnection end : ends) {
        end.awaitProgress(end.progressCount() - 1, Duration.ZERO);
      }
    }
  }

  @Override
  public void close() {
    nodes[0].close();
    nodes[1].close();
  }
}
