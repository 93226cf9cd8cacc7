// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class MtuTest {
  @Test
  void shouldTranslateMtusInBothDirections() {
    for (int code = 1; code <= 5; code++) {
      assertEquals(code, Mtu.toCode(Mtu.ofCode(code)));
    }
    assertEquals(4096, Mtu.ofCode(5));
  }
}
