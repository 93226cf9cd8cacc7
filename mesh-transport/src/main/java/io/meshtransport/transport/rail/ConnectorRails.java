// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.rail;

import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Route;
import java.util.List;
import java.util.Optional;

/** The rails of a channel or connection at the end that connected, which makes them. Any thread. */
public interface ConnectorRails {
  /** The channel's route. */
  Route route();

  /** The channel's state. */
  ChannelState state();

  /** Calls this once for each rail that is lost. Under the channel's lock, must not block. */
  void onLost(Runnable task);

  /** The rails that are live. */
  List<Rail> liveRails();

  /**
   * The ticket of a rail that can join: with the next number whose place is free at both ends.
   *
   * @param last of this channel
   * @return empty if every place is taken, or the peer has not taken note yet that its rail is lost
   */
  Optional<RailId> ticketAfter(RailId last);

  /** As {@link RailSet#join}. */
  boolean join(Rail rail);
}
