package io.meshtransport.softverbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/** A connection accepted from whomever, whose preamble is awaited. Guarded by the device's lock. */
final class Greeting implements Driver.Ready {
  /** What becomes of it. */
  interface Host {
    /** The preamble is complete and a preamble. */
    void greeted(Greeting greeting);

    /** The connection ended or brought something else. */
    void failed(Greeting greeting, String why);
  }

  private final SocketChannel channel;
  private final Host host;
  private final long deadlineNs;
  private final ByteBuffer preamble = ByteBuffer.allocate(Preamble.LENGTH_BYTES);

  Greeting(SocketChannel channel, Host host, long deadlineNs) {
    this.channel = channel;
    this.host = host;
    this.deadlineNs = deadlineNs;
  }

  SocketChannel channel() {
    return channel;
  }

  long deadlineNs() {
    return deadlineNs;
  }

  boolean isComplete() {
    return !preamble.hasRemaining();
  }

  /** The wire it was dialled for, as seen from here. */
  WireEnds ends() {
    return Preamble.decode(preamble);
  }

  @Override
  public void ready(SelectionKey key) {
    try {
      if (channel.read(preamble) < 0) {
        host.failed(this, "the connection was closed");
      } else if (isComplete()) {
        // What follows is for the trunk; while this waits for its queue pair it is not read.
        key.interestOps(0);
        judge();
      }
    } catch (IOException e) {
      host.failed(this, e.getMessage());
    }
  }

  @Override
  public void broke(Throwable failure) {
    host.failed(this, failure.toString());
  }

  private void judge() {
    if (Preamble.isValid(preamble)) {
      host.greeted(this);
    } else {
      host.failed(this, "not a preamble of version " + Preamble.VERSION);
    }
  }
}
