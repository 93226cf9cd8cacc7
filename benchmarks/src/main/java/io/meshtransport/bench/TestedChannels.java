// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.List;

/**
 * One-way channels, each of which is tested in turn: one thread can sleep on one of them, not on
 * several, and a poll costs as much as there are channels.
 */
final class TestedChannels implements PolledConnections {
  private final List<? extends Channel> channels;
  private final RegisteredMemory memory;
  private final int window;
  private final long[][] requests;
  private final long[] posted;
  private final long[] completed;

  /**
   * @param channels all {@link SendChannel}s or all {@link ReceiveChannel}s
   * @param memory of all messages
   * @param window max requests in flight on each channel
   */
  TestedChannels(List<? extends Channel> channels, RegisteredMemory memory, int window) {
    this.channels = channels;
    this.memory = memory;
    this.window = window;
    this.requests = new long[channels.size()][window];
    this.posted = new long[channels.size()];
    this.completed = new long[channels.size()];
  }

  @Override
  public int count() {
    return channels.size();
  }

  @Override
  public void post(int connection, long offsetBytes, long lengthBytes) throws TransportException {
    Channel channel = channels.get(connection);
    long request =
        channel instanceof SendChannel out
            ? out.isend(memory, offsetBytes, lengthBytes, MeshReceives.TAG)
            : ((ReceiveChannel) channel).irecv(memory, offsetBytes, lengthBytes, MeshReceives.TAG);
    requests[connection][(int) (posted[connection] % window)] =
        RequestWaits.requirePosted(channel, request);
    posted[connection]++;
  }

  @Override
  public int poll(Completion completion, long timeoutNs) throws TransportException {
    long seen = channels.get(0).progressCount();
    int reported = testAll(completion);
    if (reported > 0) {
      return reported;
    }
    if (channels.size() > 1) {
      // The peer may need this processor: its thread does not sleep either.
      Thread.yield();
      return 0;
    }
    channels.get(0).awaitProgress(seen, Duration.ofNanos(timeoutNs));
    return testAll(completion);
  }

  private int testAll(Completion completion) throws TransportException {
    int reported = 0;
    for (int connection = 0; connection < requests.length; connection++) {
      // At most those that were in flight: what is posted meanwhile waits for the next poll.
      long end = posted[connection];
      while (completed[connection] < end) {
        long outcome = testOldest(connection);
        if (outcome == Channel.PENDING) {
          break;
        }
        completed[connection]++;
        reported++;
        completion.completed(connection, outcome);
      }
    }
    return reported;
  }

  private long testOldest(int connection) throws TransportException {
    Channel channel = channels.get(connection);
    long request = requests[connection][(int) (completed[connection] % window)];
    long outcome = channel.test(request);
    if (outcome == Channel.FAILED) {
      throw channel.failure(request);
    }
    return outcome;
  }
}
