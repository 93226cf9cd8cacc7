// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.channel.TableGrowth;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.endpoint.ImmediateData;
import java.util.Arrays;

/**
 * What the sending end of a channel knows of its requests, by slot: the length and tag of a
 * message, and the advertised receive that it was matched with. Confined to the channel's lock;
 * allocates nothing but for slots above those used so far.
 */
final class SendRequests {
  private final ChannelCore core;
  private final ControlPath control;
  private long[] lengthsBytes = new long[TableGrowth.FIRST];
  private int[] tags = new int[TableGrowth.FIRST];
  private int[] receives = new int[TableGrowth.FIRST];
  private long[] receiveLengthsBytes = new long[TableGrowth.FIRST];

  SendRequests(ChannelCore core, ControlPath control) {
    this.core = core;
    this.control = control;
  }

  int capacity() {
    return tags.length;
  }

  void grow(int slots) {
    lengthsBytes = Arrays.copyOf(lengthsBytes, slots);
    tags = Arrays.copyOf(tags, slots);
    receives = Arrays.copyOf(receives, slots);
    receiveLengthsBytes = Arrays.copyOf(receiveLengthsBytes, slots);
  }

  void begin(int slot, long lengthBytes, int tag) {
    lengthsBytes[slot] = lengthBytes;
    tags[slot] = tag;
  }

  /** A put or get, which is never too long. */
  void beginTransfer(int slot, long lengthBytes) {
    begin(slot, lengthBytes, 0);
    receiveLengthsBytes[slot] = lengthBytes;
  }

  /** The message goes to an advertised receive of this number and length. */
  void match(int slot, int receive, long receiveLengthBytes) {
    receives[slot] = receive;
    receiveLengthsBytes[slot] = receiveLengthBytes;
  }

  long lengthBytes(int slot) {
    return lengthsBytes[slot];
  }

  int tag(int slot) {
    return tags[slot];
  }

  /** The number of the advertised receive that the message goes to. */
  int receive(int slot) {
    return receives[slot];
  }

  /** Whether the message is too long for its receive. */
  boolean isTooLong(int slot) {
    return lengthsBytes[slot] > receiveLengthsBytes[slot];
  }

  /**
   * Sends TOO_LONG instead of the message; when the peer's device has it, {@link #failTooLong} is
   * due.
   */
  void sendTooLong(int slot) {
    control.sendNumber(
        ControlMessage.TOO_LONG,
        ImmediateData.slotOf(receives[slot]),
        ImmediateData.entryOf(receives[slot]),
        slot,
        lengthsBytes[slot]);
  }

  /**
   * Says behind its pieces that a gathered message is in its receive; when the peer's device has
   * that, so is the message.
   */
  void addWritten(int slot) {
    control.addNumber(
        ControlMessage.WRITTEN,
        ImmediateData.slotOf(receives[slot]),
        ImmediateData.entryOf(receives[slot]),
        slot,
        lengthsBytes[slot]);
  }

  /**
   * Gives notice of a put behind its pieces; when the peer's device has it, so it has the bytes.
   */
  void addPutNotice(int slot, int notice) {
    control.addPutNotice(notice, slot, lengthsBytes[slot]);
  }

  void failTooLong(int slot) {
    core.requests.fail(
        slot,
        ChannelFailures.tooLong(
            core.route, tags[slot], lengthsBytes[slot], receiveLengthsBytes[slot]));
  }

  /** The peer's device has all of the message, or all of a put or get is done. */
  void succeed(int slot) {
    core.requests.succeed(slot, lengthsBytes[slot]);
  }
}
