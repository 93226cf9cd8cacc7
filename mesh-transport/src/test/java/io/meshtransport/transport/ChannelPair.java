// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.channel.ChannelLifeCycle;
import io.meshtransport.transport.connect.RouteDescription;
import io.meshtransport.transport.device.NicFixture;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.device.QueuePairSettings;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.PeerQueuePair;
import io.meshtransport.transport.endpoint.QueueDepths;
import io.meshtransport.transport.memory.PeerNic;
import io.meshtransport.transport.message.MeshReceiveChannel;
import io.meshtransport.transport.message.MeshSendChannel;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A channel between two transports of this process, over two devices and without a handshake: what
 * the two ends would tell each other is passed by hand. For benchmarks of what a channel itself
 * costs, and for the fixtures of tests. One thread.
 */
public final class ChannelPair implements AutoCloseable {
  private static final QueuePairSettings SETTINGS = new QueuePairSettings(4096, 0, 0, 14, 6, 6);
  private static final String FROM = "from";
  private static final String TO = "to";

  private final MeshTransport from;
  private final MeshTransport to;
  private final MeshSendChannel out;
  private final MeshReceiveChannel in;

  /** Owns both devices from here on. */
  public ChannelPair(VerbsDevice fromDevice, VerbsDevice toDevice)
      throws VerbsException, TransportException {
    from = open(FROM, fromDevice);
    to = open(TO, toDevice);
    MeshEndpoint outEndpoint = endpoint(from, 0, QueueDepths.SENDER);
    MeshEndpoint inEndpoint = endpoint(to, 0, QueueDepths.RECEIVER);
    connect(outEndpoint, inEndpoint, SETTINGS);
    long partBytes = outEndpoint.nic().maxMessageBytes();
    out =
        new MeshSendChannel(
            from.context().forChannels(),
            ready(TO),
            outEndpoint,
            route(from, TO),
            partBytes,
            new PeerNic(to.node(), 0));
    in =
        new MeshReceiveChannel(
            to.context().forChannels(), ready(FROM), inEndpoint, route(to, FROM), partBytes);
    from.context().channels().adopt(out, Optional.empty());
    to.context().channels().adopt(in, Optional.empty());
  }

  private static MeshTransport open(String name, VerbsDevice device)
      throws VerbsException, TransportException {
    return MeshTransport.open(
        MeshConfig.of(Map.of("MESH_NODE", name, "MESH_HANDSHAKE_PORT", "0")),
        List.of(NicFixture.over(0, device.name(), name, device)));
  }

  /** An endpoint of a transport, not connected yet, on its NIC with this index. */
  static MeshEndpoint endpoint(MeshTransport transport, int index, QueueDepths depths)
      throws VerbsException {
    OpenNic nic = transport.context().nics().now().get(index);
    return transport.context().endpoints().open(nic, nic.nic().gid(), depths);
  }

  /** Connects two endpoints with each other. */
  static void connect(MeshEndpoint out, MeshEndpoint in, QueuePairSettings settings)
      throws VerbsException {
    in.connect(queuePair(out, settings), settings);
    out.connect(queuePair(in, settings), settings);
  }

  private static PeerQueuePair queuePair(MeshEndpoint endpoint, QueuePairSettings settings) {
    return new PeerQueuePair(
        endpoint.number(),
        endpoint.psn(),
        endpoint.gid().gid(),
        endpoint.mtuBytes(settings),
        endpoint.nic().device().wirePort());
  }

  /** The life cycle of a channel that is READY. */
  static ChannelLifeCycle ready(String direction) {
    ChannelLifeCycle life = new ChannelLifeCycle(direction);
    life.become(ChannelState.ROUTING, () -> direction);
    life.become(ChannelState.HANDSHAKING, () -> direction);
    life.become(ChannelState.READY, () -> direction);
    return life;
  }

  /** A route from a transport's first NIC to a peer. */
  static Route route(MeshTransport transport, String peer) {
    Nic nic = transport.context().nics().now().get(0).nic();
    NicAddress address = nic.addresses().get(0);
    return RouteDescription.accepted(
        peer, "", nic.label(), address, address.link().address(), "", 0);
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
