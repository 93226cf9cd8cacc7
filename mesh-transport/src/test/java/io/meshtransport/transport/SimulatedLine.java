package io.meshtransport.transport;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.nic.PortState;
import io.meshtransport.softverbs.SimulatedCable;
import io.meshtransport.softverbs.SimulatedFabric;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.verbs.VerbsDevice;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * One channel over a cable that exists in memory only, without a handshake: what the two ends would
 * tell each other is passed by hand. Confined to the test's thread.
 */
final class SimulatedLine implements AutoCloseable {
  static final String FROM = "from";
  static final String TO = "to";
  private static final LinkSettings LINK = new LinkSettings(4096, 0, 0, 14, 6, 6);

  final SimulatedFabric fabric;
  final MeshTransport from;
  final MeshTransport to;
  final MeshSendChannel out;
  final MeshReceiveChannel in;

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
    from = open(FROM, dress);
    to = open(TO, dress);
    Link outLink = link(from, LinkSizes.SENDER);
    Link inLink = link(to, LinkSizes.RECEIVER);
    inLink.connect(peer(outLink), LINK.forAnnouncements());
    outLink.connect(peer(inLink), LINK);
    out =
        new MeshSendChannel(
            from,
            ready("to"),
            outLink,
            way(from, TO).route(0),
            partBytes,
            new PeerNic(to.self(), 0));
    in = new MeshReceiveChannel(to, ready("from"), inLink, way(to, FROM).route(0), partBytes);
    from.adopt(out);
    to.adopt(in);
  }

  private MeshTransport open(String name, BiFunction<String, VerbsDevice, VerbsDevice> dress)
      throws Exception {
    VerbsDevice device = dress.apply(name, fabric.open(name));
    GidEntry row = device.gidTable(1).get(0);
    LinkAddress link = new LinkAddress(row.gid().toAddress(), 15);
    Nic nic =
        new Nic(
            "soft",
            name,
            1,
            name,
            0,
            List.of(new NicAddress(link, row)),
            0,
            4096,
            PortState.ACTIVE,
            "",
            -1);
    return MeshTransport.open(
        MeshConfig.of(Map.of("MESH_TIMEOUT_MS", "200", "MESH_NODE", name)),
        List.of(OpenNic.over(0, nic, device)));
  }

  private static Link link(MeshTransport transport, LinkSizes sizes) throws Exception {
    OpenNic nic = transport.openNics().get(0);
    return Link.open(nic, nic.nic().gid(), sizes, transport.randomPsn());
  }

  private static PeerQueuePair peer(Link link) {
    return new PeerQueuePair(
        link.number(),
        link.psn(),
        link.gid().gid(),
        link.mtuBytes(LINK),
        link.nic().device().wirePort(),
        link.nic().readsServed());
  }

  static ChannelLife ready(String direction) {
    ChannelLife life = new ChannelLife(direction);
    life.become(ChannelState.ROUTING, () -> direction);
    life.become(ChannelState.HANDSHAKING, () -> direction);
    life.become(ChannelState.READY, () -> direction);
    return life;
  }

  static Way way(MeshTransport transport, String peer) {
    Nic nic = transport.openNics().get(0).nic();
    NicAddress address = nic.addresses().get(0);
    return new Way(peer, nic.label(), address, address.link().address(), "", "");
  }

  @Override
  public void close() {
    from.close();
    to.close();
  }
}
