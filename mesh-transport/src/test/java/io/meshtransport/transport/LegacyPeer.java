// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidType;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.InitAttributes;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.ReceiveChain;
import io.meshtransport.verbs.SendChain;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.WorkCompletions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * One connection of a peer that does what the C plugin nccl-mesh does, written from its description
 * alone: nothing of the product but the verbs is used, so that a mistake there is not made here as
 * well. Blocking, with a deadline on everything; confined to the test's thread.
 */
final class LegacyPeer implements AutoCloseable {
  static final int HANDLE_BYTES = 112;

  /** So much of a message is received at most. */
  static final int BUFFER_BYTES = 2 << 20;

  private static final int MESSAGE_BYTES = 32;
  private static final int PATIENCE_MS = 60_000;
  private static final int PORT = 1;
  private static final int WORK_REQUESTS = 64;

  /** The plugin's is 14, 67 ms; no peer sees it, and an emulated host may stand still longer. */
  private static final int ACK_TIMEOUT = 18;

  private final VerbsDevice device;
  private final InetAddress ip;
  private final GidEntry row;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private final ProtectionDomain domain;
  private final MemoryRegion region;
  private final CompletionQueue completionQueue;
  private final QueuePair queuePair;
  private final WorkCompletions completions;
  private final int mtuBytes;
  private ServerSocket server;

  /**
   * @param device the caller's, which outlives the peer
   * @param ip of the device
   */
  LegacyPeer(VerbsDevice device, InetAddress ip) throws VerbsException {
    this.device = device;
    this.ip = ip;
    row =
        device.gidTable(PORT).stream()
            .filter(each -> each.gid().equals(Gid.of(ip)) && each.type() != GidType.ROCE_V1)
            .findFirst()
            .orElseThrow();
    mtuBytes = device.queryPort(PORT).activeMtuBytes();
    domain = device.allocateProtectionDomain();
    region = domain.register(buffer, Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ);
    completionQueue = device.createCompletionQueue(2 * WORK_REQUESTS);
    completions = completionQueue.newCompletions(1);
    queuePair =
        domain.createQueuePair(
            new QueuePairCapabilities(WORK_REQUESTS, WORK_REQUESTS, 1, 1, 0),
            completionQueue,
            completionQueue);
    queuePair.toInit(
        new InitAttributes(PORT, 0, Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ));
  }

  /** Burns queue pair numbers until one does not fit 16 bits. Only worth it on a real device. */
  static void burnNumbers(VerbsDevice device) throws VerbsException {
    ProtectionDomain domain = device.allocateProtectionDomain();
    CompletionQueue queue = device.createCompletionQueue(1);
    int number = 0;
    while (number <= 0xFFFF) {
      QueuePair burnt =
          domain.createQueuePair(new QueuePairCapabilities(1, 1, 1, 1, 0), queue, queue);
      number = burnt.number();
      burnt.close();
    }
    queue.close();
    domain.close();
  }

  int number() {
    return queuePair.number();
  }

  /** Listens, and writes the handle into the first 112 of a framework's 128 bytes. */
  byte[] listen() throws IOException {
    server = new ServerSocket(0, 16);
    server.setSoTimeout(PATIENCE_MS);
    ByteBuffer handle = ByteBuffer.allocate(128).order(ByteOrder.LITTLE_ENDIAN);
    Arrays.fill(handle.array(), HANDLE_BYTES, 128, (byte) 0xEE);
    handle.putInt(0, 0x4D455348);
    handle.put(4, (byte) 1);
    handle.putShort(10, (short) server.getLocalPort());
    handle.put(12, (byte) PORT);
    handle.put(13, (byte) (Integer.numberOfTrailingZeros(mtuBytes) - 7));
    handle.put(20, ip.getAddress());
    handle.put(24, row.gid().toBytes());
    handle.put(40, ip.getAddress());
    handle.put(44, new byte[] {(byte) 255, (byte) 255, (byte) 255, 0});
    // The plugin cuts its number to 16 bits here; nobody is to read it.
    handle.putShort(48, (short) 0xDEAD);
    handle.put(50, (byte) 0);
    handle.put(51, (byte) row.index());
    return handle.array();
  }

  /** The listener's side of the handshake. */
  void accept() throws IOException, VerbsException {
    try (Socket peer = server.accept()) {
      peer.setSoTimeout(PATIENCE_MS);
      ByteBuffer theirs = read(peer);
      connectQueuePair(theirs.getInt(0), addressAt(theirs, 24), mtuBytes);
      peer.getOutputStream().write(message(new byte[16], 0, theirs.get(29)).array());
    }
  }

  /** The connector's side, against the first address of a handle. */
  void connect(byte[] handle) throws IOException, VerbsException {
    ByteBuffer bytes = ByteBuffer.wrap(handle).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.getInt(0) != 0x4D455348) {
      throw new IOException("bad magic");
    }
    InetAddress theirs = addressAt(bytes, 40);
    int mtu = Math.min(mtuBytes, 128 << bytes.get(13));
    try (Socket peer = new Socket()) {
      peer.setSoTimeout(PATIENCE_MS);
      peer.connect(
          new InetSocketAddress(theirs, Short.toUnsignedInt(bytes.getShort(10))), PATIENCE_MS);
      peer.getOutputStream()
          .write(message(row.gid().toBytes(), row.index(), bytes.get(50)).array());
      ByteBuffer answer = read(peer);
      InetAddress answered = addressAt(answer, 24);
      connectQueuePair(answer.getInt(0), answered.isAnyLocalAddress() ? theirs : answered, mtu);
    }
  }

  private ByteBuffer message(byte[] gid, int gidIndex, byte nicIndex) {
    return ByteBuffer.allocate(MESSAGE_BYTES)
        .putInt(0, queuePair.number())
        .putInt(4, 0)
        .put(8, gid)
        .put(24, ip.getAddress())
        .put(28, (byte) gidIndex)
        .put(29, nicIndex);
  }

  private static ByteBuffer read(Socket peer) throws IOException {
    byte[] message = peer.getInputStream().readNBytes(MESSAGE_BYTES);
    if (message.length != MESSAGE_BYTES) {
      throw new IOException("got " + message.length + " bytes");
    }
    return ByteBuffer.wrap(message);
  }

  private static InetAddress addressAt(ByteBuffer bytes, int offset) throws IOException {
    return InetAddress.getByAddress(Arrays.copyOfRange(bytes.array(), offset, offset + 4));
  }

  private void connectQueuePair(int number, InetAddress address, int mtu) throws VerbsException {
    queuePair.toReadyToReceive(
        new ReadyToReceiveAttributes(
            new PeerAddress(Gid.of(address), 0, row.index(), 64, 0, 0), number, 0, mtu, 1, 12));
    queuePair.toReadyToSend(new ReadyToSendAttributes(0, ACK_TIMEOUT, 7, 7, 1));
  }

  /** Posts one receive. */
  void postReceive(int lengthBytes) throws VerbsException {
    ReceiveChain chain = queuePair.newReceiveChain(1);
    chain.clear();
    chain.begin(1);
    chain.sge(region.address(), lengthBytes, region.localKey());
    requirePosted(queuePair.postReceive(chain));
  }

  /** Waits for the message that a receive was posted for. */
  byte[] awaitMessage() throws VerbsException {
    require(awaitCompletion());
    byte[] message = new byte[completions.lengthBytes(0)];
    buffer.get(0, message);
    return message;
  }

  byte[] receive(int lengthBytes) throws VerbsException {
    postReceive(lengthBytes);
    return awaitMessage();
  }

  /** Sends a message and waits until the peer has it. */
  void send(byte[] message) throws VerbsException {
    postSend(message);
    require(awaitCompletion());
  }

  void postSend(byte[] message) throws VerbsException {
    buffer.put(0, message);
    SendChain chain = queuePair.newSendChain(1);
    chain.clear();
    chain.begin(2, SendOpcode.SEND, SendFlags.SIGNALED);
    chain.sge(region.address(), message.length, region.localKey());
    requirePosted(queuePair.postSend(chain));
  }

  private static void requirePosted(int errno) throws VerbsException {
    if (errno != 0) {
      throw new VerbsException(errno, "the device refused a post");
    }
  }

  private static void require(CompletionStatus status) {
    if (status != CompletionStatus.SUCCESS) {
      throw new IllegalStateException(status + ": " + status.meaning());
    }
  }

  /** How the next work request ended. */
  CompletionStatus awaitCompletion() {
    long startNs = System.nanoTime();
    while (completionQueue.poll(completions) == 0) {
      if (System.nanoTime() - startNs > PATIENCE_MS * 1_000_000L) {
        throw new IllegalStateException("nothing completes");
      }
      Thread.onSpinWait();
    }
    return completions.status(0);
  }

  @Override
  public void close() throws VerbsException, IOException {
    if (server != null) {
      server.close();
    }
    queuePair.close();
    completionQueue.close();
    region.close();
    domain.close();
  }

  @Override
  public String toString() {
    return "peer " + ip.getHostAddress() + " on " + device.name();
  }
}
