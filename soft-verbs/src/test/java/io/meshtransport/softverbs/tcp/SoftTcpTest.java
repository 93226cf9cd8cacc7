// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.softverbs.host.NetdevPort;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.softverbs.rc.StreamAddress;
import io.meshtransport.softverbs.rc.WireProof;
import io.meshtransport.testing.AllocationCounter;
import io.meshtransport.verbs.ContractPair;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.Traits;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.WireKey;
import io.meshtransport.verbs.WorkCompletions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What is special about soft devices over real TCP: unknown peers, garbage, descriptors, threads.
 *
 * <p>Also tests {@link DriverQueue}, {@link FrameDispatcher}, {@link FrameReader}, {@link
 * FrameStream}, {@link MuxSocket} and {@link TcpConnector}.
 */
class SoftTcpTest {
  private final SoftProvider provider = new SoftProvider();
  private ContractPair pair;

  @BeforeEach
  void openDevices() throws Exception {
    pair =
        new ContractPair(
            provider.open("lo-127.77.3.1"), provider.open("lo-127.77.3.2"), Traits.ofSoft());
  }

  @AfterEach
  void closeDevices() throws Exception {
    pair.close();
  }

  private static long refusedBy(VerbsDevice device) {
    SoftDevice soft = (SoftDevice) device;
    return ((TcpNetwork) soft.network()).acceptor().refusedConnections();
  }

  private static SocketChannel outsider(VerbsDevice device, byte[] says) throws IOException {
    SocketChannel channel =
        SocketChannel.open(new InetSocketAddress("127.77.3.2", device.wirePort()));
    channel.write(ByteBuffer.wrap(says));
    return channel;
  }

  private static byte[] preamble(StreamAddress ends) {
    WireProof.Id id = new WireProof(WireKey.NONE, ends, ends.isDialler()).id();
    return Preamble.encode(DevicePair.of(ends), id, new byte[WireProof.NONCE_BYTES]).array();
  }

  @Test
  void shouldRefuseUnknownPeersWithoutHarmToOthers() throws Exception {
    pair.connect();
    StreamAddress foreign =
        new StreamAddress(pair.b.gid().gid(), pair.right.wirePort(), 5, pair.a.gid().gid(), 1, 6);
    StreamAddress stolen =
        new StreamAddress(
            pair.a.gid().gid(),
            pair.left.wirePort(),
            pair.a.queuePair.number(),
            pair.b.gid().gid(),
            pair.right.wirePort(),
            pair.b.queuePair.number());
    List<SocketChannel> outsiders = new ArrayList<>();
    outsiders.add(outsider(pair.right, new byte[Preamble.LENGTH_BYTES]));
    outsiders.add(outsider(pair.right, preamble(foreign)));
    outsiders.add(outsider(pair.right, preamble(stolen)));
    Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> refusedBy(pair.right) == 3);
    outsiders.add(outsider(pair.right, new byte[3]));
    pair.a.postWrite(1, 0, 100, pair.b, 0);
    pair.expectSent(pair.a, 1, SUCCESS);
    for (SocketChannel outsider : outsiders) {
      outsider.close();
    }
  }

  @Test
  void shouldKeepServingWhileManyUnknownPeersSendNothing() throws Exception {
    List<SocketChannel> outsiders = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      outsiders.add(outsider(pair.right, new byte[0]));
    }
    pair.connect();
    pair.a.postWrite(1, 0, 100, pair.b, 0);
    pair.expectSent(pair.a, 1, SUCCESS);
    Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> refusedBy(pair.right) >= 400 - 32);
    for (SocketChannel outsider : outsiders) {
      outsider.close();
    }
  }

  private static long openFiles() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    }
  }

  private static long softThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("mesh-soft"))
        .count();
  }

  @Test
  @Tag("slow")
  void shouldLeaveNoThreadAndNoDescriptorBehind() throws Exception {
    cycle();
    long before = openFiles();
    long threads = softThreads();
    for (int i = 0; i < 100; i++) {
      cycle();
    }
    assertEquals(threads, softThreads());
    Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> openFiles() <= before);
  }

  private void cycle() throws Exception {
    SoftProvider provider = new SoftProvider();
    try (ContractPair short1 =
        new ContractPair(
            provider.open("lo-127.77.4.1"), provider.open("lo-127.77.4.2"), pair.traits)) {
      short1.connect();
      short1.b.postReceive(1, 0, 100_000);
      short1.a.postSend(2, 0, 100_000);
      short1.expectReceived(short1.b, 1, SUCCESS);
      short1.expectSent(short1.a, 2, SUCCESS);
    }
  }

  @Test
  @Tag("slow")
  void shouldAllocateNothingOnceWarm() throws Exception {
    pair.connect();
    WorkCompletions batch = pair.a.sends.newCompletions(16);
    sendAndReceive(20_000, batch);
    long allocatedBytes =
        AllocationCounter.ofThisThread().bytes(() -> sendAndReceive(100_000, batch));
    // Slack for what the JVM does now and then, but not for the smallest object, which has 16
    // bytes, for every tenth message.
    assertTrue(
        allocatedBytes < 100_000, "allocated " + allocatedBytes + " bytes for 100000 messages");
  }

  private void sendAndReceive(int messages, WorkCompletions batch) {
    for (int i = 0; i < messages; i++) {
      pair.b.receiveChain.clear();
      pair.b.receiveChain.begin(i);
      pair.b.receiveChain.sge(pair.b.region.address(), 64, pair.b.region.localKey());
      pair.b.queuePair.postReceive(pair.b.receiveChain);
      pair.a.chain.clear();
      pair.a.chain.begin(i, SendOpcode.SEND, SendFlags.SIGNALED);
      pair.a.chain.sge(pair.a.region.address(), 64, pair.a.region.localKey());
      pair.a.queuePair.postSend(pair.a.chain);
      int received = 0;
      int sent = 0;
      // Both in turn, for the receiver's answer leaves with its next poll.
      while (received == 0 || sent == 0) {
        received += pair.b.receives.poll(batch);
        sent += pair.a.sends.poll(batch);
      }
    }
  }

  @Test
  void shouldNameEveryNetdevThatIsUpButNotLoopback() throws Exception {
    assertTrue(provider.availability().available());
    assertTrue(provider.deviceNames().stream().noneMatch("lo"::equals));
    for (String name : provider.deviceNames()) {
      assertTrue(
          !new NetdevPort(name, NetworkInterface.getByName(name).getIndex()).gidTable().isEmpty(),
          name);
    }
  }

  @Test
  void shouldSkipLinkLocalAddressesAndOpenLoopbackByName() throws Exception {
    try (VerbsDevice device = provider.open("lo")) {
      assertEquals("lo", device.gidTable(1).get(0).netdev());
      assertTrue(device.gidTable(1).stream().noneMatch(entry -> entry.gid().isLinkLocal()));
    }
  }

  @Test
  void shouldRefuseANetdevThatIsNotThere() {
    for (String name : List.of("nothing0", "lo-127.0.0.999")) {
      assertTrue(
          assertThrows(VerbsException.class, () -> provider.open(name))
              .getMessage()
              .contains(name));
    }
  }
}
