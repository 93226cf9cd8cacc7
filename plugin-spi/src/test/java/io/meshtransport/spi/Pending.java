// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.List;
import java.util.stream.Stream;

/** A request under way. Belongs to the thread of its channel. */
record Pending(Channel channel, long request) {
  Pending {
    assertTrue(request >= 0, () -> "not begun: " + request + " from " + channel);
  }

  /**
   * How it ended.
   *
   * @param result what test() said last
   * @param failure why, if it said FAILED; else null
   */
  record Outcome(long result, TransportException failure) {
    /** The length in bytes, insisting that it went well. */
    long lengthBytes() {
      assertTrue(failure == null, () -> "failed: " + failure);
      return result;
    }

    TransportException.Reason reason() {
      assertTrue(failure != null, () -> "went well with " + result + " bytes");
      return failure.reason();
    }
  }

  /** One test(), with the failure collected before another one covers it. Null while pending. */
  private Outcome poll() {
    long result = channel.test(request);
    if (result == Channel.PENDING) {
      return null;
    }
    return new Outcome(result, result == Channel.FAILED ? channel.failure(request) : null);
  }

  /** Waits for its end. */
  Outcome finish() {
    return finish(this).get(0);
  }

  /**
   * Waits for the end of all, testing them in turn: an implementation may move messages along only
   * while both ends are looked at.
   *
   * @return in the order given
   */
  static List<Outcome> finish(Pending... requests) {
    Outcome[] outcomes = new Outcome[requests.length];
    long begin = System.nanoTime();
    int open = requests.length;
    while (open > 0) {
      for (int i = 0; i < requests.length; i++) {
        if (outcomes[i] == null) {
          outcomes[i] = requests[i].poll();
          open -= outcomes[i] == null ? 0 : 1;
        }
      }
      if (System.nanoTime() - begin > ContractChapter.PATIENCE.toNanos()) {
        fail(
            open
                + " of "
                + requests.length
                + " requests never ended: "
                + List.of(outcomesOf(outcomes)));
      }
      // On a busy host, a yield may take as long as all that is waited for.
      if (open > 0) {
        Thread.yield();
      }
    }
    return List.of(outcomes);
  }

  private static Object[] outcomesOf(Outcome[] outcomes) {
    return Stream.of(outcomes).map(String::valueOf).toArray();
  }
}
