// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What was opened is closed again, whatever else goes wrong. */
class RollbackTest {
  private final List<String> closed = new ArrayList<>();

  private AutoCloseable stuck(VerbsException why) {
    return () -> {
      throw why;
    };
  }

  @Test
  void shouldCloseTheRestThoughOneIsStuck() throws Exception {
    VerbsException wanted = new VerbsException(Errno.EIO, "what went wrong");
    VerbsException last = new VerbsException(Errno.EBUSY, "the last is stuck");
    VerbsException second = new VerbsException(Errno.EBUSY, "the second is stuck");
    VerbsException told =
        assertThrows(
            VerbsException.class,
            () -> {
              try (Rollback undo = new Rollback()) {
                undo.on(() -> closed.add("first"));
                undo.on(stuck(second));
                undo.on(() -> closed.add("third"));
                undo.on(stuck(last));
                throw wanted;
              }
            });
    assertSame(wanted, told);
    assertEquals(List.of("third", "first"), closed);
    assertSame(last, told.getSuppressed()[0]);
    assertSame(second, last.getSuppressed()[0]);
  }

  @Test
  void shouldCloseNothingOnceAllIsWell() throws Exception {
    try (Rollback undo = new Rollback()) {
      undo.on(() -> closed.add("kept"));
      undo.keepAll();
    }
    assertEquals(List.of(), closed);
  }
}
