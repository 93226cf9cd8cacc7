// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Completions;
import io.meshtransport.spi.GatherList;
import io.meshtransport.spi.MultiReceive;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransferList;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.message.MeshConnection;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;

/**
 * Both directions of a {@link SimulatedConnectionLine} at once: messages of one piece and of
 * several, multi-receives, receives that are taken back, puts with and without a notice, and gets,
 * in an order and with faults that a seed chooses. Each message and each notice comes once and in
 * order; a put or get is carried out or fails alone.
 */
final class SimulatedConnectionTraffic {
  private static final int MESSAGES = 40;
  private static final int TAGS = 3;
  private static final int PLACE_BYTES = 8 << 10;
  private static final int MULTI_TAG = 7;
  private static final int NEVER_TAG = 8;
  private static final int MULTI_BYTES = 48;
  private static final int MULTI_MESSAGES = 5;

  interface Fault {
    void happen(SimulatedConnectionLine line, Random random) throws Exception;
  }

  private final String seed;
  private final Random random;
  private final SimulatedConnectionLine line;
  private final Half[] halves = new Half[2];

  /** How many puts and gets failed since how far they came was unknown. */
  int unknown;

  SimulatedConnectionTraffic(long seed, SimulatedConnectionLine line) throws Exception {
    this.seed = "seed " + seed;
    this.random = new Random(seed);
    this.line = line;
    for (int end = 0; end < 2; end++) {
      halves[end] = new Half(end);
    }
    for (int end = 0; end < 2; end++) {
      halves[end].far = line.nodes[end].remoteMemory(halves[1 - end].target.remoteKey());
      halves[end].peer = halves[1 - end];
    }
  }

  void go(Fault... faults) throws Exception {
    int total = 2 * MESSAGES;
    int[] faultsAt = random.ints(faults.length, 0, total).sorted().toArray();
    int struck = 0;
    while (!halves[0].isDone() || !halves[1].isDone()) {
      while (struck < faults.length && halves[0].sent + halves[1].sent >= faultsAt[struck]) {
        faults[struck++].happen(line, random);
      }
      halves[random.nextInt(2)].step();
    }
    while (struck < faults.length) {
      faults[struck++].happen(line, random);
    }
    for (Half half : halves) {
      half.checkTransfers();
    }
  }

  private record Sent(long request, int tag, int lengthBytes, int number) {}

  private record Received(long request, int tag, int nth, int place) {}

  private record Transfer(long request, boolean isGet, int place, int bytes) {}

  /** One end, which sends to the other and receives from it. */
  private final class Half {
    final MeshConnection end;
    final ByteBuffer source = ByteBuffer.allocateDirect(MESSAGES * PLACE_BYTES);
    final ByteBuffer sink = ByteBuffer.allocateDirect(MESSAGES * PLACE_BYTES);
    final ByteBuffer smallSource = ByteBuffer.allocateDirect(MESSAGES * MULTI_BYTES);
    final ByteBuffer multi = ByteBuffer.allocateDirect(MESSAGES * MULTI_BYTES * MULTI_MESSAGES);

    /** What the peer puts to and gets from: the first half of the places is for puts. */
    final ByteBuffer window = ByteBuffer.allocateDirect(2 * MESSAGES * PLACE_BYTES);

    final RegisteredMemory from;
    final RegisteredMemory smallFrom;
    final RegisteredMemory to;
    final RegisteredMemory multiTo;
    final RegisteredMemory target;
    RemoteMemory far;
    Half peer;
    final List<Sent> sends = new ArrayList<>();
    final List<Sent> smallSends = new ArrayList<>();
    final List<Received> receives = new ArrayList<>();
    final List<List<Sent>> expected = new ArrayList<>();
    final int[] postedOfTag = new int[TAGS];
    final List<Transfer> transfers = new ArrayList<>();
    final List<Transfer> done = new ArrayList<>();
    final List<Integer> notices = new ArrayList<>();
    final List<Long> withdrawn = new ArrayList<>();
    long multiRequest = Channel.BUSY;
    int multiRound;
    int sent;
    int posted;
    int small;
    int smallReceived;
    int begun;
    int noticesSent;
    int endedSends;
    int endedReceives;

    Half(int index) throws Exception {
      end = line.ends[index];
      MeshTransport node = line.nodes[index];
      from = node.register(source);
      smallFrom = node.register(smallSource);
      to = node.register(sink);
      multiTo = node.register(multi);
      target = node.register(List.of(window), EnumSet.allOf(RemoteAccess.class));
      for (int tag = 0; tag < TAGS; tag++) {
        expected.add(new ArrayList<>());
      }
    }

    boolean isDone() {
      return endedSends == MESSAGES
          && endedReceives == MESSAGES
          && small == MESSAGES
          && smallSends.isEmpty()
          && smallReceived == MESSAGES
          && begun == MESSAGES
          && transfers.isEmpty()
          && withdrawn.isEmpty()
          && notices.size() == peer.noticesSent;
    }

    void step() throws Exception {
      switch (random.nextInt(9)) {
        case 0 -> send();
        case 1 -> receive();
        case 2 -> transfer();
        case 3 -> sendSmall();
        case 4 -> withdraw();
        case 5 -> testSends();
        case 6 -> testTransfers();
        case 7 -> pollOthers();
        default -> testReceives();
      }
    }

    /** Of the messages with a tag that this end has sent. */
    private List<Integer> lengths(int tag) {
      return peer.expected.get(tag).stream().map(Sent::lengthBytes).toList();
    }

    private boolean hasBegun(long request) {
      assertTrue(request != Channel.FAILED, () -> seed + ": " + end.failure());
      return request >= 0;
    }

    private void send() {
      if (sent == MESSAGES) {
        return;
      }
      int tag = sent % TAGS;
      int lengthBytes = random.nextInt(PLACE_BYTES + 1);
      for (int i = 0; i < lengthBytes; i++) {
        source.put(sent * PLACE_BYTES + i, (byte) (sent * 31 + i));
      }
      long at = (long) sent * PLACE_BYTES;
      int third = lengthBytes / 3;
      long request =
          sent % 4 == 1
              ? end.isend(
                  new GatherList()
                      .add(from, at, third)
                      .add(from, 0, 0)
                      .add(from, at + third, lengthBytes - third),
                  tag)
              : end.isend(from, at, lengthBytes, tag);
      if (hasBegun(request)) {
        Sent message = new Sent(request, tag, lengthBytes, sent++);
        sends.add(message);
        peer.expected.get(tag).add(message);
      }
    }

    private void receive() {
      if (posted == MESSAGES) {
        return;
      }
      int tag = posted % TAGS;
      long request = end.irecv(to, (long) posted * PLACE_BYTES, PLACE_BYTES, tag);
      if (hasBegun(request)) {
        receives.add(new Received(request, tag, postedOfTag[tag]++, posted++));
      }
    }

    private void sendSmall() {
      if (small == MESSAGES) {
        return;
      }
      int lengthBytes = 1 + small % MULTI_BYTES;
      for (int i = 0; i < lengthBytes; i++) {
        smallSource.put(small * MULTI_BYTES + i, (byte) (small + i));
      }
      long request = end.isend(smallFrom, (long) small * MULTI_BYTES, lengthBytes, MULTI_TAG);
      if (hasBegun(request)) {
        smallSends.add(new Sent(request, MULTI_TAG, lengthBytes, small++));
      }
    }

    private void withdraw() {
      if (withdrawn.size() < 2 && endedReceives < MESSAGES && random.nextInt(4) == 0) {
        long request = end.irecv(to, 0, PLACE_BYTES, NEVER_TAG);
        if (hasBegun(request)) {
          end.withdraw(request);
          withdrawn.add(request);
        }
      }
      for (int i = 0; i < withdrawn.size(); i++) {
        long outcome = end.test(withdrawn.get(i));
        if (outcome != Channel.PENDING) {
          assertEquals(Channel.FAILED, outcome, seed);
          assertEquals(Reason.WITHDRAWN, end.failure(withdrawn.get(i)).reason(), seed);
          withdrawn.remove(i--);
        }
      }
    }

    /** Multi-receives, whose last takes what is left, and notices. */
    private void pollOthers() {
      if (multiRequest < 0 && multiRound * MULTI_MESSAGES < MESSAGES) {
        long at = (long) multiRound * MULTI_MESSAGES * MULTI_BYTES;
        long request =
            end.irecv(
                new MultiReceive(
                    multiTo,
                    at,
                    (long) MULTI_MESSAGES * MULTI_BYTES,
                    MULTI_BYTES,
                    MULTI_MESSAGES,
                    MULTI_TAG),
                SendChannel.NO_DEADLINE,
                0);
        if (hasBegun(request)) {
          multiRequest = request;
          multiRound++;
        }
      } else if (multiRequest >= 0) {
        testMulti();
      }
      Completions polled = new Completions(4);
      end.pollNotices(polled);
      for (int i = 0; i < polled.count(); i++) {
        if (polled.kind(i) == CompletionKind.UNEXPECTED) {
          int tag = polled.tag(i);
          long lengthBytes = polled.lengthBytes(i);
          assertTrue(
              tag == MULTI_TAG || peer.lengths(tag).contains((int) lengthBytes),
              seed + ": no message with tag " + tag + " has " + lengthBytes + " bytes");
          continue;
        }
        assertEquals(CompletionKind.NOTICE, polled.kind(i), seed);
        assertEquals(notices.size(), polled.notice(i), seed + ": notices come once and in order");
        notices.add(polled.notice(i));
      }
    }

    private void testMulti() {
      long[] lengths = new long[MULTI_MESSAGES];
      long outcome = end.test(multiRequest, lengths);
      if (outcome == Channel.PENDING) {
        return;
      }
      assertTrue(outcome >= 0, () -> seed + ": " + end.failure());
      long at = (long) (multiRound - 1) * MULTI_MESSAGES * MULTI_BYTES;
      for (long lengthBytes : lengths) {
        assertEquals(1 + smallReceived % MULTI_BYTES, lengthBytes, seed);
        for (int i = 0; i < lengthBytes; i++) {
          assertEquals((byte) (smallReceived + i), multi.get((int) at + i), seed);
        }
        at = MultiReceive.next(at, lengthBytes);
        smallReceived++;
      }
      multiRequest = Channel.BUSY;
    }

    private void transfer() throws Exception {
      if (begun == MESSAGES) {
        return;
      }
      int place = begun;
      boolean isGet = random.nextInt(3) == 0;
      boolean hasNotice = !isGet && random.nextBoolean();
      int bytes = random.nextInt(PLACE_BYTES);
      ByteBuffer origin = isGet ? peer.window : window;
      int localAt = (MESSAGES + place) * PLACE_BYTES;
      int farAt = (isGet ? MESSAGES + place : place) * PLACE_BYTES;
      if (!isGet) {
        fill(window, localAt, place, bytes);
      } else {
        // What the peer's own puts read there is the same.
        bytes = Math.min(bytes, 64);
        for (int i = 0; i < bytes; i++) {
          origin.put(farAt + PLACE_BYTES - 64 + i, at(place, i));
        }
        farAt += PLACE_BYTES - 64;
      }
      TransferList list = new TransferList();
      int half = bytes / 2;
      int nearAt = isGet ? place * 64 : localAt;
      RegisteredMemory near = isGet ? gotten() : target;
      list.add(near, nearAt + half, bytes - half, far, farAt + half);
      list.add(near, nearAt, half, far, farAt);
      long request =
          isGet
              ? end.iget(list, SendChannel.NO_DEADLINE)
              : hasNotice
                  ? end.iput(list, noticesSent, SendChannel.NO_DEADLINE, 0)
                  : end.iput(list, SendChannel.NO_DEADLINE);
      if (hasBegun(request)) {
        transfers.add(new Transfer(request, isGet, place, bytes));
        begun++;
        noticesSent += hasNotice ? 1 : 0;
      }
    }

    private ByteBuffer got;
    private RegisteredMemory gotMemory;

    private RegisteredMemory gotten() throws Exception {
      if (gotMemory == null) {
        got = ByteBuffer.allocateDirect(MESSAGES * 64);
        gotMemory = (this == halves[0] ? line.nodes[0] : line.nodes[1]).register(got);
      }
      return gotMemory;
    }

    private void fill(ByteBuffer memory, int offset, int place, int bytes) {
      // The last bytes of each place are for gets.
      for (int i = 0; i < Math.min(bytes, PLACE_BYTES - 64); i++) {
        memory.put(offset + i, at(place, i));
      }
    }

    private byte at(int place, int i) {
      return (byte) (place * 31 + i * 7 + 1);
    }

    private void testTransfers() {
      for (int i = 0; i < transfers.size(); i++) {
        Transfer transfer = transfers.get(i);
        long outcome = end.test(transfer.request());
        if (outcome == Channel.PENDING) {
          continue;
        }
        if (outcome == Channel.FAILED) {
          assertEquals(Reason.OUTCOME_UNKNOWN, end.failure(transfer.request()).reason(), seed);
          unknown++;
        } else {
          assertEquals(transfer.bytes(), outcome, seed);
          done.add(transfer);
        }
        transfers.remove(i--);
      }
    }

    void checkTransfers() {
      for (Transfer transfer : done) {
        int bytes =
            transfer.isGet() ? transfer.bytes() : Math.min(transfer.bytes(), PLACE_BYTES - 64);
        for (int i = 0; i < bytes; i++) {
          byte is =
              transfer.isGet()
                  ? got.get(transfer.place() * 64 + i)
                  : peer.window.get(transfer.place() * PLACE_BYTES + i);
          assertTrue(is == at(transfer.place(), i), seed + ", " + transfer);
        }
      }
    }

    private void testSends() {
      endedSends += testSends(sends);
      testSends(smallSends);
    }

    private int testSends(List<Sent> list) {
      int ended = 0;
      for (int i = 0; i < list.size(); i++) {
        Sent message = list.get(i);
        long outcome = end.test(message.request());
        if (outcome != Channel.PENDING) {
          assertEquals(
              message.lengthBytes(), outcome, () -> seed + ": " + end.failure(message.request()));
          list.remove(i--);
          ended++;
        }
      }
      return ended;
    }

    private void testReceives() {
      for (int i = 0; i < receives.size(); i++) {
        Received receive = receives.get(i);
        long outcome = end.test(receive.request());
        if (outcome == Channel.PENDING) {
          continue;
        }
        Sent message = expected.get(receive.tag()).get(receive.nth());
        assertEquals(
            message.lengthBytes(), outcome, () -> seed + ": " + end.failure(receive.request()));
        for (int at = 0; at < outcome; at++) {
          byte is = sink.get(receive.place() * PLACE_BYTES + at);
          assertTrue(is == (byte) (message.number() * 31 + at), seed + ", " + message);
        }
        endedReceives++;
        receives.remove(i--);
      }
    }
  }
}
