// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.message.StalledSends;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.logging.log4j.Level;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Sends whose receives were posted while nothing tested their channel.
 *
 * <p>Also tests {@link io.meshtransport.transport.message.UntestedChannel}.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StalledSendsTest {
  private static final int BYTES = 64;
  private static final long PATIENCE_NS = 5_000_000_000L;

  private final StalledSends stalled = new StalledSends(PATIENCE_NS);
  private SimulatedLine line;
  private RegisteredMemory from;
  private RegisteredMemory to;
  private CapturedLog log;

  @BeforeEach
  void open() throws Exception {
    line = new SimulatedLine(3, new SimulatedCable(5_000, 0, 1_000_000_000L), 4_096);
    from = line.from.allocate(BYTES);
    to = line.to.allocate(BYTES);
    log = new CapturedLog(StalledSends.class);
  }

  @AfterEach
  void close() {
    log.close();
    line.close();
  }

  private void look(long nowNs) {
    stalled.look(List.of(line.out), nowNs);
  }

  private void everythingArrives() {
    line.fabric.runUntil(line.fabric.nowNs() + 1_000_000);
  }

  @Test
  void shouldWarnOfASendWhoseReceiveWasPostedWhileNothingTestedItsChannel() {
    long send = line.out.isend(from, 0, BYTES, 7);
    look(0);
    long receive = line.in.irecv(to, 0, BYTES, 7);
    everythingArrives();
    assertEquals(1, line.out.sendsNeedingProgress(), "its announcement lies unread");

    look(PATIENCE_NS - 1);
    assertEquals(1, line.out.sendsNeedingProgress());
    assertEquals(List.of(), log.lines());

    look(PATIENCE_NS);
    assertEquals(0, line.out.sendsNeedingProgress());
    assertEquals(1, log.lines().size());
    CapturedLog.Line warning = log.lines().get(0);
    assertEquals(Level.WARN, warning.level());
    assertTrue(warning.text().contains("a message with tag 7 waited here"), warning.text());
    assertTrue(warning.text().contains("nothing has tested this channel for 5 s"), warning.text());
    everythingArrives();
    assertEquals(BYTES, line.in.test(receive));
    assertEquals(BYTES, line.out.test(send));
  }

  @Test
  @Tag("slow")
  void shouldBeLookedForByEveryTransport() throws Exception {
    Duration limit = Duration.ofSeconds(30);
    try (Transport a = open("127.77.41.1/24");
        Transport b = open("127.77.41.2/24");
        Listener listener = b.listen()) {
      SendChannel out = a.connect(listener.handle(), limit);
      ReceiveChannel in = listener.accept(limit);
      out.isend(a.allocate(BYTES), 0, BYTES, 7);
      long receive = in.irecv(b.allocate(BYTES), 0, BYTES, 7);
      assertEquals(BYTES, in.await(receive, limit), "nothing has tested the sending end");
      Awaitility.await().atMost(limit).until(() -> log.lines().size() == 1);
    }
  }

  private static Transport open(String address) throws TransportException {
    return Transport.open(
        Map.of("MESH_LOOPBACK", address, "MESH_TIMEOUT_MS", "4000", "MESH_HANDSHAKE_PORT", "0"));
  }

  @Test
  void shouldWarnOncePerChannel() {
    for (int round = 0; round < 3; round++) {
      line.out.isend(from, 0, BYTES, round);
      look(2 * round * PATIENCE_NS);
      line.in.irecv(to, 0, BYTES, round);
      everythingArrives();
      look((2 * round + 1) * PATIENCE_NS);
      assertEquals(0, line.out.sendsNeedingProgress());
    }
    assertEquals(1, log.lines().size());
  }

  @Test
  void shouldLeaveAloneAChannelThatIsTestedOrWhosePeerHasPostedNothing() {
    long send = line.out.isend(from, 0, BYTES, 7);
    for (int look = 0; look < 4; look++) {
      assertEquals(Channel.PENDING, line.out.test(send));
      look(look * PATIENCE_NS);
    }
    look(9 * PATIENCE_NS);
    look(10 * PATIENCE_NS);
    assertEquals(1, line.out.sendsNeedingProgress());
    assertEquals(List.of(), log.lines());
  }
}
