// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.ReduceOp;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * {@link OneOffForms} after an interrupt, on two ranks: rank 0 comes when rank 1 was interrupted.
 */
@Tag("slow")
class OneOffFormsTest {
  private final CountDownLatch interrupted = new CountDownLatch(1);
  private LoopbackGroup pair;

  @BeforeEach
  void join() throws Exception {
    pair = LoopbackGroup.mesh(2);
    pair.together(group -> sum(group, 0));
  }

  @AfterEach
  void close() {
    pair.close();
  }

  private static float sum(Group group, float value) throws CollectiveException {
    float[] values = {value};
    group.allReduce(values, ReduceOp.SUM);
    return values[0];
  }

  private static CollectiveException failure(Group group, float[] values) {
    return assertThrows(CollectiveException.class, () -> group.allReduce(values, ReduceOp.SUM));
  }

  private static Reason reason(Group group, float[] values) {
    return failure(group, values).reason();
  }

  /** Interrupts this thread in a call, and answers what the failure says of what follows. */
  private static String afterInterrupt(Group group, float[] values) {
    Thread.currentThread().interrupt();
    CollectiveException failed = failure(group, values);
    assertTrue(Thread.interrupted(), "it stays set");
    assertEquals(Reason.INTERRUPTED, failed.reason());
    return failed.getMessage().replaceFirst(".*: the waiting thread was interrupted\\. ", "");
  }

  private void awaitInterrupt() throws InterruptedException {
    assertTrue(interrupted.await(LoopbackGroup.SOON.toSeconds(), TimeUnit.SECONDS));
  }

  @Test
  void shouldStartItsRunAfterThatOfAnInterruptedCall() throws Exception {
    pair.together(
        group -> {
          if (group.rank() == 0) {
            awaitInterrupt();
            assertEquals(
                11, sum(group, 1), "with what rank 1 gave to the call that was interrupted");
          } else {
            float[] values = {10};
            String goesOn = "The run goes on unless its operation is closed.";
            assertEquals(goesOn, afterInterrupt(group, values));
            interrupted.countDown();
            assertEquals(102, sum(group, 100));
            assertArrayEquals(new float[] {10}, values);
            return null;
          }
          assertEquals(102, sum(group, 2));
          return null;
        });
    pair.together(
        group -> {
          assertEquals(1, sum(group, group.rank()));
          return null;
        });
  }

  @Test
  void shouldFailTheGroupIfItIsInterruptedBeforeItsRunBegins() throws Exception {
    pair.together(
        group -> {
          if (group.rank() == 0) {
            awaitInterrupt();
            assertEquals(Reason.ABORTED, reasonOfOneOfTwo(group));
          } else {
            afterInterrupt(group, new float[1]);
            assertEquals(
                "The group has failed with it, since the next run could not begin.",
                afterInterrupt(group, new float[1]));
            interrupted.countDown();
            assertEquals(Reason.ABORTED, reason(group, new float[1]));
          }
          return null;
        });
  }

  /** The first call of a form and count prepares it, for which every rank is needed. */
  @Test
  void shouldFailTheGroupIfItIsInterruptedInTheFirstCall() throws Exception {
    pair.together(
        group -> {
          if (group.rank() == 0) {
            awaitInterrupt();
            assertEquals(Reason.ABORTED, reason(group, new float[2]));
          } else {
            String ended = afterInterrupt(group, new float[2]);
            interrupted.countDown();
            assertTrue(ended.startsWith("The group has failed with it on every rank"), ended);
            assertEquals(Reason.ABORTED, reason(group, new float[2]));
          }
          return null;
        });
  }

  /** The first may complete with the run that rank 1 has begun and left; the second cannot. */
  private static Reason reasonOfOneOfTwo(Group group) {
    try {
      sum(group, 1);
    } catch (CollectiveException e) {
      return e.reason();
    }
    return reason(group, new float[1]);
  }
}
