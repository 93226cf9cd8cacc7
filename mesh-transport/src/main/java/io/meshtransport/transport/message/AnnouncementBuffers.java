// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.MultiReceive;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.channel.SlotSet;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.QueueDepths;
import io.meshtransport.transport.memory.MeshMemory;
import io.meshtransport.transport.memory.Retained;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.SendFlags;
import java.nio.ByteBuffer;

/**
 * Announcements as they are written and sent: one control buffer for each request, which keeps it
 * until the request is over. Confined to the channel's lock.
 */
final class AnnouncementBuffers {
  private final ChannelCore core;
  private final ControlPath control;
  private final int[] nics;
  private final int spareReceives;

  /** Slots whose buffer the device still reads. */
  private final SlotSet inUse = new SlotSet();

  /**
   * @param nics of ours, at each of which the receives are advertised
   */
  AnnouncementBuffers(ChannelCore core, ControlPath control, int[] nics) {
    this.core = core;
    this.control = control;
    this.nics = nics;
    this.spareReceives = QueueDepths.spareReceives(core.requests.max());
  }

  /**
   * Sees to it that there is a buffer for an announcement, and receives for what the peer may send
   * because of it. Returns an errno.
   *
   * @param awaited messages, with those of this request
   */
  int prepare(int slot, int awaited) {
    int errno = control.primary().ensureControl(slot);
    return errno != 0 ? errno : control.ensureMessageReceives(awaited + spareReceives);
  }

  void write(int slot, ReceiveGroup group, Retained[] retained) {
    ByteBuffer message = control.primary().outgoing().memory(slot);
    int at = control.primary().outgoing().at(slot);
    ControlMessage.putAdvertise(message, at, slot, group.size(), nics.length);
    for (int entry = 0; entry < group.size(); entry++) {
      ControlMessage.putReceive(
          message, at, entry, nics.length, group.lengthBytes(entry), group.tag(entry));
      putAddresses(message, at, entry, retained[entry].memory(), group.offsetBytes(entry));
    }
  }

  private void putAddresses(
      ByteBuffer message, int at, int entry, MeshMemory memory, long offsetBytes) {
    for (int nic = 0; nic < nics.length; nic++) {
      // A peer's handle may name NICs that are gone, or go just now; no rail leads there.
      MemoryRegion region = memory.regionOrNull(nics[nic]);
      ControlMessage.putAddress(
          message,
          at,
          entry,
          nic,
          nics.length,
          region == null ? 0 : memory.addressIn(region) + offsetBytes,
          region == null ? 0 : region.remoteKey());
    }
  }

  /** As {@link #write}, of a multi-receive. */
  void writeMulti(int slot, MultiReceive receive, MeshMemory memory) {
    ByteBuffer message = control.primary().outgoing().memory(slot);
    int at = control.primary().outgoing().at(slot);
    ControlMessage.putAdvertiseMulti(
        message, at, slot, nics.length, receive.messages(), receive.longestBytes());
    ControlMessage.putReceive(message, at, 0, nics.length, receive.lengthBytes(), receive.tag());
    putAddresses(message, at, 0, memory, receive.offsetBytes());
  }

  /** Sends the announcement in the buffer of a request; its delivery will be reported. */
  void send(int slot) {
    ByteBuffer message = control.primary().outgoing().memory(slot);
    boolean isMulti =
        ControlMessage.kind(message, control.primary().outgoing().at(slot))
            == ControlMessage.ADVERTISE_MULTI;
    int lengthBytes =
        isMulti
            ? ControlMessage.multiBytes(nics.length)
            : ControlMessage.advertiseBytes(core.requests.size(slot), nics.length);
    inUse.add(slot);
    int errno = control.primary().sendControl(slot, lengthBytes, SendFlags.DEFERRABLE);
    core.check(errno, "an announcement");
  }

  /** Sends another control message of a request in its buffer, with 0 for a number. */
  void sendNumber(int kind, int slot) {
    inUse.add(slot);
    control.sendNumber(kind, slot, 0, slot, 0);
  }

  /** The peer's device has what was sent for a request. */
  void delivered(int slot) {
    inUse.remove(slot);
  }

  /** Whether the device still reads the buffer of a request. */
  boolean isInUse(int slot) {
    return inUse.contains(slot);
  }

  /**
   * Copies the announcement of a request from what was the primary; returns false if the channel
   * has broken of it.
   */
  boolean copyFrom(MeshEndpoint before, int slot) {
    int errno = control.primary().copyControl(before, slot);
    if (errno != 0) {
      core.shutdown.breakWith(ChannelFailures.post(core.route, "an announcement", errno));
    }
    return errno == 0;
  }
}
