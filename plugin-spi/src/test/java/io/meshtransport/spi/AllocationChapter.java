// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Contract: memory that a transport allocates. */
abstract class AllocationChapter extends ContractChapter {
  private static final int[] SIZES = {
    1, 100, 4_095, 4_096, 4_097, 70_000, 1 << 20, (1 << 20) + 1, 5_000_000
  };

  @Test
  void shouldAllocateAlignedMemoryOfEverySize() throws TransportException {
    for (int size : SIZES) {
      RegisteredMemory memory = left.allocate(size);
      assertEquals(size, memory.lengthBytes());
      assertEquals(1, memory.segments().size());
      ByteBuffer bytes = memory.segments().get(0);
      assertEquals(size, bytes.capacity());
      assertEquals(0, bytes.alignmentOffset(0, Transport.ALLOCATION_ALIGNMENT_BYTES));
      memory.close();
      memory.close();
    }
  }

  @Test
  void shouldRefuseLengthsThatCannotBe() {
    for (long bad : new long[] {0, -1, Long.MIN_VALUE, Transport.MAX_MESSAGE_BYTES + 1}) {
      assertThrows(IllegalArgumentException.class, () -> left.allocate(bad), "length " + bad);
    }
  }

  @Test
  void shouldSendFromAndReceiveIntoAllocatedMemory() throws TransportException {
    ChannelEnds ends = channel(64);
    for (int size : SIZES) {
      RegisteredMemory from = left.allocate(size);
      RegisteredMemory to = right.allocate(size);
      Bytes.fill(from.segments().get(0), 0, size, size);
      Pending receive = new Pending(ends.in(), ends.in().irecv(to, 0, size, 1));
      Pending send = new Pending(ends.out(), ends.out().isend(from, 0, size, 1));
      Pending.finish(receive, send).forEach(end -> assertEquals(size, end.lengthBytes()));
      Bytes.check(to.segments().get(0), 0, size, size);
      from.close();
      to.close();
    }
  }

  @Test
  void shouldAllocateNoByteTwice() throws TransportException {
    Random random = Bytes.random("allocations");
    List<RegisteredMemory> lent = new ArrayList<>();
    List<Integer> seeds = new ArrayList<>();
    for (int round = 0; round < 2_000; round++) {
      if (lent.size() < 40 && random.nextInt(3) > 0) {
        int size = 1 + random.nextInt(random.nextInt(10) == 0 ? 3_000_000 : 20_000);
        RegisteredMemory memory = left.allocate(size);
        Bytes.fill(memory.segments().get(0), 0, size, round);
        lent.add(memory);
        seeds.add(round);
      } else if (!lent.isEmpty()) {
        int which = random.nextInt(lent.size());
        RegisteredMemory memory = lent.remove(which);
        Bytes.check(memory.segments().get(0), 0, (int) memory.lengthBytes(), seeds.remove(which));
        memory.close();
      }
    }
  }

  @Test
  void shouldRefuseReleasedMemoryAndKeepOutstandingRequests() throws TransportException {
    ChannelEnds ends = channel(64);
    RegisteredMemory from = left.allocate(1_000);
    Bytes.fill(from.segments().get(0), 0, 1_000, 1);
    Pending send = new Pending(ends.out(), ends.out().isend(from, 0, 1_000, 1));
    from.close();
    assertThrows(IllegalStateException.class, () -> ends.out().isend(from, 0, 1_000, 1));
    // Were the memory free again already, one of these would be it.
    List<RegisteredMemory> others = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      RegisteredMemory other = left.allocate(1_000);
      Bytes.fill(other.segments().get(0), 0, 1_000, 2);
      others.add(other);
    }
    RegisteredMemory to = right.allocate(1_000);
    Pending receive = new Pending(ends.in(), ends.in().irecv(to, 0, 1_000, 1));
    Pending.finish(receive, send).forEach(end -> assertEquals(1_000, end.lengthBytes()));
    Bytes.check(to.segments().get(0), 0, 1_000, 1);
    others.forEach(RegisteredMemory::close);
  }

  @Test
  void shouldGiveAKeyOnlyToMemoryThatWasAllocatedForPeers() throws TransportException {
    assertThrows(IllegalStateException.class, () -> left.allocate(8).remoteKey());
    ChannelEnds ends = channel(64);
    RegisteredMemory far = right.allocate(8_192, EnumSet.allOf(RemoteAccess.class));
    RemoteMemory remote = left.remoteMemory(far.remoteKey());
    Bytes.fill(ends.sourceBytes(), 0, 64, 3);
    ends.out().put(ends.source(), 0, 64, remote, 8_000, PATIENCE);
    Bytes.check(far.segments().get(0), 8_000, 64, 3);
  }

  @Test
  void shouldRefuseAClosedTransport() {
    left.close();
    assertFails(Reason.CLOSED, () -> left.allocate(8));
    assertFails(Reason.CLOSED, () -> left.register(ByteBuffer.allocateDirect(8)));
    assertFails(Reason.CLOSED, () -> left.register(1, 8, Set.of(), null));
  }
}
