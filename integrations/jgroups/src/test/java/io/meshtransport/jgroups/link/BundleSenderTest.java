// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.jgroups.directory.Directory;
import io.meshtransport.jgroups.directory.Node;
import io.meshtransport.jgroups.directory.Nodes;
import io.meshtransport.jgroups.directory.RecordingLog;
import io.meshtransport.jgroups.directory.VirtualTime;
import io.meshtransport.spi.TransportException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BundleSenderTest {
  private static final int BUFFERS = 12;
  private static final int SENDERS = 4;
  private static final int TURNS = 300;
  private static final int BUFFER_BYTES = 2048;
  private static final int PART_BYTES = BUFFER_BYTES - BundleHeader.HEADER_BYTES;
  private static final int MAX_BUNDLE_BYTES = 3 * PART_BYTES;
  private static final long TIMEOUT_MS = 20;

  private final Map<String, ScriptedSendChannel> channels = new ConcurrentHashMap<>();
  private final RecordingLog log = new RecordingLog();
  private final Directory directory = Nodes.directory(Nodes.node(1), log.log);
  private final List<OutboundLink> missed = new ArrayList<>();
  private SendBufferPool pool;
  private Links links;
  private BundleSender outbox;

  @BeforeEach
  void makeOutbox() throws TransportException {
    pool = new SendBufferPool(ScriptedTransport.registering(), BUFFERS, BUFFER_BYTES);
    links =
        new Links(
            ScriptedTransport.dialing(this::dial),
            directory,
            pool,
            BUFFER_BYTES,
            TIMEOUT_MS,
            600_000,
            new RecordingLinkListener(),
            new VirtualTime(),
            log.log);
    outbox = outbox(TIMEOUT_MS);
  }

  private BundleSender outbox(long timeoutMs) {
    long timeoutNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    return new BundleSender(pool, links, BUFFER_BYTES, MAX_BUNDLE_BYTES, timeoutNs);
  }

  private ScriptedSendChannel dial(byte[] handle) throws TransportException {
    ScriptedSendChannel channel = channels.get(new String(handle, StandardCharsets.UTF_8));
    if (channel == null) {
      throw new TransportException(TransportException.Reason.PEER_UNREACHABLE, "not in this test");
    }
    return channel;
  }

  @AfterEach
  void endLinks() {
    links.close();
  }

  private static void until(BooleanSupplier holds) {
    await()
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(2))
        .until(holds::getAsBoolean);
  }

  /** An open link whose peer accepts nothing yet. */
  private OutboundLink open(int number) throws TransportException {
    channels.put("handle-" + number, new ScriptedSendChannel());
    return link(number, LinkState.OPEN);
  }

  private OutboundLink unreachable(int number) throws TransportException {
    return link(number, LinkState.BACKING_OFF);
  }

  private OutboundLink link(int number, LinkState state) throws TransportException {
    Node node = Nodes.node(number);
    Nodes.learn(directory, node);
    OutboundLink link = links.to(node);
    if (link.state() == LinkState.IDLE) {
      // The trial dial of the introduction failed before its link was used: this is a new link.
      link.connect();
    }
    until(() -> link.state() == state);
    return link;
  }

  private List<ByteBuffer> bundles(int number) {
    return channels.get("handle-" + number).sent().stream()
        .filter(message -> BundleHeader.kind(message) != BundleHeader.DIRECTORY)
        .toList();
  }

  private static String text(ByteBuffer message) {
    return StandardCharsets.UTF_8
        .decode(message.slice().position(BundleHeader.HEADER_BYTES))
        .toString();
  }

  private static ByteBuffer bundle(String text) {
    return ByteBuffer.wrap(Nodes.bytes(text));
  }

  private void multicast(ByteBuffer bundle, OutboundLink... targets) throws InterruptedIOException {
    outbox.send(targets, bundle, (link, why) -> missed.add(link));
  }

  private int freeAfterReap() {
    links.reap();
    return pool.free();
  }

  private void fill(int count, int number) throws Exception {
    for (int message = 0; message < count; message++) {
      outbox.send(links.to(Nodes.node(number)), bundle("fill"));
    }
  }

  @Test
  void shouldSendABundleFromPositionToLimit() throws Exception {
    ByteBuffer bundle = bundle("not this, this, not that").position(10).limit(14);
    outbox.send(open(2), bundle);
    assertEquals(List.of("this"), bundles(2).stream().map(BundleSenderTest::text).toList());
    ByteBuffer sent = bundles(2).get(0);
    assertEquals(BundleHeader.BUNDLE, BundleHeader.kind(sent));
    assertEquals(4, BundleHeader.lengthBytes(sent));
    assertEquals(1, outbox.bundles());
    assertEquals(4, outbox.bytes());
  }

  @Test
  void shouldHoldOneSlotForAllPeersUntilTheLastHasIt() throws Exception {
    OutboundLink[] targets = {open(2), open(3), open(4)};
    multicast(bundle("to all"), targets);
    assertEquals(BUFFERS - 1, pool.free());
    for (int number = 2; number <= 4; number++) {
      assertEquals(
          List.of("to all"), bundles(number).stream().map(BundleSenderTest::text).toList());
    }
    channels.get("handle-3").acceptAll();
    channels.get("handle-2").acceptAll();
    until(() -> channelsEmpty("handle-2", "handle-3"));
    assertEquals(BUFFERS - 1, pool.free());
    channels.get("handle-4").acceptAll();
    until(() -> freeAfterReap() == BUFFERS);
    assertEquals(List.of(), missed);
    assertEquals(3, outbox.bundles());
    assertEquals(18, outbox.bytes());
  }

  private boolean channelsEmpty(String... handles) {
    links.reap();
    return List.of(handles).stream().allMatch(h -> channels.get(h).outstanding() == 0);
  }

  /** A buffer with a bundle as BundleOutput leaves it, acquired by this test. */
  private int filled(String text) {
    int buffer = pool.tryAcquire();
    BundleHeader.put(pool.bytes(buffer), BundleHeader.BUNDLE, text.length(), 0);
    pool.bytes(buffer).put(BundleHeader.HEADER_BYTES, Nodes.bytes(text));
    return buffer;
  }

  @Test
  void shouldSendABundleThatIsInASlotAndLeaveThatToItsHolder() throws Exception {
    OutboundLink link = open(2);
    int buffer = filled("there");
    outbox.send(link, buffer, 5);
    outbox.send(
        new OutboundLink[] {link, open(3)}, buffer, 5, (missing, why) -> missed.add(missing));
    assertEquals(
        List.of("there", "there"), bundles(2).stream().map(BundleSenderTest::text).toList());
    assertEquals(List.of("there"), bundles(3).stream().map(BundleSenderTest::text).toList());
    assertEquals(List.of(), missed);
    assertEquals(15, outbox.bytes());
    assertEquals(0, outbox.copies());
    channels.values().forEach(ScriptedSendChannel::acceptAll);
    until(() -> channelsEmpty("handle-2", "handle-3"));
    assertEquals(BUFFERS - 1, pool.free());
    pool.release(buffer);
    assertEquals(BUFFERS, pool.free());
  }

  @Test
  void shouldLeaveASlotToItsHolderWhenNoPeerCanBeReached() throws Exception {
    OutboundLink link = unreachable(2);
    int buffer = filled("there");
    assertThrows(SocketException.class, () -> outbox.send(link, buffer, 5));
    outbox.send(new OutboundLink[] {link}, buffer, 5, (missing, why) -> missed.add(missing));
    assertEquals(List.of(link), missed);
    pool.release(buffer);
    assertEquals(BUFFERS, pool.free());
  }

  @Test
  void shouldFreeTheSlotWhenNoPeerCanBeReached() throws Exception {
    OutboundLink[] targets = {unreachable(2), unreachable(3)};
    multicast(bundle("to nobody"), targets);
    assertEquals(List.of(targets), missed);
    assertEquals(BUFFERS, pool.free());
    assertThrows(SocketException.class, () -> outbox.send(targets[0], bundle("to one")));
    assertEquals(BUFFERS, pool.free());
  }

  @Test
  void shouldFreeTheSlotWhenEveryChannelFailsInTransit() throws Exception {
    multicast(bundle("to all"), open(2), open(3));
    assertEquals(BUFFERS - 1, pool.free());
    channels.values().forEach(channel -> channel.fail(ScriptedSendChannel.peerGone()));
    until(() -> freeAfterReap() == BUFFERS);
  }

  @Test
  void shouldServeTheOthersWhenOnePeerStops() throws Exception {
    OutboundLink still = open(2);
    OutboundLink lively = open(3);
    fill(links.share(), 2);
    int before = pool.free();
    multicast(bundle("to both"), still, lively);
    assertEquals(List.of(still), missed);
    assertEquals(List.of("to both"), bundles(3).stream().map(BundleSenderTest::text).toList());
    assertEquals(before - 1, pool.free());
    assertEquals(1, links.stalls());
    assertThrows(SocketException.class, () -> outbox.send(still, bundle("to one")));
    assertEquals(before - 1, pool.free());
  }

  @Test
  void shouldMissAllPeersWhenNoSlotGetsFree() throws Exception {
    OutboundLink[] targets = {open(2), open(3)};
    while (pool.tryAcquire() != SendBufferPool.NONE) {}
    multicast(bundle("to both"), targets);
    assertEquals(Set.of(targets), Set.copyOf(missed));
    SocketException why =
        assertThrows(SocketException.class, () -> outbox.send(targets[0], bundle("to one")));
    assertTrue(why.getMessage().contains("send_buffers (" + BUFFERS + ")"), why.getMessage());
  }

  @Test
  void shouldSendALargeBundleInParts() throws Exception {
    String text = String.join("", Collections.nCopies(PART_BYTES, "ab")) + "c";
    outbox.send(open(2), bundle(text));
    List<ByteBuffer> parts = bundles(2);
    assertEquals(3, parts.size());
    StringBuilder together = new StringBuilder();
    for (ByteBuffer part : parts) {
      assertEquals(BundleHeader.FRAGMENT, BundleHeader.kind(part));
      assertEquals(text.length(), BundleHeader.lengthBytes(part));
      assertEquals(together.length(), BundleHeader.offsetBytes(part));
      together.append(text(part));
    }
    assertEquals(text, together.toString());
  }

  @Test
  void shouldRefuseABundleThatNoPeerAccepts() throws Exception {
    OutboundLink link = open(2);
    ByteBuffer tooLong = ByteBuffer.allocate(MAX_BUNDLE_BYTES + 1);
    assertThrows(IllegalArgumentException.class, () -> outbox.send(link, tooLong));
    assertEquals(BUFFERS, pool.free());
  }

  /** As bundlers with several threads do, and those that have none of their own. */
  @Test
  void shouldSendFromManyThreadsAtOnceEachInItsOrder() throws Exception {
    OutboundLink[] both = {open(2), open(3)};
    channels.values().forEach(ScriptedSendChannel::acceptAll);
    outbox = outbox(40_000);
    Queue<OutboundLink> failed = new ConcurrentLinkedQueue<>();
    List<Future<?>> senders = new ArrayList<>();
    ExecutorService executor = Executors.newFixedThreadPool(SENDERS);
    try {
      for (int sender = 0; sender < SENDERS; sender++) {
        String name = "sender " + sender + ": ";
        senders.add(executor.submit(() -> sendInTurn(name, both.clone(), failed)));
      }
      for (Future<?> sender : senders) {
        sender.get(50, TimeUnit.SECONDS);
      }
    } finally {
      executor.shutdownNow();
    }
    assertEquals(List.of(), List.copyOf(failed));
    for (int sender = 0; sender < SENDERS; sender++) {
      String name = "sender " + sender + ": ";
      List<String> toAll = new ArrayList<>();
      List<String> toOne = new ArrayList<>();
      for (int turn = 0; turn < TURNS; turn++) {
        toAll.add(name + turn + " to all");
        toOne.addAll(List.of(name + turn + " to one", name + turn + " to all"));
      }
      assertEquals(toOne, textsOf(name, 2));
      assertEquals(toAll, textsOf(name, 3));
    }
    until(() -> freeAfterReap() == BUFFERS);
  }

  private Void sendInTurn(String name, OutboundLink[] both, Queue<OutboundLink> failed)
      throws Exception {
    for (int turn = 0; turn < TURNS; turn++) {
      outbox.send(both[0], bundle(name + turn + " to one"));
      outbox.send(both, bundle(name + turn + " to all"), (link, why) -> failed.add(link));
    }
    return null;
  }

  private List<String> textsOf(String name, int number) {
    return bundles(number).stream()
        .map(BundleSenderTest::text)
        .filter(t -> t.startsWith(name))
        .toList();
  }

  @Test
  void shouldGiveTheSlotBackWhenInterruptedAndKeepTheInterrupt() throws Exception {
    OutboundLink still = open(2);
    fill(links.share(), 2);
    outbox = outbox(600_000);
    int before = pool.free();
    Thread.currentThread().interrupt();
    assertThrows(InterruptedIOException.class, () -> outbox.send(still, bundle("to one")));
    assertTrue(Thread.interrupted());
    Thread.currentThread().interrupt();
    assertThrows(InterruptedIOException.class, () -> multicast(bundle("to all"), still));
    assertTrue(Thread.interrupted());
    assertEquals(before, pool.free());
  }
}
