// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.Counter;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelFailures;

/**
 * Finds out whether sends of one channel wait while no caller polls it; see {@link StalledSends}.
 * Confined to the channel's lock.
 */
final class UntestedSends {
  private final ChannelCore core;
  private final TaggedSends sends;

  /** Polls counted at the last {@link #poll}, and since when there were no others. */
  private long pollsSeen = -1;

  private long untestedSinceNs;
  private boolean isWarned;

  UntestedSends(ChannelCore core, TaggedSends sends) {
    this.core = core;
    this.sends = sends;
  }

  /**
   * Polls the channel if sends have waited on it, unpolled, for too long.
   *
   * @param patienceNs how long is too long
   * @return what to warn of, the first time that messages left by this; else an empty string
   */
  String poll(long nowNs, long patienceNs) {
    long polls = core.requests.counts().get(Counter.POLLS);
    int waiting = sends.unmatched();
    if (waiting == 0 || polls != pollsSeen || !core.isReady()) {
      pollsSeen = polls;
      untestedSinceNs = nowNs;
      return "";
    }
    long untestedNs = nowNs - untestedSinceNs;
    if (untestedNs < patienceNs) {
      return "";
    }
    int tag = sends.pollForOldest();
    pollsSeen = core.requests.counts().get(Counter.POLLS);
    if (isWarned || sends.unmatched() == waiting) {
      return "";
    }
    isWarned = true;
    return ChannelFailures.untested(core.route, tag, untestedNs, patienceNs);
  }
}
