// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.util.List;

/** The other of two ranks, as a test plays it to rank 0: what that sends and puts comes here. */
interface PlayedNeighbour {
  int RANK = 1;
  GroupMembership MEMBERS = new GroupMembership("g", "g", 0, List.of("a", "b"), 0);

  /** Answers as {@link Connection#isend} does. */
  long send(ByteBuffer message);

  /** Answers as {@link Connection#iput} does. */
  long put();

  /**
   * Rank 0, joined to this neighbour.
   *
   * @param memory all that it allocates and registers
   */
  default LocalRank joined(Poller poller, RegisteredMemory memory) throws TransportException {
    Transport transport =
        Fakes.of(
            Transport.class,
            (proxy, method, arguments) -> method.getName().equals("newPoller") ? poller : memory);
    LocalRank rank = new LocalRank(MEMBERS, new MemberLinks(transport, MEMBERS.size()));
    rank.join(
        RANK,
        Fakes.of(
            Connection.class,
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "state" -> ChannelState.READY;
                  case "maxRequests" -> MemberLinks.REQUESTS;
                  case "irecv" -> 0L;
                  case "isend" -> send((ByteBuffer) arguments[0]);
                  case "iput" -> put();
                  default -> null;
                }));
    return rank;
  }
}
