// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import io.meshtransport.spi.TransportException.Reason;

/**
 * What lies between both ends of a channel or connection: matches sends to receives and copies.
 * Everything is guarded by this object's monitor, and both ends wait on it.
 */
final class InMemoryPipe {
  final InMemoryEnd sender;
  final InMemoryEnd receiver;
  private final boolean bothWays;

  /**
   * @param bothWays whether it is of a connection
   */
  InMemoryPipe(
      boolean bothWays,
      InMemoryTransport from,
      ConnectOptions fromOptions,
      InMemoryTransport to,
      ConnectOptions toOptions) {
    this.bothWays = bothWays;
    int requests = Math.min(fromOptions.requests(), toOptions.requests());
    sender = new InMemoryEnd(this, from, to.self(), fromOptions, requests, toOptions.hello());
    receiver = new InMemoryEnd(this, to, from.self(), toOptions, requests, fromOptions.hello());
  }

  boolean isBothWays() {
    return bothWays;
  }

  InMemoryEnd peerOf(InMemoryEnd end) {
    return end == sender ? receiver : sender;
  }

  /**
   * Called in the monitor: deadlines pass at both ends, whichever of them is polled, and what was
   * held back for a notice goes on.
   */
  void expire() {
    sender.expire();
    receiver.expire();
    boolean hasGoneOn = sender.carryOutHeld();
    hasGoneOn |= receiver.carryOutHeld();
    if (hasGoneOn) {
      matchBoth();
    }
  }

  /** Called in the monitor after notices were polled: there is space for more. */
  void polled() {
    expire();
    matchBoth();
  }

  /** Called in the monitor after either end has begun a request. */
  void match() {
    expire();
    // At least a receive may have been posted.
    sender.moved();
    receiver.moved();
    matchBoth();
  }

  private void matchBoth() {
    match(sender, receiver);
    match(receiver, sender);
    notifyAll();
  }

  private static void match(InMemoryEnd from, InMemoryEnd to) {
    InMemoryRequest send = null;
    while ((send = from.firstAfter(send, CompletionKind.SENT)) != null
        && send.number < from.firstHeld()) {
      InMemoryRequest receive = to.firstWaitingFor(send.tags[0]);
      if (receive != null) {
        deliver(send, receive, receive.waitingFor(send.tags[0]));
      } else {
        to.unexpected(send);
      }
    }
  }

  /** The cable breaks: both ends fail. */
  void cut() {
    synchronized (this) {
      sender.fail(new TransportException(Reason.PEER_GONE, sender.route() + ": the cable was cut"));
      receiver.fail(
          new TransportException(Reason.PEER_GONE, receiver.route() + ": the cable was cut"));
      notifyAll();
    }
  }

  /** One end is told that the other's node is gone; that one notices it by itself. */
  void peerGone(InMemoryEnd end, String evidence) {
    synchronized (this) {
      end.fail(
          new TransportException(
              Reason.PEER_GONE, end.route() + ": the node counts as gone: " + evidence));
      peerOf(end).fail(new TransportException(Reason.PEER_GONE, peerOf(end).route() + ": gave up"));
      notifyAll();
    }
  }

  private static void deliver(InMemoryRequest send, InMemoryRequest receive, int index) {
    long length = send.lengthsBytes[0];
    long capacity = receive.longestBytes(index);
    if (length > capacity) {
      String text = "a message of " + length + " bytes for a receive of " + capacity;
      send.fail(new TransportException(Reason.MESSAGE_TOO_LONG, text));
      receive.fail(new TransportException(Reason.MESSAGE_TOO_LONG, text));
      return;
    }
    send.memories[0].copyTo(
        receive.memories[index], send.offsetsBytes[0], receive.offsetBytes(index), length);
    receive.arrive(index, length);
    send.arrive(0, length);
  }
}
