// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.meshtransport.spi.TransportException.Reason;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TransportExceptionTest {
  /** Reasons that can pass without a change of a setting, a cable or a program. */
  private static final Set<Reason> PASSING =
      EnumSet.of(
          Reason.PEER_UNREACHABLE,
          Reason.TIMED_OUT,
          Reason.INTERRUPTED,
          Reason.PEER_GONE,
          Reason.PEER_CLOSED,
          Reason.OUTCOME_UNKNOWN,
          Reason.WITHDRAWN,
          Reason.BUSY,
          Reason.NO_RESOURCES,
          Reason.DEVICE);

  @ParameterizedTest
  @EnumSource
  void shouldSayWhetherARetryHelps(Reason reason) {
    assertEquals(PASSING.contains(reason), reason.retryHelps());
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadAsReasonAndText(Reason reason) {
    TransportException failure = new TransportException(reason, "what, where and why");
    assertSame(reason, failure.reason());
    assertEquals("what, where and why", failure.getMessage());
    assertEquals(reason.name() + ": what, where and why", failure.summary());
    assertEquals(
        "io.meshtransport.spi.TransportException: " + reason + ": what, where and why",
        failure.toString());
    assertNull(failure.getCause());
  }

  @ParameterizedTest
  @EnumSource
  void shouldKeepItsCause(Reason reason) {
    Exception cause = new Exception("below");
    TransportException failure = new TransportException(reason, "above", cause);
    assertSame(cause, failure.getCause());
    assertEquals(reason + ": above", failure.summary());
  }

  @ParameterizedTest
  @EnumSource
  void shouldBeCopiedWhenThrownAgain(Reason reason) {
    TransportException noticed = new TransportException(reason, "text");
    TransportException thrown = noticed.copy();
    assertNotSame(noticed, thrown);
    assertSame(reason, thrown.reason());
    assertEquals("text", thrown.getMessage());
    assertArrayEquals(noticed.getStackTrace(), thrown.getCause().getStackTrace());
    assertFalse(thrown.getCause().toString().contains("text"), "stack traces have the text once");
    assertSame(thrown.getCause(), thrown.copy().getCause(), "one level, however often");

    Exception cause = new Exception("below");
    assertSame(cause, new TransportException(reason, "text", cause).copy().getCause());
  }

  @ParameterizedTest
  @EnumSource
  void shouldStillSayWhetherARetryHelpsWhenMadeAgain(Reason reason) {
    for (boolean helps : new boolean[] {true, false}) {
      TransportException thrown = new TransportException(reason, "text", helps).copy();
      assertEquals(helps, thrown.retryHelps());
      assertEquals(helps, thrown.copy().retryHelps());
    }
  }
}
