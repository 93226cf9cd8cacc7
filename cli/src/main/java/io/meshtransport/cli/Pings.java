// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.topology.MessageContent;
import io.meshtransport.topology.WrongContent;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Messages to an {@link Echo} and back, one at a time. Owns the channel back. One thread. */
final class Pings {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final int SIGNIFICANT_DIGITS = 3;

  private final Transport transport;
  private final SendChannel out;
  private final int sizeBytes;
  private final WaitNotice waiting;
  private final Runnable begun;
  private final Histogram nanos = new Histogram(SIGNIFICANT_DIGITS);

  /** From the post of each until this end knew that the peer has it. */
  private final Histogram sendNanos = new Histogram(SIGNIFICANT_DIGITS);

  private long totalNs;
  private long sent;
  private long heardNs = System.nanoTime();
  private volatile boolean stopped;

  /**
   * @param waiting notified of each wait for the peer
   * @param begun notified when the peer has opened its channel back, before the first message
   */
  Pings(Transport transport, SendChannel out, int sizeBytes, WaitNotice waiting, Runnable begun) {
    this.transport = transport;
    this.out = out;
    this.sizeBytes = sizeBytes;
    this.waiting = waiting;
    this.begun = begun;
  }

  /**
   * Sends them all, or until one fails, or {@link #stop}.
   *
   * @param handle where the peer finds this node
   * @param echo the channel that the peer opens back
   * @throws TransportException if that channel does not come about
   */
  PingReport run(byte[] handle, ChannelFuture<ReceiveChannel> echo, int count)
      throws TransportException {
    waiting.begins("the peer to take the first message", TIMEOUT);
    sendSetup(handle);
    waiting.begins("the peer's channel back", TIMEOUT);
    try (ReceiveChannel in = echo.await(TIMEOUT);
        RegisteredMemory memory =
            transport.register(ByteBuffer.allocateDirect(2 * Math.max(1, sizeBytes)))) {
      begun.run();
      waiting.begins("the next message to come back", TIMEOUT);
      String result = PingReport.PASS;
      try {
        while (sent < count && !stopped) {
          pingOnce(in, memory);
        }
        result = sent < count ? PingReport.INTERRUPTED : result;
      } catch (TransportException e) {
        result =
            stopped
                ? PingReport.INTERRUPTED
                : "FAIL: " + e.summary() + (isSilence(e) ? silence() : "");
      } catch (IllegalStateException e) {
        // PingInterruption also closes the transport if an awaited message does not come.
        if (!stopped) {
          throw e;
        }
        result = PingReport.INTERRUPTED;
      } catch (WrongContent e) {
        result = "FAIL: " + e.getMessage();
      }
      return PingReport.of(out.route(), sizeBytes, sent, nanos, totalNs, sendNanos, result);
    }
  }

  /** Begins no further message. Any thread; does not wait. */
  void stop() {
    stopped = true;
  }

  private static boolean isSilence(TransportException failure) {
    return failure.reason() == TransportException.Reason.TIMED_OUT;
  }

  private String silence() {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - heardNs);
    return " The peer was silent for " + seconds + " s (its program may be stopped).";
  }

  private void sendSetup(byte[] handle) throws TransportException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(PingSetup.MAX_LENGTH_BYTES);
    int length = new PingSetup(sizeBytes, handle).writeTo(bytes);
    try (RegisteredMemory memory = transport.register(bytes)) {
      out.send(memory, 0, length, Echo.TAG, TIMEOUT);
    }
  }

  private void pingOnce(ReceiveChannel in, RegisteredMemory memory) throws TransportException {
    ByteBuffer bytes = memory.segments().get(0);
    MessageContent content = new MessageContent(0, "ping", out.route().peer());
    content.fill(bytes, 0, sizeBytes, sent);
    waiting.beginsAgain();
    long begin = System.nanoTime();
    long sequence = sent++;
    long receive = in.irecv(memory, Math.max(1, sizeBytes), sizeBytes, Echo.TAG);
    if (receive == Channel.FAILED) {
      throw in.failure();
    }
    long posted = System.nanoTime();
    out.send(memory, 0, sizeBytes, Echo.TAG, TIMEOUT);
    sendNanos.recordValue(System.nanoTime() - posted);
    waiting.beginsAgain();
    long arrived = in.await(receive, TIMEOUT);
    long roundTripNs = System.nanoTime() - begin;
    if (arrived == Channel.FAILED) {
      throw in.failure(receive);
    }
    if (arrived == Channel.PENDING) {
      throw new TransportException(
          TransportException.Reason.TIMED_OUT,
          in.route()
              + ": no echo of message "
              + sequence
              + " within "
              + TIMEOUT.toSeconds()
              + " s.");
    }
    WrongContent.check(bytes, Math.max(1, sizeBytes), content, sequence, sizeBytes, (int) arrived);
    heardNs = System.nanoTime();
    nanos.recordValue(roundTripNs);
    totalNs += roundTripNs;
  }
}
