// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.softverbs.sim.SimulatedFabric;
import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.Route;
import io.meshtransport.transport.channel.ChannelAttendant;
import io.meshtransport.transport.channel.ChannelLifeCycle;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.device.NicFixture;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.device.QueuePairSettings;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.QueueDepths;
import io.meshtransport.transport.memory.PeerNic;
import io.meshtransport.transport.message.MeshReceiveChannel;
import io.meshtransport.transport.message.MeshSendChannel;
import io.meshtransport.transport.message.MultiRailSendQueue;
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
import java.util.function.BiFunction;

/**
 * One channel over a cable, or several, that exist in memory only, without a handshake: what the
 * two ends would tell each other is passed by hand. Confined to the test's thread.
 */
final class SimulatedLine implements AutoCloseable {
  static final String FROM = "from";
  static final String TO = "to";

  /** No RNR retry: one SEND that meets no receive ends the channel, and so the test. */
  static final QueuePairSettings LINK = new QueuePairSettings(4096, 0, 0, 14, 6, 0);

  static final long BUNDLE = 7;

  private static final long LOOK_NS = 20_000_000;

  final SimulatedFabric fabric;
  private final int cables;
  private final String otherNetdev;
  private int rails = 1;
  private int joined = 1;
  final MeshTransport from;
  final MeshTransport to;
  final MeshSendChannel out;
  final MeshReceiveChannel in;

  /** How often the receiving end reported that something waits for polls. */
  int deferrals;

  SimulatedLine(long seed, SimulatedCable cable, long partBytes) throws Exception {
    this(seed, cable, partBytes, (name, device) -> device);
  }

  /**
   * @param dress what to put before the device of {@link #FROM} and of {@link #TO}
   */
  SimulatedLine(
      long seed,
      SimulatedCable cable,
      long partBytes,
      BiFunction<String, VerbsDevice, VerbsDevice> dress)
      throws Exception {
    fabric = new SimulatedFabric(seed, cable);
    cables = 1;
    otherNetdev = "";
    from = open(FROM, dress);
    to = open(TO, dress);
    MeshEndpoint outLink = link(from, 0, QueueDepths.SENDER);
    MeshEndpoint inLink = link(to, 0, QueueDepths.RECEIVER);
    connect(outLink, inLink);
    out =
        new MeshSendChannel(
            from.context().forChannels(),
            ready("to"),
            outLink,
            route(from, TO),
            partBytes,
            new PeerNic(to.node(), 0));
    in =
        new MeshReceiveChannel(
            to.context().forChannels(), ready("from"), inLink, route(to, FROM), partBytes);
    from.context().channels().adopt(out, Optional.empty());
    to.context().channels().adopt(in, Optional.empty());
  }

  /**
   * A channel of several rails, of which the first stands; {@link #joinRail} adds others.
   *
   * @param cables of which each has a NIC of its own at either end
   * @param rails at most
   */
  static SimulatedLine railed(
      long seed, SimulatedCable cable, int chunkBytes, int cables, int rails) throws Exception {
    return railed(seed, cable, chunkBytes, cables, rails, (name, device) -> device);
  }

  /**
   * @param dress what to put before each device, by its name
   */
  static SimulatedLine railed(
      long seed,
      SimulatedCable cable,
      int chunkBytes,
      int cables,
      int rails,
      BiFunction<String, VerbsDevice, VerbsDevice> dress)
      throws Exception {
    return new SimulatedLine(seed, cable, chunkBytes, cables, rails, dress, "");
  }

  private SimulatedLine(
      long seed,
      SimulatedCable cable,
      int chunkBytes,
      int cables,
      int rails,
      BiFunction<String, VerbsDevice, VerbsDevice> dress,
      String otherNetdev)
      throws Exception {
    fabric = new SimulatedFabric(seed, cable);
    this.cables = cables;
    this.otherNetdev = otherNetdev;
    this.rails = rails;
    from = open(FROM, dress);
    to = open(TO, dress);
    MeshEndpoint outLink = link(from, 0, QueueDepths.sender(rails, cables));
    MeshEndpoint inLink = link(to, 0, QueueDepths.receiver(rails, cables));
    connect(outLink, inLink);
    out =
        new MeshSendChannel(
            from.context().forChannels(),
            ready("to"),
            new Rail(0, 0, outLink, 0),
            cables,
            route(from, TO),
            chunkBytes,
            to.node(),
            chunkBytes);
    in =
        new MeshReceiveChannel(
            to.context().forChannels(),
            ready("from"),
            new Rail(0, 0, inLink, 0),
            from.node(),
            new RailId(BUNDLE, 0, rails, cables),
            route(to, FROM));
    from.context().channels().adopt(out, Optional.empty());
    to.context().channels().adopt(in, Optional.empty());
    joined = 1;
  }

  /** Adds the next rail, over the cables in turn; does nothing once there are all or it is over. */
  void joinRail() throws Exception {
    if (joined == rails) {
      return;
    }
    int nic = joined % cables;
    MeshEndpoint outLink = link(from, nic, QueueDepths.sender(rails, cables));
    MeshEndpoint inLink = link(to, nic, QueueDepths.receiver(rails, cables));
    connect(outLink, inLink);
    if (!in.rails().join(new Rail(joined, joined, inLink, nic))) {
      inLink.close();
    }
    if (!out.rails().join(new Rail(joined, joined, outLink, nic))) {
      outLink.close();
    }
    joined++;
  }

  /**
   * Makes a rail over a cable anew, where none stands there.
   *
   * @return whether there is one at both ends
   */
  boolean remakeRail(int cable) throws Exception {
    MultiRailSendQueue sending = out.rails();
    Optional<Rail> standing =
        sending.liveRails().stream()
            .filter(rail -> rail.endpoint().nic().index() == cable)
            .findFirst();
    if (standing.isPresent()) {
      Rail atPeer = rails(in).at(standing.get().place());
      return atPeer != null && atPeer.isLive() && atPeer.number() == standing.get().number();
    }
    return renewRail(cable);
  }

  /**
   * Makes another rail over a cable.
   *
   * @return whether there is one at both ends
   */
  boolean renewRail(int cable) throws Exception {
    MultiRailSendQueue sending = out.rails();
    RailId last = new RailId(BUNDLE, joined - 1, rails, cables);
    Optional<RailId> free = sending.ticketAfter(last);
    if (free.isEmpty() || !in.rails().objectionTo(free.get()).isEmpty()) {
      return false;
    }
    RailId ticket = free.get();
    joined = ticket.number() + 1;
    MeshEndpoint outLink = link(from, cable, QueueDepths.sender(rails, cables));
    MeshEndpoint inLink = link(to, cable, QueueDepths.receiver(rails, cables));
    connect(outLink, inLink);
    boolean isIn = in.rails().join(new Rail(ticket.number(), ticket.place(), inLink, cable));
    boolean isOut =
        isIn && out.rails().join(new Rail(ticket.number(), ticket.place(), outLink, cable));
    if (!isIn) {
      inLink.close();
    }
    if (!isOut) {
      outLink.close();
    }
    return isOut;
  }

  /** The rails of a multi-rail channel. */
  static Rails rails(MeshChannel channel) {
    return ((RailSet) channel.core.endpoints()).rails();
  }

  /** Until whatever has met silence is heard again or given up, at both ends. */
  void letSilenceEnd() {
    long untilNs = fabric.nowNs() + 2 * ReadyToSendAttributes.SOFT_SILENCE_NS;
    while (fabric.nowNs() < untilNs) {
      fabric.runUntil(fabric.nowNs() + LOOK_NS);
      // Whoever looks moves things along, and here sees what is lost.
      out.awaitProgress(out.progressCount() - 1, Duration.ZERO);
      in.awaitProgress(in.progressCount() - 1, Duration.ZERO);
    }
  }

  /** Nothing passes over a cable until it is mended. */
  void cut(int cable) {
    fabric.cut(device(FROM, cable), device(TO, cable));
  }

  void mend(int cable) {
    fabric.mend(device(FROM, cable), device(TO, cable));
  }

  /** What the device of a node at a cable is called. */
  static String device(String node, int cable) {
    return cable == 0 ? node : node + cable;
  }

  /**
   * As {@link #railed} over two cables, of which the second is an overlay's: a rail there stands
   * by.
   */
  static SimulatedLine standby(long seed, SimulatedCable cable, int chunkBytes) throws Exception {
    return new SimulatedLine(seed, cable, chunkBytes, 2, 4, (name, device) -> device, Overlay.NIC);
  }

  private static void connect(MeshEndpoint outLink, MeshEndpoint inLink) throws Exception {
    ChannelPair.connect(outLink, inLink, LINK);
  }

  private MeshTransport open(String name, BiFunction<String, VerbsDevice, VerbsDevice> dress)
      throws Exception {
    List<OpenNic> nics = new ArrayList<>();
    for (int cable = 0; cable < cables; cable++) {
      String device = device(name, cable);
      String netdev = cable == 0 || otherNetdev.isEmpty() ? device : otherNetdev;
      nics.add(
          NicFixture.over(cable, "soft", device, netdev, dress.apply(device, fabric.open(device))));
    }
    return MeshTransport.open(
        MeshConfig.of(
            Map.of("MESH_TIMEOUT_MS", "200", "MESH_NODE", name, "MESH_PROGRESS_THREAD", "0")),
        nics,
        channel ->
            new ChannelAttendant() {
              @Override
              public void deferred() {
                deferrals += channel instanceof MeshReceiveChannel ? 1 : 0;
              }
            });
  }

  static MeshEndpoint link(MeshTransport transport, int index, QueueDepths sizes) throws Exception {
    return ChannelPair.endpoint(transport, index, sizes);
  }

  static ChannelLifeCycle ready(String direction) {
    return ChannelPair.ready(direction);
  }

  static Route route(MeshTransport transport, String peer) {
    return ChannelPair.route(transport, peer);
  }

  @Override
  public void close() {
    from.close();
    to.close();
  }
}
