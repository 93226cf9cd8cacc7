// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.nic.Nic;
import io.meshtransport.transport.channel.ChannelContext;
import io.meshtransport.transport.channel.ChannelRegistry;
import io.meshtransport.transport.device.HostWatch;
import io.meshtransport.transport.device.LocalNics;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.util.concurrent.Executor;

/**
 * What the set-up of channels, at the connecting and at the accepting end, needs of its transport,
 * and all that it knows of it. Immutable; any thread.
 *
 * @param settings bounds of a set-up
 * @param endpoints opens and connects queue pairs
 * @param nics the NICs of this host
 * @param routes from these NICs to a peer
 * @param cuts where no further rails are made now
 * @param host announces changes of the NICs
 * @param rescan reads the host for a NIC or an address that is new, unless that was done a moment
 *     ago
 * @param executor the one thread that opens and closes endpoints outside of handshakes
 * @param pending what to give up when the transport closes
 * @param listeners that channels of peers go to
 * @param channels that channels which are ready belong to
 * @param forChannels what each of these channels gets
 */
public record ConnectContext(
    ConnectSettings settings,
    EndpointFactory endpoints,
    LocalNics nics,
    RoutePlanner routes,
    CutCables cuts,
    HostWatch host,
    Runnable rescan,
    Executor executor,
    PendingConnects pending,
    ListenerRegistry listeners,
    ChannelRegistry channels,
    ChannelContext forChannels) {
  /**
   * A NIC that is open now.
   *
   * @param nic as it was described a while ago
   * @throws VerbsException ENODEV if it is gone
   */
  public OpenNic openNic(Nic nic) throws VerbsException {
    return nics.find(nic)
        .orElseThrow(
            () ->
                new VerbsException(
                    Errno.ENODEV, nic.label() + " is gone from this host, or has no address now."));
  }
}
