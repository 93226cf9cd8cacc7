// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.overlay;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.softverbs.rc.WireProof;
import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.OverlayFlow;
import io.meshtransport.transport.device.LocalNics;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * One {@link OverlayBridge} and its {@link FlowSplice}s, over an overlay that the test plays. Whole
 * transports over relays are in RelayMeshTest, which also tests {@link OverlayLink} and {@link
 * io.meshtransport.transport.connect.OverlayRoutes}.
 */
class OverlayBridgeTest {
  private static final int PORT = 21_791;
  private static final int LIMIT_MS = 60_000;

  private final NodeId self = NodeId.random(new SecureRandom());
  private final NodeId far = NodeId.random(new SecureRandom());
  private final PlayedOverlay overlay = new PlayedOverlay();
  private FlowNetwork network;
  private VerbsDevice device;
  private OverlayBridge bridge;

  /** Keeps what was opened, and reaches one node. */
  private final class PlayedOverlay implements Overlay {
    final LinkedBlockingQueue<PlayedFlow> opened = new LinkedBlockingQueue<>();
    volatile Acceptor acceptor;
    volatile boolean isReaching = true;

    @Override
    public void listen(Acceptor newAcceptor) {
      acceptor = newAcceptor;
    }

    @Override
    public OverlayFlow open(String nodeId, int port, OverlayFlow.Listener listener) {
      PlayedFlow flow = new PlayedFlow(nodeId, port, Integer.MAX_VALUE);
      flow.listener = listener;
      opened.add(flow);
      return flow;
    }

    @Override
    public boolean reaches(String nodeId) {
      return isReaching && nodeId.equals(far.toString());
    }

    @Override
    public String path(String nodeId) {
      return "over b";
    }
  }

  /** Keeps what was written. */
  private static final class PlayedFlow implements OverlayFlow {
    final String nodeId;
    final int port;
    final ByteBuffer written = ByteBuffer.allocate(1 << 20);
    volatile int space;
    volatile Listener listener;
    volatile boolean isClosed;
    volatile boolean isAborted;
    volatile int resumes;

    PlayedFlow(String nodeId, int port, int space) {
      this.nodeId = nodeId;
      this.port = port;
      this.space = space;
    }

    @Override
    public synchronized int write(ByteBuffer source) {
      int count = Math.min(source.remaining(), space);
      written.put(source.slice().limit(count));
      source.position(source.position() + count);
      space -= count;
      return count;
    }

    synchronized String text() {
      return new String(written.array(), 0, written.position(), US_ASCII);
    }

    @Override
    public synchronized int writableBytes(int wantedBytes) {
      return space;
    }

    @Override
    public void flush() {}

    @Override
    public synchronized void resume() {
      resumes++;
    }

    @Override
    public long probe() {
      return 0;
    }

    @Override
    public void close() {
      isClosed = true;
    }

    @Override
    public void abort() {
      isAborted = true;
    }
  }

  @BeforeEach
  void open() throws IOException {
    network =
        new FlowNetwork(
            overlay,
            Overlay.NIC,
            OverlayAddress.nic(self).addresses().get(0).gid(),
            OverlayAddress.MTU_BYTES,
            false);
    device = new SoftDevice(Overlay.NIC, network);
    bridge = OverlayBridge.open(overlay, network, self, () -> PORT);
  }

  @AfterEach
  void close() throws VerbsException {
    bridge.close();
    device.close();
  }

  private Socket connected() throws IOException {
    assertTrue(bridge.prepare(far));
    Socket socket = new Socket();
    socket.connect(bridge.door(far).orElseThrow(), LIMIT_MS);
    socket.setSoTimeout(LIMIT_MS);
    return socket;
  }

  private PlayedFlow flow() throws InterruptedException {
    return overlay.opened.poll(LIMIT_MS, TimeUnit.MILLISECONDS);
  }

  @Test
  void shouldCarryAConnectionOverAFlow() throws Exception {
    try (Socket socket = connected()) {
      PlayedFlow flow = flow();
      assertEquals(far.toString(), flow.nodeId);
      assertEquals(OverlayBridge.HANDSHAKE, flow.port);
      socket.getOutputStream().write("to the far node".getBytes(US_ASCII));
      Awaitility.await()
          .atMost(60, TimeUnit.SECONDS)
          .until(() -> flow.text().equals("to the far node"));
      ByteBuffer answer = US_ASCII.encode("from it");
      flow.listener.onBytes(answer);
      assertFalse(answer.hasRemaining());
      assertArrayEquals("from it".getBytes(US_ASCII), socket.getInputStream().readNBytes(7));
    }
    Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> overlay.opened.isEmpty());
  }

  @Test
  void shouldReadNoMoreThanTheFlowTakes() throws Exception {
    try (Socket socket = connected()) {
      PlayedFlow flow = flow();
      flow.space = 3;
      socket.getOutputStream().write("abcdef".getBytes(US_ASCII));
      Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> flow.text().equals("abc"));
      flow.space = 100;
      flow.listener.onWritable();
      Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> flow.text().equals("abcdef"));
      socket.getOutputStream().write("ghi".getBytes(US_ASCII));
      Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> flow.text().equals("abcdefghi"));
    }
  }

  @Test
  void shouldTakeNoMoreThanTheSocketTakes() throws Exception {
    try (Socket socket = connected()) {
      PlayedFlow flow = flow();
      Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> flow.resumes > 0);
      ByteBuffer much = ByteBuffer.allocateDirect(64 << 20);
      flow.listener.onBytes(much);
      assertTrue(much.hasRemaining(), "a socket took 64 MiB");
      int before = flow.resumes;
      int left = much.position();
      assertEquals(left, socket.getInputStream().readNBytes(left).length);
      Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> flow.resumes > before);
    }
  }

  @Test
  void shouldEndTheFlowWithTheConnectionAndTheOtherWayRound() throws Exception {
    Socket closing = connected();
    PlayedFlow closed = flow();
    closing.close();
    Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> closed.isClosed);
    try (Socket socket = connected()) {
      PlayedFlow flow = flow();
      flow.listener.onClosed(OverlayFlow.End.CLOSED, "");
      assertEquals(-1, socket.getInputStream().read());
    }
    try (Socket socket = connected()) {
      PlayedFlow flow = flow();
      flow.listener.onClosed(OverlayFlow.End.UNREACHABLE, "");
      assertThrows(SocketException.class, () -> socket.getInputStream().read());
    }
  }

  @Test
  void shouldConnectFlowsOfOthersToThisNode() throws Exception {
    try (ServerSocket node = new ServerSocket()) {
      node.bind(new InetSocketAddress(OverlayAddress.of(self), PORT));
      node.setSoTimeout(LIMIT_MS);
      PlayedFlow flow = new PlayedFlow(far.toString(), OverlayBridge.HANDSHAKE, 100);
      flow.listener = overlay.acceptor.accept(flow, flow.nodeId, flow.port);
      try (Socket socket = node.accept()) {
        socket.setSoTimeout(LIMIT_MS);
        assertEquals(OverlayAddress.of(far), socket.getInetAddress());
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> flow.resumes > 0);
        flow.listener.onBytes(US_ASCII.encode("hello"));
        assertArrayEquals("hello".getBytes(US_ASCII), socket.getInputStream().readNBytes(5));
        socket.getOutputStream().write("welcome".getBytes(US_ASCII));
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> flow.text().equals("welcome"));
      }
    }
  }

  @Test
  void shouldAbortAFlowThatNothingListensFor() {
    PlayedFlow flow = new PlayedFlow(far.toString(), OverlayBridge.HANDSHAKE, 100);
    overlay.acceptor.accept(flow, flow.nodeId, flow.port);
    Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> flow.isAborted);
    assertNull(overlay.acceptor.accept(flow, flow.nodeId, 9));
  }

  /** Proofs and frames come after the answer, so what comes before it is no dialler's. */
  @Test
  void shouldRefuseAFlowThatGoesOnBeforeItIsAnswered() {
    PlayedFlow flow = new PlayedFlow(far.toString(), FlowNetwork.FLOW_PORT, 100);
    flow.listener = overlay.acceptor.accept(flow, flow.nodeId, flow.port);
    WireProof.Id stream = new WireProof.Id(ByteBuffer.allocate(WireProof.LENGTH_BYTES));
    flow.listener.onBytes(FlowHello.hello(stream, new byte[WireProof.NONCE_BYTES]));
    assertFalse(flow.isAborted);
    flow.listener.onBytes(ByteBuffer.allocate(1));
    assertTrue(flow.isAborted);
  }

  @Test
  void shouldStandInForNobodyWhomNoPathLeadsTo() {
    assertFalse(bridge.prepare(NodeId.random(new SecureRandom())));
    assertEquals("over b", bridge.path(far));
  }

  /** A node that restarts has another id, and nothing of its former one stays. */
  @Test
  void shouldNoLongerStandInForANodeThatIsGone() throws IOException {
    assertTrue(bridge.prepare(far));
    InetSocketAddress door = bridge.door(far).orElseThrow();
    overlay.isReaching = false;
    Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> bridge.door(far).isEmpty());
    try (Socket socket = new Socket()) {
      assertThrows(IOException.class, () -> socket.connect(door, LIMIT_MS));
    }
  }

  /** The transport has dropped the link by then, so it is not closed a second time. */
  @Test
  void shouldTakeTheNicAwayThoughWhatIsOpenCannotBeEnded() throws Exception {
    LocalNics nics = LocalNics.fixed(List.of());
    PlayedOverlay other = new PlayedOverlay();
    OverlayLink link =
        OverlayLink.open(
            other,
            NodeId.random(new SecureRandom()),
            () -> PORT,
            nics,
            new OverlayLink.DetachListener() {
              @Override
              public void leaving(LocalNics.Gone nic) {
                throw new IllegalStateException("busy");
              }

              @Override
              public void gone(LocalNics.Gone nic) {}
            },
            false);
    assertEquals(1, nics.now().size());
    assertThrows(IllegalStateException.class, link::close);
    assertEquals(List.of(), nics.now());
    assertNull(other.acceptor);
    nics.close(new IllegalStateException());
  }

  @Test
  void shouldEndEverythingWhenItCloses() throws Exception {
    try (Socket socket = connected()) {
      PlayedFlow flow = flow();
      Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> flow.resumes > 0);
      bridge.close();
      assertTrue(flow.isAborted);
      assertThrows(SocketException.class, () -> socket.getInputStream().read());
    }
    assertNull(overlay.acceptor);
    assertFalse(bridge.prepare(far));
  }
}
