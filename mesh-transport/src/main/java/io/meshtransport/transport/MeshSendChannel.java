// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.Route;
import io.meshtransport.spi.TransportException;
import io.meshtransport.verbs.Completions;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.SendFlags;
import java.util.Arrays;

/**
 * The sending end of a channel with one line. A message goes to its room by RDMA WRITE, cut into
 * parts where it is longer than one work request may be; the last part carries a {@link
 * ImmediateData}.
 */
final class MeshSendChannel extends SendingEnd {
  /** A peer of one line tells where its rooms are at the NIC of that line only. */
  private static final int THE_NIC = 0;

  private MemoryRegion[] regions = new MemoryRegion[TableGrowth.FIRST];
  private long[] addresses = new long[TableGrowth.FIRST];
  private long[] leftBytes = new long[TableGrowth.FIRST];
  private long[] roomAddresses = new long[TableGrowth.FIRST];
  private int[] roomKeys = new int[TableGrowth.FIRST];
  private final long partBytes;
  private final UnsignaledSends unsignaled =
      new UnsignaledSends(QueueDepths.SENDER.dataDepth(), QueueDepths.SENDER.dataDepth());
  private int freePosts = QueueDepths.SENDER.dataDepth();

  /**
   * @param partBytes longest message of one work request that both ends can do
   */
  MeshSendChannel(
      ChannelContext context,
      ChannelLifeCycle life,
      MeshEndpoint link,
      Route route,
      long partBytes,
      PeerNic peer) {
    super(
        context,
        life,
        Rails.one(link),
        new AdvertisedReceives(1),
        route,
        new RmaOperations(context.memory(), peer, link.nic().index(), partBytes));
    this.partBytes = partBytes;
  }

  @Override
  void grow(int slots) {
    super.grow(slots);
    regions = Arrays.copyOf(regions, slots);
    addresses = Arrays.copyOf(addresses, slots);
    leftBytes = Arrays.copyOf(leftBytes, slots);
    roomAddresses = Arrays.copyOf(roomAddresses, slots);
    roomKeys = Arrays.copyOf(roomKeys, slots);
  }

  @Override
  void from(int slot, MeshMemory memory, long offsetBytes) {
    regions[slot] = memory.keys(link.nic().index());
    addresses[slot] = memory.address(link.nic().index()) + offsetBytes;
  }

  @Override
  void leave(int slot) {
    if (isTooLong(slot)) {
      tellTooLong(slot);
      return;
    }
    roomAddresses[slot] = rooms.address(roomNumbers[slot], THE_NIC);
    roomKeys[slot] = rooms.key(roomNumbers[slot], THE_NIC);
    leftBytes[slot] = 0;
    leaving.add(slot);
  }

  /**
   * Posts parts, oldest message first, as long as the send queue takes them: those of several
   * messages with one call, too.
   */
  @Override
  void pump() {
    while (leaving.size() > 0 && freePosts > 0 && ready()) {
      int slot = leaving.get(0);
      if (oneSided.at(slot) != null) {
        pumpOneSided(slot, oneSided.at(slot));
        continue;
      }
      long remaining = lengthsBytes[slot] - leftBytes[slot];
      freePosts--;
      if (remaining > partBytes) {
        check(addPart(slot), "a message");
        leftBytes[slot] += partBytes;
      } else {
        leaving.removeAt(0);
        check(addLastPart(slot, (int) remaining), "a message");
      }
    }
    if (live()) {
      check(link.postParts(), "a message");
    }
  }

  private void pumpOneSided(int slot, RmaTransfer transfer) {
    long before = transfer.requestsLeft();
    int errno = oneSided.post(link, slot, freePosts, unsignaled, mustReport(slot));
    freePosts -= (int) (before - transfer.requestsLeft());
    if (transfer.requestsLeft() == 0) {
      leaving.removeAt(0);
    }
    check(errno, "a put or get");
  }

  private int addPart(int slot) {
    unsignaled.reportFollows();
    return link.addPart(
        slot,
        regions[slot],
        addresses[slot] + leftBytes[slot],
        (int) partBytes,
        roomAddresses[slot] + leftBytes[slot],
        roomKeys[slot]);
  }

  private int addLastPart(int slot, int lengthBytes) {
    boolean isReported = freePosts == 0 || mustReport(slot);
    if (isReported) {
      unsignaled.reportFollows();
    } else {
      unsignaled.add(slot);
    }
    return link.addLastPart(
        slot,
        regions[slot],
        addresses[slot] + leftBytes[slot],
        lengthBytes,
        roomAddresses[slot] + leftBytes[slot],
        roomKeys[slot],
        ImmediateData.of(roomNumbers[slot], (int) (leftBytes[slot] / partBytes)),
        (isReported ? SendFlags.SIGNALED : 0) | hints());
  }

  /** Nobody can ask about what is forgotten, and a deadline passes whether somebody asks or not. */
  private boolean mustReport(int slot) {
    return !isSelective()
        || unsignaled.isReportDue()
        || requests.hasDeadline(slot)
        || requests.isForgotten(slot);
  }

  @Override
  void completed(MeshEndpoint from, int kind, int slot, Completions batch, int position) {
    if (kind == WorkRequestId.RECEIVE) {
      breakWith(ChannelFailures.protocol(route, "a message of its own to the sending end"));
      return;
    }
    freePosts++;
    for (int left = unsignaled.reported(); left > 0; left--) {
      int before = unsignaled.takeEnded();
      freePosts++;
      if (before != UnsignaledSends.NONE) {
        requests.succeed(before, lengthsBytes[before]);
      }
    }
    if (kind == WorkRequestId.LAST_PART || kind == WorkRequestId.LAST_PIECE) {
      requests.succeed(slot, lengthsBytes[slot]);
    }
  }

  @Override
  void controlDelivered(int slot) {
    failTooLong(slot);
  }

  @Override
  void askAbout(int slot) {
    if (unsignaled.isUnspoken(slot)) {
      askForReport();
    }
  }

  /** Sends nothing, to be told how far everything before it has come. */
  private void askForReport() {
    if (unsignaled.hasUnspoken() && freePosts > 0 && live()) {
      freePosts--;
      unsignaled.reportFollows();
      check(link.ask(WorkRequestId.REPORT), "asking what has arrived");
    }
  }

  @Override
  void withdraw(TransportException why) {
    super.withdraw(why);
    askForReport();
  }
}
