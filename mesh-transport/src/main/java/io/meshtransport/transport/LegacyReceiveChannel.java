package io.meshtransport.transport;

import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.Completions;
import io.meshtransport.verbs.MemoryRegion;

/**
 * The receiving end from a C plugin. Receives are posted as they are asked for, and messages take
 * them in that order, whatever their tags; the length of a message is what the device says arrived.
 */
final class LegacyReceiveChannel extends MeshChannel implements ReceiveChannel {
  private static final int ONE = 1;

  private final PlainLine plain;
  private final long[] roomBytes = new long[Transport.MAX_REQUESTS];
  private final long[] arrivedBytes = new long[Transport.MAX_REQUESTS];

  LegacyReceiveChannel(MeshTransport owner, ChannelLife life, PlainLine plain, Route route) {
    super(owner, life, plain, route);
    this.plain = plain;
  }

  @Override
  public long irecv(
      RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs) {
    lock.lock();
    try {
      if (!mayBegin()) {
        return FAILED;
      }
      MeshMemory ours = MeshMemory.retain(owner(), memory, offsetBytes, lengthBytes);
      if (requests.isFull()) {
        ours.release();
        return BUSY;
      }
      int slot = begin(timeoutNs);
      requests.uses(slot, ours);
      roomBytes[slot] = lengthBytes;
      MemoryRegion region = ours.region(plain.nic().index());
      long request = requests.number(slot);
      check(plain.receive(slot, region, region.address() + offsetBytes, lengthBytes), "a receive");
      return request;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long irecv(ReceiveGroup group, long timeoutNs) {
    if (group.size() != ONE) {
      throw new IllegalArgumentException(
          "a group of "
              + group.size()
              + " receives: the C plugin's wire carries no tags to tell its messages apart; make"
              + " them requests of their own");
    }
    return irecv(
        group.memory(0), group.offsetBytes(0), group.lengthBytes(0), group.tag(0), timeoutNs);
  }

  @Override
  void ended(int kind, int slot, Completions batch, int position) {
    arrivedBytes[slot] = Integer.toUnsignedLong(batch.lengthBytes(position));
    requests.succeed(slot, arrivedBytes[slot]);
  }

  @Override
  TransportException failure(int kind, int slot, CompletionStatus status, int vendorError) {
    return kind == WorkRequestId.RECEIVE && LegacyFailures.isTooLongHere(status)
        ? LegacyFailures.tooLongHere(route, roomBytes[slot], status)
        : LegacyFailures.hint(super.failure(kind, slot, status, vendorError));
  }

  @Override
  void overdue(int slot) {
    breakWith(LegacyFailures.overdue(route, "a receive of up to " + roomBytes[slot] + " bytes"));
  }

  @Override
  boolean sayGoodbye() {
    // This wire has no word for it: the peer notices when its queue pair meets no answer.
    return false;
  }

  @Override
  void settle() {
    // What has not completed has not arrived.
  }

  @Override
  void withdraw(TransportException why) {
    // The device knows of every request; what is under way when the line has stopped fails then.
  }

  @Override
  void lengths(int slot, long[] into) {
    into[0] = arrivedBytes[slot];
  }
}
