// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.PayloadViews;
import org.junit.jupiter.api.Test;

/**
 * The stream of a queue pair without a peer, and the listener of a stream without a queue pair.
 *
 * <p>Also tests {@link StreamListener}.
 */
class FrameStreamTest {
  @Test
  void shouldKnowNothingOfAPeerThatIsNotThere() {
    assertEquals(FrameStream.NO_SIGN_OF_LIFE, FrameStream.NONE.probe(5));
    assertEquals(0, FrameStream.NONE.peerLoss(5, 5, 1));
    assertEquals("", FrameStream.NONE.text());
    assertSame(FrameStream.NONE, FrameStream.NONE.startOver());
  }

  @Test
  void shouldSendNothingForAStreamThatWasAbandoned() {
    assertEquals(StreamListener.Pending.NOTHING, StreamListener.NONE.pending());
    assertFalse(StreamListener.NONE.nextFrame(new FrameHeader(), new PayloadViews()));
  }
}
