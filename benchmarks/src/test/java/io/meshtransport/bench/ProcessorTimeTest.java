// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ProcessorTimeTest {
  private static final String FIELDS = " S 1 2 3 0 -1 4194368 5 0 6 0 70 30 0 0 20 0 21 0 99 0 0";

  @Test
  void shouldCountUserSpaceAndKernelOfACompiler() {
    assertEquals(1_000_000_000, ProcessorTime.ofCompiler("17 (C2 CompilerThre)" + FIELDS));
    assertEquals(1_000_000_000, ProcessorTime.ofCompiler("18 (C1 CompilerThre)" + FIELDS));
  }

  @Test
  void shouldCountNoOtherThreadWhateverItsName() {
    assertEquals(0, ProcessorTime.ofCompiler("19 (C2) (CompilerTh)" + FIELDS));
    assertEquals(0, ProcessorTime.ofCompiler("20 (G1 Service)" + FIELDS));
  }

  @Test
  void shouldKnowWhatThisProcessHasTaken() {
    ProcessorTime now = ProcessorTime.now();

    assertTrue(now.allNanos() > 0, now.toString());
    assertTrue(now.compilerNanos() >= 0 && now.workNanos() > 0, now.toString());
  }

  /** A thread can end between two system calls: a stress that can hit that, not one that must. */
  @Test
  @Tag("slow")
  void shouldCountWhileThreadsEnd() throws InterruptedException {
    AtomicBoolean isOver = new AtomicBoolean();
    Thread starter =
        new Thread(
            () -> {
              while (!isOver.get()) {
                new Thread(() -> {}).start();
              }
            });
    starter.start();
    try {
      for (int look = 0; look < 300; look++) {
        assertTrue(ProcessorTime.now().compilerNanos() >= 0);
      }
    } finally {
      isOver.set(true);
      starter.join();
    }
  }
}
