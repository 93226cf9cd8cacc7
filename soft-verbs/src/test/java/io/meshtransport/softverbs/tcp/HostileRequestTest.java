// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static io.meshtransport.verbs.CompletionStatus.BAD_RESP_ERR;
import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.softverbs.rc.NakCode;
import io.meshtransport.softverbs.rc.StreamAddress;
import io.meshtransport.verbs.ContractPair;
import io.meshtransport.verbs.Endpoint;
import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.Traits;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A peer with all rights, played by the test, sends what no requester sends: its own queue pair
 * fails, the device's thread and every other queue pair go on.
 */
class HostileRequestTest {
  private static final String DEVICE = "127.77.61.12";
  private static final InetSocketAddress PEER = new InetSocketAddress("127.77.61.11", 9);
  private static final InetSocketAddress HONEST = new InetSocketAddress("127.77.61.10", 9);
  private static final Setup SETUP = Setup.usual();
  private static final int PIECE = FrameHeader.MAX_PAYLOAD_BYTES;
  private static final int OWN_PSN = 70;

  /** Random frames in all; each test prints its seed. */
  private static final int RANDOM_FRAMES = 3000;

  private ContractPair pair;
  private Endpoint honest;
  private RawPeer honestPeer;
  private long honestName;
  private int exchanges;

  private Endpoint victim;
  private RawPeer peer;
  private StreamAddress ends;
  private long name;
  private int queuePairs = 100;

  @BeforeEach
  void openDevice() throws Exception {
    SoftProvider provider = new SoftProvider();
    pair =
        new ContractPair(
            provider.open("lo-127.77.61.14"), provider.open("lo-" + DEVICE), Traits.ofSoft());
    honest = new Endpoint(pair.right, SETUP.withMemory(4096, Setup.ALL_ACCESS), OWN_PSN);
    RawPeer.connect(honest, HONEST, 7);
    StreamAddress honestEnds = RawPeer.ends(honest, HONEST, 7);
    honestPeer = RawPeer.dial(honestEnds);
    honestName = honestPeer.exchangeOpens(honestEnds, 7);
    exchange();
  }

  @AfterEach
  void closeAll() throws Exception {
    close();
    honestPeer.close();
    honest.close();
    pair.close();
  }

  /** The device's own thread answers the other peer, and no caller polls meanwhile. */
  private void exchange() throws Exception {
    honest.postReceive(exchanges, 0, 10);
    honestPeer.sendMessage(honestName, RawPeer.FIRST_PSN + exchanges, 10);
    FrameHeader ack = honestPeer.receive();
    while (ack.type != FrameType.ACK) {
      ack = honestPeer.receive();
    }
    assertEquals(RawPeer.FIRST_PSN + exchanges, ack.sequence);
    pair.expectReceived(honest, exchanges, SUCCESS);
    exchanges++;
  }

  private void open() throws Exception {
    close();
    victim = new Endpoint(pair.right, SETUP, OWN_PSN);
    int number = queuePairs++;
    RawPeer.connect(victim, PEER, number);
    ends = RawPeer.ends(victim, PEER, number);
    peer = RawPeer.dial(ends);
    name = peer.exchangeOpens(ends, number);
  }

  private void close() throws Exception {
    if (victim != null) {
      peer.close();
      victim.close();
      victim = null;
    }
  }

  private FrameHeader frame(FrameType type) {
    FrameHeader header = new FrameHeader().set(type, RawPeer.FIRST_PSN);
    header.destination = name;
    header.remoteKey = victim.region.remoteKey();
    header.remoteAddress = victim.region.address();
    header.messageBytes = 2 * PIECE + 1;
    header.payloadBytes = PIECE;
    return header;
  }

  private FrameHeader first(FrameType type, int flags) {
    FrameHeader header = frame(type);
    header.flags = flags;
    return header;
  }

  private void expectRefused(FrameHeader first, Consumer<FrameHeader> change, boolean isReceiving)
      throws Exception {
    open();
    if (isReceiving) {
      victim.postReceive(0, 0, SETUP.memoryBytes());
    }
    peer.send(first.type == FrameType.SEND ? first(FrameType.SEND, first.flags) : renamed(first));
    FrameHeader next = renamed(first);
    next.offset = PIECE;
    change.accept(next);
    peer.send(next);
    FrameHeader answer = peer.receive(FrameType.NAK, ends, StreamTable.NO_NAME);
    assertEquals(NakCode.INVALID_REQUEST.code(), answer.code);
    assertEquals(QueuePairState.ERR, victim.queuePair.state());
    exchange();
  }

  private FrameHeader renamed(FrameHeader first) {
    return first(first.type, first.flags);
  }

  private static Stream<Consumer<FrameHeader>> changes() {
    return Stream.of(
        header -> header.flags ^= FrameHeader.FLAG_IMMEDIATE,
        header -> header.flags ^= FrameHeader.FLAG_SOLICITED,
        header -> header.flags ^= FrameHeader.FLAG_ACK_REQUEST,
        header -> header.type = header.type == FrameType.SEND ? FrameType.WRITE : FrameType.SEND,
        header -> {
          header.type = FrameType.READ_REQUEST;
          header.payloadBytes = 0;
        },
        header -> header.remoteKey++,
        header -> header.remoteAddress--,
        header -> header.immediate++,
        header -> header.messageBytes += 5,
        header -> {
          header.messageBytes = PIECE + 1;
          header.payloadBytes = 1;
        });
  }

  @Test
  void shouldRefuseAPieceThatDiffersFromTheFirst() throws Exception {
    for (FrameType type : List.of(FrameType.WRITE, FrameType.SEND)) {
      for (int flags : new int[] {0, FrameHeader.FLAG_IMMEDIATE}) {
        open();
        boolean needsReceive = type == FrameType.SEND || flags != 0;
        for (Consumer<FrameHeader> change : changes().collect(Collectors.toList())) {
          expectRefused(first(type, flags), change, needsReceive);
        }
      }
    }
  }

  @Test
  void shouldFailAReadThatIsAnsweredWithAnotherLength() throws Exception {
    for (int messageBytes : new int[] {0, 1, 99, 101}) {
      open();
      victim.begin(1, io.meshtransport.verbs.SendOpcode.RDMA_READ);
      victim.sge(0, 100);
      victim.chain.remote(1, 1);
      victim.post();
      FrameHeader request = peer.receive(FrameType.READ_REQUEST, ends, StreamTable.NO_NAME);
      FrameHeader response = new FrameHeader().set(FrameType.READ_RESPONSE, request.sequence);
      response.destination = name;
      response.messageBytes = messageBytes;
      response.payloadBytes = messageBytes;
      peer.send(response);
      pair.expectSent(victim, 1, BAD_RESP_ERR);
      exchange();
    }
  }

  /** A peer may stop in the middle of a frame for as long as it likes. */
  @Test
  void shouldWriteNothingIntoMemoryThatWasClosedInTheMiddleOfAFrame() throws Exception {
    for (FrameType type : List.of(FrameType.WRITE, FrameType.SEND)) {
      open();
      victim.postReceive(0, 0, SETUP.memoryBytes());
      FrameHeader header = frame(type);
      byte[] bytes = new byte[FrameHeader.LENGTH_BYTES + PIECE];
      Arrays.fill(bytes, (byte) 7);
      header.encode(ByteBuffer.wrap(bytes), 0);
      int half = FrameHeader.LENGTH_BYTES + PIECE / 2;
      peer.sendRaw(Arrays.copyOf(bytes, half));
      Awaitility.await()
          .atMost(60, TimeUnit.SECONDS)
          .until(() -> victim.memory.get(PIECE / 2 - 1) == 7);

      victim.region.close();
      for (int i = 0; i < PIECE; i++) {
        victim.memory.put(i, (byte) 0);
      }
      peer.sendRaw(Arrays.copyOfRange(bytes, half, bytes.length));
      FrameHeader answer = peer.receive(FrameType.NAK, ends, StreamTable.NO_NAME);

      NakCode code = type == FrameType.WRITE ? NakCode.REMOTE_ACCESS : NakCode.REMOTE_OPERATION;
      assertEquals(code.code(), answer.code);
      for (int i = 0; i < PIECE; i++) {
        assertEquals(0, victim.memory.get(i), "byte " + i + " after the region was closed");
      }
      exchange();
    }
  }

  @Test
  void shouldServeOthersWhileRandomHeadersCome() throws Exception {
    long seed = Long.getLong("mesh.test.seed", System.nanoTime());
    System.out.println("mesh.test.seed=" + seed);
    Random random = new Random(seed);
    int frames = 0;
    while (frames < RANDOM_FRAMES) {
      open();
      prepare(random);
      frames += sendUntilRefused(random);
      if (random.nextInt(4) == 0) {
        exchange();
      }
    }
    exchange();
    String thread = "mesh-soft";
    assertTrue(
        Thread.getAllStackTraces().keySet().stream().anyMatch(t -> t.getName().equals(thread)),
        thread + " has ended");
  }

  /** Requests of the victim that random answers may name, and receives for random messages. */
  private void prepare(Random random) {
    for (int i = random.nextInt(3); i > 0; i--) {
      victim.postReceive(i, 0, random.nextBoolean() ? SETUP.memoryBytes() : 8);
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      boolean isRead = random.nextBoolean();
      victim.begin(
          i,
          isRead
              ? io.meshtransport.verbs.SendOpcode.RDMA_READ
              : io.meshtransport.verbs.SendOpcode.SEND);
      victim.sge(0, random.nextBoolean() ? 8 : PIECE + 1);
      victim.chain.remote(1, 1);
      victim.post();
    }
  }

  private int sendUntilRefused(Random random) throws Exception {
    int expected = RawPeer.FIRST_PSN;
    int said = 0;
    FrameHeader former = frame(FrameType.WRITE);
    try {
      while (said < 30) {
        FrameHeader header = randomFrame(random, expected, former);
        peer.send(header);
        said++;
        if (header.isLast()) {
          expected++;
        }
        former = header;
      }
    } catch (IOException e) {
      // The device has closed the connection.
      assertTrue(said > 0, e.toString());
    }
    drain();
    return Math.max(1, said);
  }

  /** Has the device read what was sent: a probe is answered, refused, or the connection over. */
  private void drain() throws Exception {
    try {
      FrameHeader probe = new FrameHeader().set(FrameType.PROBE, 0);
      probe.destination = name;
      peer.send(probe);
      peer.sendOpen(ends, name + 1, 0);
      while (peer.hasMore()) {
        peer.receive();
      }
    } catch (EOFException e) {
      assertEquals(QueuePairState.ERR, victim.queuePair.state(), e.toString());
    } catch (IOException e) {
      assertTrue(e.getMessage() != null, e.toString());
    }
  }

  private FrameHeader randomFrame(Random random, int expected, FrameHeader former) {
    FrameType[] types = FrameType.values();
    FrameHeader header = frame(types[random.nextInt(types.length)]);
    header.sequence = random.nextInt(4) > 0 ? expected : expected + random.nextInt(7) - 3;
    if (random.nextBoolean()) {
      header.sequence = OWN_PSN + random.nextInt(4);
    }
    header.flags = random.nextInt(16);
    header.code = random.nextInt(256);
    header.remoteKey += random.nextInt(8) == 0 ? 1 : 0;
    header.remoteAddress += random.nextInt(4) == 0 ? random.nextInt(2 << 20) - (1 << 19) : 0;
    int[] lengths = {0, 1, 8, 10, PIECE, PIECE + 1, 2 * PIECE, SETUP.memoryBytes()};
    header.messageBytes = lengths[random.nextInt(lengths.length)];
    header.immediate = random.nextInt();
    boolean isContinuation = former.offset + former.payloadBytes < former.messageBytes;
    if (isContinuation && random.nextInt(4) > 0) {
      header.sequence = former.sequence;
      header.offset = former.offset + former.payloadBytes;
      header.messageBytes = random.nextBoolean() ? former.messageBytes : header.messageBytes;
      header.type = random.nextBoolean() ? former.type : header.type;
      header.flags = random.nextBoolean() ? former.flags : header.flags;
    }
    header.offset = Math.min(header.offset, header.messageBytes);
    boolean hasPayload =
        Arrays.asList(FrameType.SEND, FrameType.WRITE, FrameType.READ_RESPONSE)
            .contains(header.type);
    header.payloadBytes = hasPayload ? Math.min(PIECE, header.messageBytes - header.offset) : 0;
    return header;
  }
}
