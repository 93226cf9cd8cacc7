// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.handshake.PeerHello;
import io.meshtransport.handshake.QueuePairAddress;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.nic.PortState;
import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.transport.connect.ChannelParameters;
import io.meshtransport.transport.connect.EndpointFactory;
import io.meshtransport.transport.connect.WireKeys;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.QueueDepths;
import io.meshtransport.transport.route.Host;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Real queue pairs in software of a peer whose handshake a test plays. */
final class PlayedEnd implements AutoCloseable {
  private final OpenNic nic;
  private final ConcurrentLinkedQueue<MeshEndpoint> links = new ConcurrentLinkedQueue<>();

  /**
   * @param address of the loopback interface
   */
  PlayedEnd(String address) throws VerbsException {
    VerbsDevice device = new SoftProvider().open("lo-" + address);
    GidEntry row = device.gidTable(1).get(0);
    Nic described =
        new Nic(
            "soft",
            "lo-" + address,
            1,
            "lo",
            0,
            List.of(new NicAddress(Host.address(address + "/24"), row)),
            0,
            4096,
            PortState.ACTIVE,
            "",
            -1);
    nic = OpenNic.over(0, described, device);
  }

  /** Brings a queue pair up towards whoever says hello. */
  QueuePairAddress offer(PeerHello hello) {
    try {
      MeshEndpoint link = MeshEndpoint.open(nic, nic.nic().gid(), QueueDepths.RECEIVER, 1);
      links.add(link);
      new EndpointFactory(
              "", SimulatedLine.LINK, new WireKeys(Optional.empty()), new SecureRandom())
          .connect(link, hello.endpoint());
      return new QueuePairAddress(
          link.number(),
          link.psn(),
          link.gid().gid(),
          1024,
          nic.device().wirePort(),
          new ChannelParameters(1, 1 << 30, 1, link.token()).encode());
    } catch (VerbsException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() throws VerbsException {
    for (MeshEndpoint link : links) {
      link.close();
    }
    nic.close();
  }
}
