// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.device.HostWatch;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Finds sends that wait although the peer has posted their receives, because nothing tests their
 * channel: the announcement lies unread. After MESH_TIMEOUT_MS without a test it is read from here,
 * so that the messages leave, and a warning says what the program should do. A channel that is
 * tested costs nothing for this; others a check at each turn of {@link HostWatch}, whose thread
 * this is confined to.
 */
public final class StalledSends {
  private static final Logger LOG = LogManager.getLogger(StalledSends.class);

  private final long patienceNs;

  /**
   * @param patienceNs how long a channel with waiting sends may go untested
   */
  public StalledSends(long patienceNs) {
    this.patienceNs = patienceNs;
  }

  /**
   * Looks at all channels once.
   *
   * @param nowNs clock of System.nanoTime
   */
  public void look(Iterable<? extends MeshChannel> channels, long nowNs) {
    for (MeshChannel channel : channels) {
      if (channel instanceof UntestedChannel sending) {
        String warning = sending.pollUntested(nowNs, patienceNs);
        if (!warning.isEmpty()) {
          LOG.warn(warning);
        }
      }
    }
  }
}
