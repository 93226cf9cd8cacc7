// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.Gid;
import org.junit.jupiter.api.Test;

/** Which of two ends dials. */
class StreamAddressTest {
  private static final Gid LOW = new Gid(1, 1);

  /** The lower end dials, the other accepts. */
  private static void expectDials(
      Gid gid, int port, int number, Gid higherGid, int higherPort, int higherNumber) {
    StreamAddress lower = new StreamAddress(gid, port, number, higherGid, higherPort, higherNumber);
    assertTrue(lower.isDialler(), lower.toString());
    assertFalse(lower.reversed().isDialler(), lower.toString());
  }

  @Test
  void shouldCompareGidsThenPortsThenNumbers() {
    expectDials(LOW, 9, 9, new Gid(2, 0), 1, 1);
    expectDials(LOW, 9, 9, new Gid(1, 2), 1, 1);
    expectDials(LOW, 1, 9, LOW, 2, 1);
    expectDials(LOW, 1, 1, LOW, 1, 2);
  }

  @Test
  void shouldCompareGidsAsUnsignedNumbers() {
    expectDials(LOW, 1, 1, new Gid(-1, 0), 1, 1);
    expectDials(LOW, 1, 1, new Gid(1, -1), 1, 1);
  }

  @Test
  void shouldNotDialItself() {
    StreamAddress self = new StreamAddress(LOW, 1, 1, LOW, 1, 1);
    assertEquals(0, self.compareEnds());
    assertFalse(self.isDialler());
  }

  @Test
  void shouldNameTheSameStreamFromBothEnds() {
    StreamAddress ends = new StreamAddress(LOW, 1, 2, new Gid(3, 4), 5, 6);
    assertEquals(new StreamAddress(new Gid(3, 4), 5, 6, LOW, 1, 2), ends.reversed());
    assertNotEquals(ends, ends.reversed());
    assertEquals(ends, ends.reversed().reversed());
  }
}
