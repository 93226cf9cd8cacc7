// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.nic.Gid;
import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.CompletionOpcode;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.InitAttributes;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.ReceiveChain;
import io.meshtransport.verbs.SendChain;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.WireKey;
import io.meshtransport.verbs.WorkCompletions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A queue pair of a device on a {@link ScriptedNetwork}: the test posts on one side and plays the
 * peer, frame by frame, on the other.
 */
final class ScriptedQueuePair {
  /** The sequence number of the first request sent. */
  static final int SEND_PSN = 100;

  /** The sequence number of the first request that the peer sends. */
  static final int RECEIVE_PSN = 200;

  static final int PEER_NUMBER = 77;
  static final int DEPTH = 64;
  static final int INLINE_BYTES = 64;
  static final int RNR_TIMER = 12;
  static final Gid PEER = new Gid(0, 0xFFFF_C612_0002L);
  static final int ALL =
      Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;

  /** A completion, copied. */
  record Done(
      long id,
      CompletionStatus status,
      CompletionOpcode opcode,
      int lengthBytes,
      int vendorError) {}

  final ScriptedNetwork network = new ScriptedNetwork();
  final SoftDevice device = new SoftDevice("scripted", network);
  final SoftProtectionDomain domain;
  final SoftCompletionQueue sends;
  final SoftCompletionQueue receives;
  final SoftQueuePair queuePair;
  final ByteBuffer memory = ByteBuffer.allocateDirect(4096);
  final MemoryRegion region;

  /** The latest. */
  ScriptedStream stream;

  ScriptedQueuePair() throws VerbsException {
    domain = (SoftProtectionDomain) device.allocateProtectionDomain();
    sends = (SoftCompletionQueue) device.createCompletionQueue(4 * DEPTH);
    receives = (SoftCompletionQueue) device.createCompletionQueue(4 * DEPTH);
    queuePair =
        (SoftQueuePair)
            domain.createQueuePair(
                new QueuePairCapabilities(DEPTH, DEPTH, 2, 2, INLINE_BYTES), sends, receives);
    region = domain.register(memory, ALL);
  }

  /** A queue pair in RTS that may have so many reads and atomics under way, each way. */
  static ScriptedQueuePair connected(int maxReadAtomic) throws VerbsException {
    ScriptedQueuePair made = new ScriptedQueuePair();
    made.connect(maxReadAtomic);
    return made;
  }

  void connect(int maxReadAtomic) throws VerbsException {
    toReadyToReceive(maxReadAtomic);
    toReadyToSend(maxReadAtomic, 7);
  }

  /** To RTS, with these rights for the peer. */
  void connect(int maxReadAtomic, int access) throws VerbsException {
    toReadyToReceive(maxReadAtomic, access);
    toReadyToSend(maxReadAtomic, 7);
  }

  void toReadyToReceive(int maxReadAtomic) throws VerbsException {
    toReadyToReceive(maxReadAtomic, ALL);
  }

  private void toReadyToReceive(int maxReadAtomic, int access) throws VerbsException {
    queuePair.toInit(new InitAttributes(1, 0, access));
    queuePair.toReadyToReceive(
        new ReadyToReceiveAttributes(
            new PeerAddress(PEER, 50_000, 3, 1, 0, 0, WireKey.NONE),
            PEER_NUMBER,
            RECEIVE_PSN,
            1024,
            maxReadAtomic,
            RNR_TIMER));
    stream = network.streams.get(network.streams.size() - 1);
  }

  void toReadyToSend(int maxReadAtomic, int rnrRetry) throws VerbsException {
    queuePair.toReadyToSend(new ReadyToSendAttributes(SEND_PSN, 14, 7, rnrRetry, maxReadAtomic));
  }

  RcEngine engine() {
    return queuePair.engine();
  }

  /** Posts a signaled request over the first bytes of the memory. */
  void post(long id, SendOpcode opcode, int lengthBytes) {
    post(id, opcode, SendFlags.SIGNALED, lengthBytes);
  }

  void post(long id, SendOpcode opcode, int flags, int lengthBytes) {
    assertEquals(0, post(id, opcode, flags, region.address(), lengthBytes, region.localKey()));
  }

  /** Posts a request with one entry; returns the errno. */
  int post(long id, SendOpcode opcode, int flags, long address, int lengthBytes, int localKey) {
    SendChain chain = queuePair.newSendChain(1);
    chain.begin(id, opcode, flags);
    chain.sge(address, lengthBytes, localKey);
    chain.remote(5000, 99);
    return queuePair.postSend(chain);
  }

  /** Posts a receive at an offset of the memory. */
  void receive(long id, int at, int lengthBytes) {
    ReceiveChain chain = queuePair.newReceiveChain(1);
    chain.begin(id);
    chain.sge(region.address() + at, lengthBytes, region.localKey());
    assertEquals(0, queuePair.postReceive(chain));
  }

  /** Posts a receive of two entries. */
  void receive(long id, MemoryRegion first, MemoryRegion second) {
    ReceiveChain chain = queuePair.newReceiveChain(1);
    chain.begin(id);
    chain.sge(first.address(), (int) first.lengthBytes(), first.localKey());
    chain.sge(second.address(), (int) second.lengthBytes(), second.localKey());
    assertEquals(0, queuePair.postReceive(chain));
  }

  MemoryRegion register(int bytes) throws VerbsException {
    return domain.register(ByteBuffer.allocateDirect(bytes), ALL);
  }

  /** The header of a frame of the peer. */
  static FrameHeader frame(FrameType type, int sequence) {
    return new FrameHeader().set(type, sequence);
  }

  /** The header of a request, or of a piece of one, to memory of this side. */
  FrameHeader request(
      FrameType type, int sequence, int offset, int payloadBytes, int messageBytes) {
    FrameHeader header = frame(type, sequence);
    header.remoteAddress = region.address();
    header.remoteKey = region.remoteKey();
    header.offset = offset;
    header.payloadBytes = payloadBytes;
    header.messageBytes = messageBytes;
    return header;
  }

  static FrameHeader readResponse(int sequence, int offset, int payloadBytes, int messageBytes) {
    FrameHeader header = frame(FrameType.READ_RESPONSE, sequence);
    header.offset = offset;
    header.payloadBytes = payloadBytes;
    header.messageBytes = messageBytes;
    return header;
  }

  /** Fetches every frame that the queue pair sends now; their types. */
  List<FrameType> fetchTypes() {
    List<FrameType> types = new ArrayList<>();
    for (ScriptedStream.Sent sent = stream.fetch(); sent != null; sent = stream.fetch()) {
      types.add(sent.header().type);
    }
    return types;
  }

  /** Everything that has completed. */
  List<Done> poll(SoftCompletionQueue queue) {
    WorkCompletions batch = queue.newCompletions(DEPTH);
    List<Done> done = new ArrayList<>();
    for (int i = 0, polled = queue.poll(batch); i < polled; i++) {
      done.add(
          new Done(
              batch.id(i),
              batch.status(i),
              batch.opcode(i),
              batch.lengthBytes(i),
              batch.vendorError(i)));
    }
    return done;
  }

  /** As {@link #poll}: {@code id STATUS} of each. */
  List<String> outcomes(SoftCompletionQueue queue) {
    return poll(queue).stream().map(done -> done.id() + " " + done.status()).toList();
  }

  /** The types of all asynchronous events that were not polled yet. */
  List<AsyncEvent.Type> events() throws VerbsException {
    List<AsyncEvent.Type> types = new ArrayList<>();
    for (var event = device.pollAsyncEvent(); event.isPresent(); event = device.pollAsyncEvent()) {
      types.add(event.get().type());
    }
    return types;
  }

  byte[] bytes(int at, int lengthBytes) {
    byte[] bytes = new byte[lengthBytes];
    memory.get(at, bytes);
    return bytes;
  }
}
