// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Connection;
import io.meshtransport.spi.InMemoryTransport;
import io.meshtransport.spi.SendMode;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LinkTest {
  private static final int FRAME_BYTES = 64;

  private final InMemoryTransport transport = new InMemoryTransport("a");
  private final List<SendMode> modes = new ArrayList<>();
  private boolean isPolling;
  private SlotPool pool;
  private Link link;

  @BeforeEach
  void open() throws Exception {
    pool = new SlotPool(null, transport, 1, 256, () -> {});
    link = new Link(() -> isPolling, 0, connection(), true, transport, SessionOptions.DEFAULT);
  }

  /** Accepts every request, and notes which modes are set. */
  private Connection connection() {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("sendMode")) {
                modes.add((SendMode) arguments[0]);
              }
              return method.getReturnType() == long.class ? 1L : null;
            });
  }

  @AfterEach
  void close() {
    link.release();
    pool.close();
    transport.close();
  }

  private void send(boolean mayWait) {
    SendSlot slot = pool.tryAcquire();
    assertTrue(link.isend(pool, slot, FRAME_BYTES, mayWait));
    slot.close();
  }

  @Test
  void shouldSendAtOnceWhatOtherThreadsDoNotWaitFor() {
    send(false);
    assertEquals(List.of(), modes, "connections begin with " + Link.FIRST_MODE);
  }

  @Test
  void shouldLetRequestsAndWhatThePollingThreadSendsLeaveTogether() {
    send(true);
    isPolling = true;
    send(false);
    isPolling = false;
    send(false);
    send(false);
    assertEquals(List.of(SendMode.BATCH, SendMode.FIRE_AND_FORGET), modes);
  }
}
