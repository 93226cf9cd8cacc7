// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.failover;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class FailoverFaultTest {
  @Test
  void shouldSetAGapBesideTheGoalForWhatTheEndsNotice() {
    assertEquals(
        "300 ms, within the goal of 300 ms for a lost carrier",
        FailoverFault.PULLED.besideGoal(300));
    assertEquals(
        "301 ms, beyond the goal of 300 ms for a lost carrier, as a busy host may have it",
        FailoverFault.FLAPPING.besideGoal(301));
    assertEquals(
        "1300 ms, within the goal of 2000 ms for silence", FailoverFault.SILENT.besideGoal(1300));
    assertEquals(
        "2001 ms, beyond the goal of 2000 ms for silence, as a busy host may have it",
        FailoverFault.SILENT.besideGoal(2001));
  }
}
