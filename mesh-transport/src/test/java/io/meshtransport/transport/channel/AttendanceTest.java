// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Also tests {@link Arrivals}, which go to the attendant of now. */
class AttendanceTest {
  /** Records what it hears. */
  static final class RecordingAttendant implements ChannelAttendant {
    final List<String> heard = new ArrayList<>();
    private final boolean isPoller;

    RecordingAttendant(boolean isPoller) {
      this.isPoller = isPoller;
    }

    @Override
    public boolean isPoller() {
      return isPoller;
    }

    @Override
    public void begun(long deadlineNs) {
      heard.add("begun");
    }

    @Override
    public void ended(int slot) {
      heard.add("ended " + slot);
    }

    @Override
    public void noticed() {
      heard.add("noticed");
    }

    @Override
    public void messageReceived() {
      heard.add("message");
    }

    @Override
    public void deferred() {
      heard.add("deferred");
    }

    @Override
    public void replaced() {
      heard.add("replaced");
    }

    @Override
    public void over(TransportException why) {
      heard.add("over " + why.reason());
    }
  }

  private final Requests requests = new Requests(4);
  private final Attendance attendance = new Attendance(CoreStatusTest.ROUTE, requests);
  private final Arrivals arrivals = new Arrivals(attendance);
  private final RecordingAttendant thread = new RecordingAttendant(false);
  private final RecordingAttendant poller = new RecordingAttendant(true);

  @Test
  void shouldReportADeferralOnceUntilItWasSeen() {
    attendance.begin(thread);
    attendance.deferred();
    attendance.deferred();
    attendance.deferralSeen(true);
    attendance.deferred();
    assertEquals(List.of("deferred"), thread.heard);

    attendance.deferralSeen(false);
    attendance.deferred();
    assertEquals(List.of("deferred", "deferred"), thread.heard);
  }

  @Test
  void shouldReportADeferralToTheNextAttendantAnew() {
    attendance.begin(thread);
    attendance.deferred();
    attendance.replace(poller);
    attendance.deferred();
    assertEquals(List.of("deferred", "replaced"), thread.heard);
    assertEquals(List.of("deferred"), poller.heard);
  }

  @Test
  void shouldHaveTheEndsOfRequestsReportedToTheAttendantOfNow() {
    attendance.begin(thread);
    attendance.replace(poller);
    int slot = requests.begin(0, SendChannel.NO_DEADLINE);
    requests.describe(slot, CompletionKind.SENT, 0);
    requests.fail(slot, new TransportException(Reason.PEER_GONE, "gone"));
    assertEquals(List.of("replaced"), thread.heard);
    assertEquals(List.of("ended " + slot), poller.heard);
  }

  @Test
  void shouldExcludeTheProgramsPollsWhileAPollerHasTheChannel() {
    attendance.begin(thread);
    attendance.requireNoPoller();
    assertFalse(attendance.isPolled());

    attendance.replace(poller);
    assertTrue(attendance.isPolled());
    assertThrows(IllegalStateException.class, attendance::requireNoPoller);
  }

  @Test
  void shouldKeepNoticesForAProgramThatPollsItself() {
    attendance.begin(thread);
    arrivals.noticeReceived(CompletionKind.NOTICE, 7, 4096);
    assertEquals(1, arrivals.notices.size());
    assertEquals(List.of("noticed"), thread.heard);
  }

  @Test
  void shouldReportMessagesOfMultiReceivesToAPollerOnly() {
    attendance.begin(thread);
    arrivals.messageReceived(0, 0, 8);
    assertEquals(List.of(), thread.heard);

    attendance.replace(poller);
    arrivals.messageReceived(0, 8, 8);
    assertEquals(List.of("message"), poller.heard);
  }
}
