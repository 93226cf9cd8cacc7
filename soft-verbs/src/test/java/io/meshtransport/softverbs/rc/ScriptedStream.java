// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.PayloadViews;
import io.meshtransport.verbs.WireKey;
import java.nio.ByteBuffer;

/**
 * A stream whose other end is the test: it counts what the queue pair calls, sends only when the
 * test fetches a frame, and delivers the frames that the test makes.
 */
final class ScriptedStream implements FrameStream {
  /** A frame that the queue pair has sent. */
  record Sent(FrameHeader header, byte[] payload) {}

  final StreamListener listener;
  final StreamAddress ends;
  final WireKey key;
  int flushes;
  int deferredFlushes;
  int deferredBytes;
  int probes;
  int startsOver;
  int lastRound;
  boolean isAnswerDue;
  boolean isFinished;

  /** Whether it was abandoned with a reset, or null. */
  Boolean abandonedWithReset;

  /** The result of the next probes. */
  long signOfLifeNs = NO_SIGN_OF_LIFE;

  /** The result of {@link #peerLoss}. */
  int loss;

  /** What the next probe throws, or null. */
  RuntimeException failure;

  ScriptedStream(StreamListener listener, StreamAddress ends, WireKey key) {
    this.listener = listener;
    this.ends = ends;
    this.key = key;
  }

  /** The next frame of the queue pair, or null. */
  Sent fetch() {
    return fetch(FrameHeader.MAX_PAYLOAD_BYTES);
  }

  /** As {@link #fetch()}, with at most so much payload. */
  Sent fetch(int maxPayloadBytes) {
    FrameHeader header = new FrameHeader();
    header.maxPayloadBytes = maxPayloadBytes;
    PayloadViews views = new PayloadViews();
    if (!listener.nextFrame(header, views)) {
      if (views.size() > 0) {
        throw new AssertionError("no frame, but " + views.size() + " views of memory");
      }
      return null;
    }
    byte[] payload = new byte[header.payloadBytes];
    views.copyTo(ByteBuffer.wrap(payload), 0);
    views.clear();
    return new Sent(header, payload);
  }

  /**
   * A frame arrives; its payload is as long as its header says. Returns how much of it was read.
   */
  int arrive(FrameHeader header, byte... payload) {
    PayloadViews target = new PayloadViews();
    listener.beginFrame(header, target);
    ByteBuffer source = ByteBuffer.wrap(payload);
    target.copyFrom(source);
    target.clear();
    listener.endFrame(header);
    return source.position();
  }

  @Override
  public void flush() {
    flushes++;
  }

  @Override
  public void flushSoon(int lengthBytes) {
    deferredFlushes++;
    deferredBytes += lengthBytes;
  }

  @Override
  public void setAnswerDue(boolean isDue) {
    isAnswerDue = isDue;
  }

  @Override
  public boolean areAnswersDue() {
    return isAnswerDue;
  }

  @Override
  public void readNow(int round) {
    lastRound = round;
  }

  @Override
  public long probe(long nowNs) {
    probes++;
    if (failure != null) {
      throw failure;
    }
    return signOfLifeNs;
  }

  @Override
  public int peerLoss(long nowNs, long silentNs, long boundNs) {
    return loss;
  }

  @Override
  public String text() {
    return "scripted";
  }

  @Override
  public void finish() {
    isFinished = true;
  }

  @Override
  public void abandon(boolean isReset) {
    abandonedWithReset = isReset;
  }

  @Override
  public FrameStream startOver() {
    startsOver++;
    return this;
  }
}
