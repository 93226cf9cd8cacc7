// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.nic.PortState;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.util.List;
import java.util.Map;

/**
 * A channel between two transports of this process, over devices that somebody else has opened and
 * without a handshake: for measuring what a channel itself costs. In this package because only a
 * benchmark should be able to. One thread.
 */
public final class InProcessLine implements AutoCloseable {
  private static final QueuePairSettings LINK = new QueuePairSettings(4096, 0, 0, 14, 6, 6);
  private static final int PREFIX_BITS = 15;
  private static final int MTU_BYTES = 4096;
  private static final String FROM = "from";
  private static final String TO = "to";

  private final MeshTransport from;
  private final MeshTransport to;
  private final MeshSendChannel out;
  private final MeshReceiveChannel in;

  /** Takes both devices over. */
  public InProcessLine(VerbsDevice fromDevice, VerbsDevice toDevice)
      throws VerbsException, TransportException {
    from = open(FROM, fromDevice);
    to = open(TO, toDevice);
    MeshEndpoint outLink = link(from, QueueDepths.SENDER);
    MeshEndpoint inLink = link(to, QueueDepths.RECEIVER);
    inLink.connect(peer(outLink), LINK);
    outLink.connect(peer(inLink), LINK);
    long partBytes = outLink.nic().maxMessageBytes();
    out =
        new MeshSendChannel(
            from.context().forChannels(),
            ready(TO),
            outLink,
            route(from, TO),
            partBytes,
            new PeerNic(to.self(), 0));
    in =
        new MeshReceiveChannel(
            to.context().forChannels(), ready(FROM), inLink, route(to, FROM), partBytes);
    from.context().channels().adopt(out);
    to.context().channels().adopt(in);
  }

  private static MeshTransport open(String name, VerbsDevice device)
      throws VerbsException, TransportException {
    GidEntry row = device.gidTable(1).get(0);
    LinkAddress link = new LinkAddress(row.gid().toAddress(), PREFIX_BITS);
    Nic nic =
        new Nic(
            device.name(),
            name,
            1,
            name,
            0,
            List.of(new NicAddress(link, row)),
            0,
            MTU_BYTES,
            PortState.ACTIVE,
            "",
            -1);
    return MeshTransport.open(
        MeshConfig.of(Map.of("MESH_NODE", name, "MESH_HANDSHAKE_PORT", "0")),
        List.of(OpenNic.over(0, nic, device)));
  }

  private static MeshEndpoint link(MeshTransport transport, QueueDepths sizes)
      throws VerbsException {
    OpenNic nic = transport.context().nics().now().get(0);
    return transport.context().endpoints().open(nic, nic.nic().gid(), sizes);
  }

  private static PeerQueuePair peer(MeshEndpoint link) {
    return new PeerQueuePair(
        link.number(),
        link.psn(),
        link.gid().gid(),
        link.mtuBytes(LINK),
        link.nic().device().wirePort());
  }

  private static ChannelLifeCycle ready(String peer) {
    ChannelLifeCycle life = new ChannelLifeCycle(peer);
    life.become(ChannelState.ROUTING, () -> peer);
    life.become(ChannelState.HANDSHAKING, () -> peer);
    life.become(ChannelState.READY, () -> peer);
    return life;
  }

  private static Route route(MeshTransport transport, String peer) {
    Nic nic = transport.context().nics().now().get(0).nic();
    NicAddress address = nic.addresses().get(0);
    return RouteDescription.accepted(peer, nic.label(), address, address.link().address(), "", 0);
  }

  /** Where memory of the sending end is registered. */
  public Transport from() {
    return from;
  }

  /** Where memory of the receiving end is registered. */
  public Transport to() {
    return to;
  }

  public SendChannel out() {
    return out;
  }

  public ReceiveChannel in() {
    return in;
  }

  @Override
  public void close() {
    from.close();
    to.close();
  }
}
