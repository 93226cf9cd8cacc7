package io.meshtransport.transport;

import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.Completions;
import io.meshtransport.verbs.MemoryRegion;

/**
 * The sending end towards a C plugin. Each message leaves at once, as one SEND, and takes the
 * oldest receive of the peer whatever its tag; if there is none, the device tries again until there
 * is. Nothing of it can be taken back, so a deadline that passes ends the channel.
 */
final class LegacySendChannel extends MeshChannel implements SendChannel {
  private final PlainLine plain;
  private final long[] lengthsBytes = new long[Transport.MAX_REQUESTS];

  LegacySendChannel(MeshTransport owner, ChannelLife life, PlainLine plain, Route route) {
    super(owner, life, plain, route);
    this.plain = plain;
  }

  @Override
  public long isend(
      RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs) {
    lock.lock();
    try {
      if (!mayBegin()) {
        return FAILED;
      }
      requireOneMessage(lengthBytes);
      MeshMemory ours = MeshMemory.retain(owner(), memory, offsetBytes, lengthBytes);
      if (requests.isFull()) {
        ours.release();
        return BUSY;
      }
      int slot = begin(timeoutNs);
      requests.uses(slot, ours);
      lengthsBytes[slot] = lengthBytes;
      MemoryRegion region = ours.region(plain.nic().index());
      long request = requests.number(slot);
      check(plain.send(slot, region, region.address() + offsetBytes, lengthBytes), "a message");
      return request;
    } finally {
      lock.unlock();
    }
  }

  private void requireOneMessage(long lengthBytes) {
    if (lengthBytes > plain.maxMessageBytes()) {
      throw new IllegalArgumentException(
          "a message of "
              + lengthBytes
              + " bytes: the C plugin's wire does not cut messages, and one of this NIC has "
              + plain.maxMessageBytes()
              + " at most");
    }
  }

  @Override
  void ended(int kind, int slot, Completions batch, int position) {
    requests.succeed(slot, lengthsBytes[slot]);
  }

  @Override
  TransportException failure(int kind, int slot, CompletionStatus status, int vendorError) {
    return kind == WorkRequestId.LAST_PART && LegacyFailures.isTooLongThere(status)
        ? LegacyFailures.tooLongThere(route, lengthsBytes[slot], status)
        : LegacyFailures.hint(super.failure(kind, slot, status, vendorError));
  }

  @Override
  void overdue(int slot) {
    breakWith(LegacyFailures.overdue(route, "a send of " + lengthsBytes[slot] + " bytes"));
  }

  @Override
  boolean sayGoodbye() {
    // This wire has no word for it: the peer notices when its queue pair meets no answer.
    return false;
  }

  @Override
  void settle() {
    // Only its completion says that the peer has a message.
  }

  @Override
  void withdraw(TransportException why) {
    // The device knows of every request; what is under way when the line has stopped fails then.
  }

  @Override
  void lengths(int slot, long[] into) {
    into[0] = lengthsBytes[slot];
  }
}
