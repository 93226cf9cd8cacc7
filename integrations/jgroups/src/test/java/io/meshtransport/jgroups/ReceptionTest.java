// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.TransportException;
import java.lang.reflect.Proxy;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReceptionTest {
  private final BlockingQueue<Object> outcomes = new LinkedBlockingQueue<>();
  private final AtomicInteger failingWelcomes = new AtomicInteger();
  private final RecordingLog log = new RecordingLog();
  private Reception reception;

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

  /** Its links say nothing, and hear nothing. */
  private final LinkIn.Arrivals arrivals =
      new LinkIn.Arrivals() {
        @Override
        public NodeIds ids() {
          return Nodes::id;
        }

        @Override
        public void directory(LinkIn link, DirectoryMessage message) {}

        @Override
        public void bundle(Node sender, ByteBuffer bundle) {}

        @Override
        public void ended(LinkIn link, Node sender, TransportException why) {
          reception.ended(link);
        }

        @Override
        public void nonsense(Node sender, String peer, ProtocolException why) {}
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

  private LinkIn welcome(ReceiveChannel channel) throws TransportException {
    if (failingWelcomes.getAndDecrement() > 0) {
      throw new OutOfMemoryError("unable to create native thread, in this test");
    }
    return new LinkIn(channel, ScriptedTransport.alone(), 4, 2048, 100, arrivals);
  }

  private static void until(BooleanSupplier holds) {
    await()
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(2))
        .until(holds::getAsBoolean);
  }

  @Test
  void shouldGoOnAfterWhateverItsThreadMeets() {
    reception = new Reception(listener, this::welcome, log.log);
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
}
