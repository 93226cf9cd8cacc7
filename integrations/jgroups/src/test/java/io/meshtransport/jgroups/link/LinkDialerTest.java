// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.jgroups.directory.VirtualTime;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Dials that end while they are awaited; those under way on a link: {@link OutboundLinkTest}. */
@Timeout(60)
class LinkDialerTest {
  private final LinkDialer dialer = new LinkDialer();
  private final VirtualTime time = new VirtualTime();
  private final AtomicInteger dials = new AtomicInteger();

  /** The first dial is restarted as soon as it is awaited; later ones are as the script says. */
  private ChannelFuture<SendChannel> restarted(ScriptedTransport.Dial later)
      throws TransportException {
    ScriptedTransport.Dial first =
        new ScriptedTransport.Dial() {
          @Override
          public SendChannel dial(byte[] handle) {
            dialer.restartIfSlow(time::after);
            time.pass(LinkDialer.STALE_DIAL_MS);
            throw new IllegalStateException("given up before");
          }

          @Override
          public void close() {}
        };
    boolean isFirst = dials.getAndIncrement() == 0;
    return ScriptedTransport.dialing(isFirst ? first : later).connect(new byte[0]);
  }

  @Test
  void shouldDialAgainWhenADialIsRestarted() throws TransportException {
    ScriptedSendChannel channel = new ScriptedSendChannel();
    ScriptedDialer later = new ScriptedDialer().open(channel);
    assertSame(channel, dialer.open(() -> restarted(later), () -> true));
    assertEquals(2, dials.get());
  }

  @Test
  void shouldNotDialAgainForALinkThatDoesNotOpenAnyMore() {
    assertThrows(
        IllegalStateException.class,
        () -> dialer.open(() -> restarted(new ScriptedDialer()), () -> false));
    assertEquals(1, dials.get());
  }

  @Test
  void shouldFailWhenTheDialAfterARestartCannotBegin() {
    TransportException failure =
        assertThrows(
            TransportException.class,
            () ->
                dialer.open(
                    () -> {
                      if (dials.get() > 0) {
                        dials.incrementAndGet();
                        throw new TransportException(Reason.NO_RESOURCES, "of this test");
                      }
                      return restarted(new ScriptedDialer());
                    },
                    () -> true));
    assertEquals(Reason.NO_RESOURCES, failure.reason());
    assertEquals(2, dials.get());
  }
}
