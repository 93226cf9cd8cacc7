// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ServiceThreadsTest {
  private static final int THREADS = 3;
  private static final long LIMIT_S = 60;

  private final ServiceThreads threads = new ServiceThreads("mesh-tested", THREADS);

  private static Thread end(CompletableFuture<Thread> task) throws Exception {
    return task.get(LIMIT_S, TimeUnit.SECONDS);
  }

  @Test
  void shouldRunTasksAtOnceOnDaemonsOfItsName() throws Exception {
    CyclicBarrier all = new CyclicBarrier(THREADS);
    List<CompletableFuture<Thread>> tasks = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      tasks.add(
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  all.await(LIMIT_S, TimeUnit.SECONDS);
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
                return Thread.currentThread();
              },
              threads));
    }
    for (CompletableFuture<Thread> each : tasks) {
      assertEquals("mesh-tested", end(each).getName());
      assertTrue(end(each).isDaemon());
    }
  }

  @Test
  void shouldEndAnIdleThreadAndStartAnother() throws Exception {
    Thread first = end(CompletableFuture.supplyAsync(Thread::currentThread, threads));
    first.join(TimeUnit.SECONDS.toMillis(LIMIT_S));
    assertEquals(Thread.State.TERMINATED, first.getState());
    end(CompletableFuture.supplyAsync(Thread::currentThread, threads));
  }
}
