// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

/**
 * What every member does at once.
 *
 * @param messageBytes payload of a message, at least 1
 * @param threads of each member that send, at least 1; each waits for its answer before it goes on
 *     where there is one
 * @param readPercentage of UPerf's calls 0 to 100: reads return a payload, writes carry one to both
 *     others
 * @param seconds how long, at least 1
 */
record Load(int messageBytes, int threads, int readPercentage, int seconds) {
  Load {
    if (messageBytes < 1 || threads < 1 || seconds < 1) {
      throw new IllegalArgumentException(
          "%d bytes, %d threads, %d s: each must be 1 at least"
              .formatted(messageBytes, threads, seconds));
    }
    if (readPercentage < 0 || readPercentage > 100) {
      throw new IllegalArgumentException(readPercentage + " % of reads");
    }
  }

  /** The same, for this long. */
  Load lasting(int otherSeconds) {
    return new Load(messageBytes, threads, readPercentage, otherSeconds);
  }
}
