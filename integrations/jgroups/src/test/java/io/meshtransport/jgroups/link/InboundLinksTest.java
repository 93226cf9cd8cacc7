// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.jgroups.directory.DirectoryMessage;
import io.meshtransport.jgroups.directory.Node;
import io.meshtransport.jgroups.directory.NodeIds;
import io.meshtransport.jgroups.directory.Nodes;
import io.meshtransport.jgroups.directory.RecordingLog;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.TransportException;
import java.lang.reflect.Proxy;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class InboundLinksTest {
  private final BlockingQueue<Object> outcomes = new LinkedBlockingQueue<>();
  private final AtomicInteger failingWelcomes = new AtomicInteger();
  private final AtomicInteger introductions = new AtomicInteger();
  private final RecordingLog log = new RecordingLog();
  private InboundLinks reception;

  /** Hands out channels, or throws, as the test says. */
  private final Listener listener =
      (Listener)
          Proxy.newProxyInstance(
              Listener.class.getClassLoader(),
              new Class<?>[] {Listener.class},
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "accept" -> accept();
                    case "close" -> null;
                    default -> throw new UnsupportedOperationException(method.getName());
                  });

  /** Its links say who they are from, and hear nothing. */
  private final InboundLink.Handler arrivals =
      new InboundLink.Handler() {
        @Override
        public NodeIds ids() {
          return Nodes::id;
        }

        @Override
        public void directory(InboundLink link, DirectoryMessage message) {
          reception.introduced(link, message.sender());
          introductions.incrementAndGet();
        }

        @Override
        public void bundle(Node sender, ByteBuffer bundle) {}

        @Override
        public void ended(InboundLink link, Node sender, TransportException why) {
          reception.ended(link);
        }

        @Override
        public void protocolViolation(Node sender, String peer, ProtocolException why) {}
      };

  private ReceiveChannel accept() throws Throwable {
    Object outcome = outcomes.poll(10, TimeUnit.MILLISECONDS);
    if (outcome == null) {
      throw new TransportException(TransportException.Reason.TIMED_OUT, "nobody came in this test");
    }
    if (outcome instanceof Throwable failure) {
      throw failure;
    }
    return (ReceiveChannel) outcome;
  }

  private InboundLink welcome(ReceiveChannel channel) throws TransportException {
    if (failingWelcomes.getAndDecrement() > 0) {
      throw new OutOfMemoryError("unable to create native thread, in this test");
    }
    return new InboundLink(channel, ScriptedTransport.registering(), 4, 2048, 100, arrivals);
  }

  private static void until(BooleanSupplier holds) {
    await()
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(2))
        .until(holds::getAsBoolean);
  }

  @Test
  void shouldGoOnAfterWhateverItsThreadMeets() {
    reception = new InboundLinks(listener, this::welcome, log.log);
    ScriptedReceiveChannel unwelcome = new ScriptedReceiveChannel();
    ScriptedReceiveChannel taken = new ScriptedReceiveChannel();
    failingWelcomes.set(1);
    outcomes.add(new OutOfMemoryError("Java heap space, in this test"));
    outcomes.add(unwelcome);
    outcomes.add(new IllegalStateException("in this test"));
    outcomes.add(taken);
    reception.start();
    until(() -> reception.links() == 1 && taken.isWaitedFor());
    assertEquals(ChannelState.CLOSED, unwelcome.state());
    reception.close();
    until(() -> taken.state() == ChannelState.CLOSED);
    assertEquals(0, reception.links());
  }

  private static byte[] introduction() {
    byte[] message =
        DirectoryMessage.encode(
                Nodes.node(2), new byte[0], List.of(), DirectoryMessage.MIN_MESSAGE_BYTES)
            .get(0);
    ByteBuffer frame = ByteBuffer.allocate(BundleHeader.HEADER_BYTES + message.length);
    BundleHeader.put(frame, BundleHeader.DIRECTORY, message.length, 0);
    return frame.put(BundleHeader.HEADER_BYTES, message).array();
  }

  private ScriptedReceiveChannel acceptedChannel() {
    int before = reception.links();
    ScriptedReceiveChannel channel = new ScriptedReceiveChannel();
    outcomes.add(channel);
    until(() -> reception.links() > before && channel.isWaitedFor());
    return channel;
  }

  @Test
  void shouldKeepTheNewestLinkFromANodeThoughTheFormerStillHasNews() {
    reception = new InboundLinks(listener, this::welcome, log.log);
    reception.start();
    ScriptedReceiveChannel former = acceptedChannel();
    ScriptedReceiveChannel newest = acceptedChannel();
    newest.arrive(introduction());
    until(() -> introductions.get() == 1);
    former.arrive(introduction());
    until(() -> former.state() == ChannelState.CLOSED || newest.state() == ChannelState.CLOSED);
    assertEquals(ChannelState.READY, newest.state());
    until(() -> reception.links() == 1);
    assertTrue(reception.from(Nodes.node(2).id()).isPresent());
    reception.close();
    until(() -> reception.from(Nodes.node(2).id()).isEmpty());
  }

  @Test
  void shouldKeepOneOfManyLinksThatOneNodeOpensAtOnce() {
    reception = new InboundLinks(listener, this::welcome, log.log);
    reception.start();
    List<ScriptedReceiveChannel> channels =
        Stream.generate(this::acceptedChannel).limit(16).toList();
    channels.forEach(channel -> channel.arrive(introduction()));
    until(() -> reception.links() == 1);
    assertEquals(ChannelState.READY, channels.get(15).state());
    reception.close();
  }
}
