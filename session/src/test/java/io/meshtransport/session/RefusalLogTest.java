// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RefusalLogTest {
  private final RefusalLog log = new RefusalLog();

  @Test
  void shouldSayOnceWhatIsWrongWithAPeerThatComesBack() {
    assertTrue(log.isNews("b", "its slots have 512 bytes"));
    assertFalse(log.isNews("b", "its slots have 512 bytes"));
    assertTrue(log.isNews("c", "its slots have 512 bytes"));
    assertTrue(log.isNews("b", "its name is 'a'"));
    assertFalse(log.isNews("b", "its name is 'a'"));
  }

  @Test
  void shouldSayItAgainAfterAConnection() {
    assertTrue(log.isNews("b", "late"));
    log.connected("b");
    assertTrue(log.isNews("b", "late"));
  }

  @Test
  void shouldForgetThePeerThatWasRefusedLongestAgo() {
    for (int i = 0; i <= RefusalLog.MAX_PEERS; i++) {
      assertTrue(log.isNews("peer " + i, "late"));
    }
    assertFalse(log.isNews("peer 1", "late"));
    assertTrue(log.isNews("peer 0", "late"));
  }
}
