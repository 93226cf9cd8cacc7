// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.collectives.Reducer;
import io.meshtransport.spi.RegisteredMemory;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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
  /** Elements of more than 16 MiB. */
  private static final long LONG_COUNT = (4 << 20) + 1;

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
    return consequence(failure(group, values));
  }

  /** What the failure of this thread's call says of what follows from its interrupt. */
  private static String consequence(CollectiveException failed) {
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
            assertEquals(
                "The run goes on with the other ranks, and its result is dropped here. The next call of the same form and count waits for that run first.",
                afterInterrupt(group, values));
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

  /** Interrupts rank 1 in its run, which cannot be complete before rank 0 has reduced its part. */
  private final class Interrupting implements Reducer {
    private final Optional<Thread> other;

    Interrupting(Optional<Thread> other) {
      this.other = other;
    }

    @Override
    public int elementBytes() {
      return DataType.F32.bytes();
    }

    @Override
    public void reduce(ByteBuffer accumulator, ByteBuffer operand) {
      try {
        if (other.isPresent() && interrupted.getCount() > 0) {
          other.get().interrupt();
          awaitInterrupt();
        }
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Memory that is too long to be copied: the call has an operation of its own, and closes it. */
  @Test
  void shouldSayThatTheGroupFailsIfItIsInterruptedWithLongMemory() throws Exception {
    CompletableFuture<Thread> ofOne = new CompletableFuture<>();
    pair.together(
        group -> {
          if (group.rank() == 1) {
            ofOne.complete(Thread.currentThread());
          }
          Optional<Thread> other =
              group.rank() == 0
                  ? Optional.of(ofOne.get(LoopbackGroup.SOON.toSeconds(), TimeUnit.SECONDS))
                  : Optional.empty();
          try (RegisteredMemory memory = group.allocate(LONG_COUNT * DataType.F32.bytes())) {
            CollectiveException failed =
                assertThrows(
                    CollectiveException.class,
                    () ->
                        group.allReduce(
                            memory, 0, LONG_COUNT, DataType.F32, new Interrupting(other)));
            if (group.rank() == 1) {
              interrupted.countDown();
              assertEquals(
                  "The call has closed its operation. Unless its run was complete, the group has failed with it on every rank, with ABORTED and this rank: go on with Group.rejoin on every rank.",
                  consequence(failed));
              assertEquals(Reason.ABORTED, reason(group, new float[1]));
            } else {
              assertEquals(Reason.ABORTED, failed.reason());
              assertEquals(1, failed.rank());
            }
          }
          try (Group again = group.rejoin(LoopbackGroup.SOON)) {
            assertEquals(1, sum(again, again.rank()));
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
