// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

/** Messages that a member sends at a pace, on a thread of their own, until {@link #end}. */
final class PacedSender {
  /** Sends one message. */
  interface Message {
    void send() throws Exception;
  }

  private final Message message;
  private final MemberCommand.StartSending command;
  private final long beginNs = System.nanoTime();
  private final Thread thread = new Thread(this::run, "paced-sender");
  private volatile boolean ending;

  // Of the thread; read once it has been joined.
  private long messages;
  private Exception failure;

  private PacedSender(Message message, MemberCommand.StartSending command) {
    this.message = message;
    this.command = command;
  }

  static PacedSender begin(Message message, MemberCommand.StartSending command) {
    PacedSender sender = new PacedSender(message, command);
    sender.thread.setDaemon(true);
    sender.thread.start();
    return sender;
  }

  private void run() {
    try {
      while (!ending) {
        message.send();
        messages++;
        GroupChannel.keepPace(beginNs, messages, command.perSecond());
      }
    } catch (Exception e) {
      failure = e;
    }
  }

  /**
   * Waits until the last message is sent.
   *
   * @throws Exception the failure that ended it before its time
   */
  MemberEvent.Sent end() throws Exception {
    ending = true;
    thread.join();
    if (failure != null) {
      throw failure;
    }
    return new MemberEvent.Sent(
        messages, messages * command.lengthBytes(), GroupChannel.millisSince(beginNs));
  }
}
