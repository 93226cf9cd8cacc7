// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.CompletionKind;

/**
 * What has come from the peer beside the ends of requests, until the program has polled it.
 * Confined to the channel's lock.
 */
public final class Arrivals {
  /** What the peer has given notice of. */
  public final NoticeQueue notices = new NoticeQueue();

  /** What has come into multi-receives, if a poller is to report it. */
  public final MessageQueue messages = new MessageQueue();

  private final Attendance attendance;

  Arrivals(Attendance attendance) {
    this.attendance = attendance;
  }

  /**
   * A notice of the peer's has come, for which there is space.
   *
   * @param kind NOTICE or UNEXPECTED
   * @param number the program's of a put, or the tag of a message
   */
  public void noticeReceived(CompletionKind kind, int number, long lengthBytes) {
    notices.add(kind, number, lengthBytes);
    attendance.attendant().noticed();
  }

  /** A message has come into the multi-receive of a slot. */
  public void messageReceived(int slot, long offsetBytes, long lengthBytes) {
    ChannelAttendant attendant = attendance.attendant();
    if (attendant.isPoller()) {
      messages.add(slot, offsetBytes, lengthBytes);
      attendant.messageReceived();
    }
  }
}
