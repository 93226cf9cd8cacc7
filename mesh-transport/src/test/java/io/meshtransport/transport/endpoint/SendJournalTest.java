// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SendJournalTest {
  private final SendJournal journal = new SendJournal();

  private void add(int kind, int index) {
    journal.add(kind, index, 0, true);
  }

  @Test
  void shouldForgetWhatACompletionCovers() {
    journal.add(WorkRequestId.LAST_PART, 3, 0, false);
    journal.add(WorkRequestId.PIECE, 4, 0, false);
    journal.add(WorkRequestId.CONTROL, 5, 16, true);
    journal.add(WorkRequestId.LAST_PART, 6, 0, false);

    journal.acknowledged();

    assertEquals(1, journal.size());
    assertEquals(6, journal.index(0));
    assertEquals(2, journal.messagesOver());
  }

  @Test
  void shouldNoteWhatIsHeldWithoutLettingItGo() {
    assertTrue(journal.add(WorkRequestId.PART, 1, 0, true));
    journal.hold();
    assertFalse(journal.add(WorkRequestId.LAST_PART, 1, 0, true));
    assertTrue(journal.isPosted(0));
    assertFalse(journal.isPosted(1));
    assertTrue(journal.isAnyPosted());

    journal.acknowledged();

    assertFalse(journal.isAnyPosted());
    journal.release();
    assertTrue(journal.add(WorkRequestId.REPORT, 0, 0, true));
    assertEquals(2, journal.size());
  }

  @Test
  void shouldFindWhatIsOverByTheMessagesThatThePeerHasReceived() {
    add(WorkRequestId.PIECE, 1);
    add(WorkRequestId.LAST_PART, 2);
    add(WorkRequestId.PART, 3);
    add(WorkRequestId.CONTROL, 4);
    add(WorkRequestId.LAST_PIECE, 5);

    assertEquals(0, journal.countOver(0));
    assertEquals(2, journal.countOver(1));
    assertEquals(4, journal.countOver(2));
    assertEquals(-1, journal.countOver(3), "there was no third");
    journal.acknowledged();
    journal.acknowledged();
    assertEquals(-1, journal.countOver(0), "one is acknowledged");
    assertEquals(0, journal.countOver(1));
    journal.hold();
    add(WorkRequestId.CONTROL, 6);
    assertEquals(-1, journal.countOver(3), "it was not sent");
  }

  @Test
  void shouldCountNoMessageThatIsDropped() {
    add(WorkRequestId.CONTROL, 1);
    add(WorkRequestId.CONTROL, 2);
    journal.drop(0);

    assertEquals(SendJournal.DROPPED, journal.kind(0));
    assertEquals(2, journal.countOver(1));
    assertEquals(-1, journal.countOver(2));
    journal.removeFirst();
    assertEquals(0, journal.messagesOver());
  }

  @Test
  void shouldKeepTheOrderWhileItGrowsAndIsGoneThroughOnce() {
    for (int index = 0; index < 10; index++) {
      add(WorkRequestId.CONTROL, index);
      journal.acknowledged();
    }
    for (int index = 0; index < 100; index++) {
      journal.add(WorkRequestId.CONTROL, index, index, index % 2 == 0);
    }
    journal.neutralize(7);
    for (int index = 0; index < 100; index++) {
      assertEquals(index == 7 ? 0 : index, journal.index(0));
      assertEquals(index == 7 ? WorkRequestId.REPORT : WorkRequestId.CONTROL, journal.kind(0));
      assertEquals(index, journal.lengthBytes(0));
      assertEquals(index % 2 == 0, journal.isSignaled(0));
      journal.takeFirst();
      journal.add(WorkRequestId.CONTROL, index, index, true);
    }
    assertEquals(100, journal.size());
    assertEquals(10, journal.messagesOver(), "what is taken out is not over");
  }
}
