// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import io.meshtransport.spi.TransportException.Reason;

/**
 * What lies between both ends of a channel: matches sends to receives and copies. Everything is
 * guarded by this object's monitor, and both ends wait on it.
 */
final class InMemoryPipe {
  final InMemoryEnd sender;
  final InMemoryEnd receiver;

  InMemoryPipe(InMemoryTransport from, InMemoryTransport to) {
    sender = new InMemoryEnd(this, from, to.id().substring(0, 8));
    receiver = new InMemoryEnd(this, to, from.id().substring(0, 8));
  }

  InMemoryEnd peerOf(InMemoryEnd end) {
    return end == sender ? receiver : sender;
  }

  /** Called in the monitor after either end has begun a request. */
  void match() {
    sender.expire();
    receiver.expire();
    // At least a receive may have been posted.
    sender.moved();
    InMemoryRequest send = null;
    while ((send = sender.firstAfter(send)) != null) {
      InMemoryRequest receive = receiver.firstWaitingFor(send.tags[0]);
      if (receive != null) {
        deliver(send, receive, receive.waitingFor(send.tags[0]));
      }
    }
    notifyAll();
  }

  private void deliver(InMemoryRequest send, InMemoryRequest receive, int index) {
    long length = send.lengthsBytes[0];
    long room = receive.lengthsBytes[index];
    if (length > room) {
      String text = "a message of " + length + " bytes for a receive of " + room;
      send.fail(new TransportException(Reason.MESSAGE_TOO_LONG, text));
      receive.fail(new TransportException(Reason.MESSAGE_TOO_LONG, text));
      return;
    }
    send.memories[0].copyTo(
        receive.memories[index], send.offsetsBytes[0], receive.offsetsBytes[index], length);
    receive.arrive(index, length);
    receiver.moved();
    send.arrive(0, length);
  }
}
