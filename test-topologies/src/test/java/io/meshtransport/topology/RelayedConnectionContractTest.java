// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.ConnectionContractTest;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What connections promise, between nodes whose only path is a relay. */
@Tag("slow")
class RelayedConnectionContractTest extends ConnectionContractTest {
  private static RelayStar star;

  @BeforeAll
  static void openStar() throws TransportException {
    star = new RelayStar(20);
  }

  @AfterAll
  static void closeStar() {
    star.close();
  }

  @Override
  protected Transport openNode(String name) throws TransportException {
    return star.openNode(name);
  }

  /** A relay has connections and memory of the transport, so it is closed before. */
  @Override
  protected boolean closesChannelsFirst() {
    return false;
  }

  /** To open a node with its mesh and its relay takes a second and more. */
  @Override
  protected int repetitions(int usual) {
    return Boolean.getBoolean("mesh.test.long") ? usual : Math.max(1, usual / 4);
  }

  @Override
  protected Duration connectTimeout() {
    return Duration.ofSeconds(10);
  }

  @Test
  void shouldTellThePeerBeforeTheRelayIsClosed() throws TransportException {
    Transport left = openNode("left");
    try (Transport right = openNode("right");
        Listener listener = right.listen()) {
      ChannelFuture<Connection> accepting = listener.acceptConnection();
      left.connect(listener.handle(), ConnectOptions.DEFAULT, connectTimeout());
      Connection accepted = accepting.await(connectTimeout());
      left.close();
      long receive = accepted.irecv(ByteBuffer.allocateDirect(64), 1);
      if (receive != Channel.FAILED) {
        assertEquals(Channel.FAILED, accepted.await(receive, connectTimeout()));
      }
      assertEquals(Reason.PEER_CLOSED, accepted.failure().reason());
    } finally {
      left.close();
    }
  }
}
