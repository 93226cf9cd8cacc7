// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;

/**
 * Every pair of states of each life cycle over TCP: exactly the arrows of its picture are allowed.
 */
class TcpStatesTest {
  private static <S> void expect(Set<String> arrows, S[] states, BiPredicate<S, S> mayBecome) {
    for (S from : states) {
      for (S to : states) {
        String arrow = from + " " + to;
        assertEquals(arrows.contains(arrow), mayBecome.test(from, to), arrow);
      }
    }
  }

  @Test
  void shouldAllowExactlyTheArrowsOfAStream() {
    expect(
        Set.of(
            "CONNECTING OPENED",
            "CONNECTING FINISHING",
            "OPENED CONNECTED",
            "OPENED CONNECTING",
            "OPENED FINISHING",
            "OPENED CLOSED",
            "CONNECTED CONNECTING",
            "CONNECTED FINISHING",
            "CONNECTED CLOSED",
            "FINISHING CLOSED"),
        TcpStreamState.values(),
        TcpStreamState::mayBecome);
  }

  @Test
  void shouldAllowExactlyTheArrowsOfAMuxConnection() {
    expect(
        Set.of(
            "UP FINISHING",
            "FINISHING DRAINING",
            "UP CLOSED",
            "FINISHING CLOSED",
            "DRAINING CLOSED"),
        MuxConnectionState.values(),
        MuxConnectionState::mayBecome);
  }

  @Test
  void shouldAllowExactlyTheArrowsOfAPendingConnection() {
    expect(
        Set.of(
            "ACCEPTED WAITING", "ACCEPTED CHALLENGED", "WAITING CHALLENGED", "CHALLENGED PROVED"),
        PendingConnectionState.values(),
        PendingConnectionState::mayBecome);
  }

  @Test
  void shouldAllowExactlyTheArrowsOfAConnector() {
    expect(
        Set.of(
            "IDLE DIALLING",
            "IDLE PAUSING",
            "PAUSING IDLE",
            "DIALLING PROVING",
            "DIALLING IDLE",
            "PROVING IDLE"),
        TcpConnectorState.values(),
        TcpConnectorState::mayBecome);
  }

  @Test
  void shouldAllowExactlyTheArrowsOfTheDriversThread() {
    expect(
        Set.of("RUNNING DRIVING", "DRIVING RUNNING", "RUNNING PARKED", "PARKED RUNNING"),
        DriverThreadState.values(),
        DriverThreadState::mayBecome);
  }
}
