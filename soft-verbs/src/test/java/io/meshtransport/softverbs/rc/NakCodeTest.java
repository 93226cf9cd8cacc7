// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** The codes of frames that refuse a request. */
class NakCodeTest {
  @Test
  void shouldFindEveryCodeAgain() {
    for (NakCode code : NakCode.values()) {
      assertEquals(code, NakCode.ofCode(code.code()));
    }
  }

  @Test
  void shouldDecodeAnUnknownCodeAsAnOperationalError() {
    assertEquals(NakCode.REMOTE_OPERATION, NakCode.ofCode(4));
    assertEquals(NakCode.REMOTE_OPERATION, NakCode.ofCode(255));
    assertEquals(NakCode.REMOTE_OPERATION, NakCode.ofCode(-1));
  }
}
