// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.PortState;
import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * Asynchronous events of a real device, made to happen by changing its network interface. Only
 * where that harms nobody: a guest of the lab, which says so.
 */
@NeedsRdmaDevice
@EnabledIfEnvironmentVariable(
    named = "LAB_GUEST",
    matches = "1",
    disabledReason = "it takes network interfaces down: only in a guest of the lab")
class EventIbverbsTest {
  private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(20);
  private static final String ADDRESS = "10.77.0.9/24";

  private VerbsDevice device;
  private String netdev;

  @BeforeEach
  void open() throws Exception {
    device = RealDevice.open();
    netdev = device.gidTable(RdmaSide.PORT).get(0).netdev();
    while (device.pollAsyncEvent().isPresent()) {
      // What happened before the test.
    }
  }

  @AfterEach
  void close() throws VerbsException {
    device.close();
  }

  private static void ip(String... arguments) throws Exception {
    String[] command = new String[arguments.length + 1];
    command[0] = "ip";
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    assertTrue(process.waitFor(20, TimeUnit.SECONDS), "ip does not end");
    assertEquals(0, process.exitValue(), output);
  }

  private AsyncEvent await(AsyncEvent.Type type) throws VerbsException {
    long endNs = System.nanoTime() + DEADLINE_NS;
    while (System.nanoTime() - endNs < 0) {
      Optional<AsyncEvent> event = device.pollAsyncEvent();
      if (event.isPresent() && event.get().type() == type) {
        return event.get();
      }
    }
    throw new AssertionError("no event " + type);
  }

  @Test
  void shouldSayThatTheGidTableChanged() throws Exception {
    ip("addr", "add", ADDRESS, "dev", netdev);
    try {
      assertEquals(RdmaSide.PORT, await(AsyncEvent.Type.GID_CHANGE).subject());
      assertTrue(hasAddress(), "the new row");
    } finally {
      ip("addr", "del", ADDRESS, "dev", netdev);
    }
    assertEquals(RdmaSide.PORT, await(AsyncEvent.Type.GID_CHANGE).subject());
    assertFalse(hasAddress(), "the old row");
  }

  private boolean hasAddress() throws VerbsException {
    return device.gidTable(RdmaSide.PORT).stream()
        .map(GidEntry::gid)
        .anyMatch(gid -> gid.toAddress().getHostAddress().equals("10.77.0.9"));
  }

  @Test
  void shouldSayThatThePortWentDownAndCameBack() throws Exception {
    ip("link", "set", netdev, "down");
    try {
      assertEquals(RdmaSide.PORT, await(AsyncEvent.Type.PORT_ERR).subject());
      assertEquals(PortState.DOWN, device.queryPort(RdmaSide.PORT).state());
      assertFalse(device.queryPort(RdmaSide.PORT).link().isUp());
    } finally {
      ip("link", "set", netdev, "up");
    }
    assertEquals(RdmaSide.PORT, await(AsyncEvent.Type.PORT_ACTIVE).subject());
    assertEquals(PortState.ACTIVE, device.queryPort(RdmaSide.PORT).state());
  }
}
