// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException.Reason;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Contract: who knows an address alone can ask there for the handle. */
abstract class QueryChapter extends ContractChapter {
  @Test
  void shouldConnectWithWhatWasAnswered() throws Exception {
    try (Listener listener = right.listen()) {
      byte[] answer = answer(left.lookup(addressOf(right)));

      assertArrayEquals(listener.handle(), answer);
      ChannelFuture<ReceiveChannel> accepting = listener.accept();
      SendChannel out = left.connect(answer, PATIENCE);
      new ChannelEnds(out, accepting.await(PATIENCE), memory(left, 64), memory(right, 64))
          .assertAlive();
    }
  }

  @Test
  void shouldAnswerWithTheOldestOpenListener() throws Exception {
    Listener first = right.listen();
    Listener second = right.listen();
    assertArrayEquals(first.handle(), answer(left.lookup(addressOf(right))));

    first.close();
    assertArrayEquals(second.handle(), answer(left.lookup(addressOf(right))));

    try (Listener third = right.listen()) {
      assertArrayEquals(second.handle(), answer(left.lookup(addressOf(right))));
      second.close();
      assertArrayEquals(third.handle(), answer(left.lookup(addressOf(right))));
    }
    assertNobodyListens(addressOf(right));
  }

  @Test
  void shouldAnswerOnceThereIsAListener() throws Exception {
    assertNobodyListens(addressOf(right));
    try (Listener listener = right.listen()) {
      assertArrayEquals(listener.handle(), answer(left.lookup(addressOf(right))));
    }
  }

  @Test
  void shouldNotAnswerWithAListenerThatIsUnlisted() throws Exception {
    try (Listener unlisted = right.listen(ConnectOptions.DEFAULT.unlisted())) {
      assertNobodyListens(addressOf(right));
      try (Listener listed = right.listen()) {
        assertArrayEquals(listed.handle(), answer(left.lookup(addressOf(right))));
      }
      ChannelFuture<ReceiveChannel> accepting = unlisted.accept();
      SendChannel out = left.connect(unlisted.handle(), PATIENCE);
      new ChannelEnds(out, accepting.await(PATIENCE), memory(left, 64), memory(right, 64))
          .assertAlive();
    }
  }

  @Test
  void shouldReportThatNoNodeIsThere() throws Exception {
    InetSocketAddress address = addressOf(right);
    right.listen();
    right.close();
    assertNobodyListens(address);
  }

  @Test
  void shouldAnswerItself() throws Exception {
    try (Listener listener = left.listen()) {
      assertArrayEquals(listener.handle(), answer(left.lookup(addressOf(left))));
    }
  }

  @Test
  void shouldAnswerManyAtTheSameInstant() throws Exception {
    try (Listener atLeft = left.listen();
        Listener atRight = right.listen()) {
      List<CompletableFuture<byte[]>> rightQueries = new ArrayList<>();
      List<CompletableFuture<byte[]>> leftQueries = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        rightQueries.add(left.lookup(addressOf(right)));
        leftQueries.add(right.lookup(addressOf(left)));
      }
      for (CompletableFuture<byte[]> query : rightQueries) {
        assertArrayEquals(atRight.handle(), answer(query));
      }
      for (CompletableFuture<byte[]> query : leftQueries) {
        assertArrayEquals(atLeft.handle(), answer(query));
      }
    }
  }

  @Test
  void shouldKeepItsPortExclusively() {
    assertTrue(left.handshakePort() > 0 && left.handshakePort() <= 0xFFFF);
    assertTrue(left.handshakePort() != right.handshakePort(), "two nodes with one port");
    assertEquals(left.handshakePort(), left.handshakePort());
  }

  @Test
  void shouldRefuseAnAddressThatIsNone() throws Exception {
    InetSocketAddress named = InetSocketAddress.createUnresolved("peer.invalid", 4791);
    assertThrows(IllegalArgumentException.class, () -> left.lookup(named));
    InetSocketAddress portless = new InetSocketAddress(addressOf(right).getAddress(), 0);
    assertThrows(IllegalArgumentException.class, () -> left.lookup(portless));
  }

  @Test
  void shouldNotQueryAfterClose() throws Exception {
    InetSocketAddress address = addressOf(right);
    left.close();
    assertEquals(Reason.CLOSED, failure(left.lookup(address)).reason());
  }

  private void assertNobodyListens(InetSocketAddress address) {
    TransportException failure = failure(left.lookup(address));
    assertEquals(Reason.PEER_UNREACHABLE, failure.reason(), failure.toString());
  }

  /** Of its first NIC; IPv4 where it has that, for a link-local address needs a scope. */
  private static InetSocketAddress addressOf(Transport node) throws UnknownHostException {
    List<String> addresses = node.nics().get(0).addresses();
    String chosen =
        addresses.stream().filter(text -> !text.contains(":")).findFirst().orElse(addresses.get(0));
    return new InetSocketAddress(
        InetAddress.getByName(chosen.substring(0, chosen.indexOf('/'))), node.handshakePort());
  }

  private static byte[] answer(CompletableFuture<byte[]> query) throws Exception {
    return query.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private static TransportException failure(CompletableFuture<byte[]> query) {
    ExecutionException failed = assertThrows(ExecutionException.class, () -> answer(query));
    return assertInstanceOf(TransportException.class, failed.getCause());
  }
}
