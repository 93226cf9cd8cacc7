// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.ncclmesh;

import io.meshtransport.handshake.CompatHandle;
import io.meshtransport.handshake.HandshakeException;
import io.meshtransport.handshake.Handshaker;
import io.meshtransport.handshake.LegacyAddress;
import io.meshtransport.handshake.LegacyEndpoint;
import io.meshtransport.handshake.LegacyHandle;
import io.meshtransport.handshake.LegacyPort;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.handshake.RefusedException;
import io.meshtransport.nic.Gid;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.connect.ConnectContext;
import io.meshtransport.transport.device.LocalNics;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.device.QueuePairSettings;
import io.meshtransport.transport.endpoint.PeerQueuePair;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * How one transport speaks the wire of the C plugin nccl-mesh, if MESH_COMPAT says that it does.
 * docs/WIRE.md tells that wire's quirks. Immutable; any thread.
 */
public final class NcclMeshWire {
  private static final Logger LOG = LogManager.getLogger(NcclMeshWire.class);

  /** A C plugin's handle does not say how fast its NICs are. */
  static final int SPEED_UNKNOWN = 0;

  /** It keeps a peer's queue pair number in 16 bits. */
  private static final int MAX_PLUGIN_NUMBER = 0xFFFF;

  private final LocalNics nics;
  private final QueuePairSettings settings;

  public NcclMeshWire(LocalNics nics, QueuePairSettings ours) {
    this.nics = nics;
    // Nothing tells a sender whether a receive is posted. What bounds it are the requests'
    // deadlines, and the peer's own acknowledgements: a dead peer sends no RNR NAK.
    settings = ours.withoutFlowControl();
  }

  /** Attributes of queue pairs on this wire. */
  QueuePairSettings settings() {
    return settings;
  }

  static String peerName(InetAddress address) {
    return "nccl-mesh at " + address.getHostAddress();
  }

  /**
   * The path MTU of queue pairs that peers connect to, on every NIC: a C plugin takes it from the
   * handle and does not report what it took, so there can be but one.
   */
  int mtuBytes() {
    return nics.now().stream()
        .mapToInt(nic -> nic.nic().activeMtu())
        .reduce(settings.mtuBytes(), Math::min);
  }

  /**
   * What both kinds of peers connect to.
   *
   * @throws TransportException NO_NIC if there is no IPv4 address for the C plugin's handle
   */
  public byte[] handle(LegacyPort port, PeerHandle ours) throws TransportException {
    List<OpenNic> open = nics.now();
    List<LegacyAddress> addresses =
        open.stream()
            .flatMap(nic -> nic.nic().addresses().stream().map(own -> entry(nic, own)))
            .flatMap(List::stream)
            .toList();
    if (addresses.isEmpty()) {
      throw new TransportException(
          Reason.NO_NIC,
          "MESH_COMPAT=nccl-mesh: the C plugin's handle carries IPv4 addresses, and no NIC of this"
              + " node has one. Assign one, for example `ip addr add 192.168.77.1/30 dev "
              + (open.isEmpty() ? "DEV" : open.get(0).nic().netdev())
              + "`, or unset MESH_COMPAT.");
    }
    if (addresses.size() > LegacyHandle.MAX_ADDRESSES) {
      LOG.warn(
          "the C plugin's handle carries {} of these addresses, peers at the others cannot connect: {}",
          LegacyHandle.MAX_ADDRESSES,
          addresses);
    }
    List<LegacyAddress> first =
        addresses.subList(0, Math.min(addresses.size(), LegacyHandle.MAX_ADDRESSES));
    LegacyHandle legacy =
        new LegacyHandle(port.port(), mtuBytes(), Gid.of(first.get(0).link().address()), first);
    return new CompatHandle(legacy, ours).encode();
  }

  private static List<LegacyAddress> entry(OpenNic nic, NicAddress own) {
    return own.link().isIpv4()
        ? List.of(new LegacyAddress(own.link(), nic.index(), own.gid().index()))
        : List.of();
  }

  /** A port for C plugins that connect to a listener. */
  public LegacyPort listen(ConnectContext context, Handshaker handshaker, int listenerId)
      throws TransportException {
    try {
      return handshaker.listenLegacy(new NcclMeshAcceptor(context, this, listenerId));
    } catch (HandshakeException e) {
      throw new TransportException(Reason.NO_RESOURCES, e.getMessage(), e);
    }
  }

  /**
   * What the peer learns of an endpoint.
   *
   * @param gid the connector's own, or zero in an answer
   * @param nicIndex of the listener
   */
  LegacyEndpoint endpoint(NcclMeshEndpoint line, NicAddress local, Gid gid, int nicIndex) {
    numberTrouble(line.number(), line.nic().nic().device())
        .ifPresent(trouble -> LOG.warn("{}: {}", line.nic().nic().label(), trouble));
    return new LegacyEndpoint(
        line.number(),
        line.psn(),
        gid,
        (Inet4Address) local.link().address(),
        gid.isZero() ? 0 : line.gid().index(),
        nicIndex);
  }

  /** What is wrong with the number of a queue pair of ours towards a C plugin; empty if nothing. */
  public static Optional<String> numberTrouble(int number, String device) {
    return number <= MAX_PLUGIN_NUMBER
        ? Optional.empty()
        : Optional.of(
            "queue pair "
                + number
                + ": the C plugin cuts numbers to 16 bits and will send to queue pair "
                + (number & MAX_PLUGIN_NUMBER)
                + " instead, without an error at either end. A device gives low numbers again after"
                + " its driver was loaded anew: for Soft-RoCE `rdma link delete "
                + device
                + "` and add it again. Nodes of our own kind are not concerned.");
  }

  static PeerQueuePair queuePair(LegacyEndpoint theirs, Gid gid, int mtuBytes) {
    return new PeerQueuePair(theirs.qpNumber(), theirs.psn(), gid, mtuBytes, 0);
  }

  /** Refuses an address that is not at the other end of this cable. */
  static void requireNeighbour(NicAddress own, Inet4Address theirs) throws RefusedException {
    if (!own.link().contains(theirs) || own.link().address().equals(theirs)) {
      throw new RefusedException(
          "the C plugin says that it is at "
              + theirs.getHostAddress()
              + ", which is no neighbour of "
              + own.link());
    }
  }
}
