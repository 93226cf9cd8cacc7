// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

/** Messages that a member sends at a pace, on a thread of their own, until the talk is ended. */
final class SteadyTalk {
  /** Sends one message. */
  interface Speech {
    void sayOne() throws Exception;
  }

  private final Speech speech;
  private final MemberCommand.KeepSaying command;
  private final long beginNs = System.nanoTime();
  private final Thread thread = new Thread(this::run, "steady-talk");
  private volatile boolean ending;

  // Of the thread; read once it has been joined.
  private long messages;
  private Exception failure;

  private SteadyTalk(Speech speech, MemberCommand.KeepSaying command) {
    this.speech = speech;
    this.command = command;
  }

  static SteadyTalk begin(Speech speech, MemberCommand.KeepSaying command) {
    SteadyTalk talk = new SteadyTalk(speech, command);
    talk.thread.setDaemon(true);
    talk.thread.start();
    return talk;
  }

  private void run() {
    try {
      while (!ending) {
        speech.sayOne();
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
  MemberEvent.Said end() throws Exception {
    ending = true;
    thread.join();
    if (failure != null) {
      throw failure;
    }
    return new MemberEvent.Said(
        messages, messages * command.lengthBytes(), GroupChannel.millisSince(beginNs));
  }
}
