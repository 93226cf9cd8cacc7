// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import io.meshtransport.bench.FlightRecording;
import io.meshtransport.bench.ProcessorTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * How far a program is at one member: the view it has, and what its latest test has measured.
 * JGroups' threads report, the member's thread waits.
 */
final class Progress {
  /**
   * What a test itself knows of its outcome.
   *
   * @param operations calls that were answered, or messages that arrived from other members
   * @param nanos how long that took
   */
  record Count(long operations, long nanos) {}

  /**
   * A test: runs until its time is up.
   *
   * @param <R> what the program makes of it
   * @param <E> what it may throw
   */
  interface Test<R, E extends Throwable> {
    R run() throws E;
  }

  /**
   * One test that was requested.
   *
   * @param figures come when it has ended
   * @param recording of it, which has begun: that takes long enough to make a test begin late
   */
  private record Run(CompletableFuture<Figures> figures, FlightRecording recording) {
    private Run(FlightRecording recording) {
      this(new CompletableFuture<>(), recording);
    }
  }

  private final ViewGate gate = new ViewGate();
  private volatile Run run = new Run(FlightRecording.start(Optional.empty()));

  /** A view was accepted. */
  void accept(int members) {
    gate.accept(members);
  }

  /** As {@link PerfProgram#awaitMembers}. */
  void awaitMembers(int members, Duration limit) throws InterruptedException, TimeoutException {
    gate.await(members, limit);
  }

  /**
   * Another test follows; earlier measurements are dropped.
   *
   * @param recording file that is to have a flight recording of it
   */
  void prepare(Optional<Path> recording) {
    run = new Run(FlightRecording.start(recording));
  }

  /**
   * Runs a test, and measures what it costs this process.
   *
   * @param count of the test's outcome
   * @param latencies afterwards
   */
  <R, E extends Throwable> R measure(
      Test<R, E> test, Function<R, Count> count, Supplier<Map<String, DeliveryLatencies>> latencies)
      throws E {
    Run current = run;
    try (FlightRecording recording = current.recording()) {
      ProcessorTime begin = ProcessorTime.now();
      R result = test.run();
      ProcessorTime taken = ProcessorTime.now().since(begin);
      Count counted = count.apply(result);
      recording.write();
      current
          .figures()
          .complete(new Figures(counted.operations(), counted.nanos(), taken, latencies.get()));
      return result;
    } catch (Throwable e) {
      current.figures().completeExceptionally(e);
      throw e;
    }
  }

  /** As {@link PerfProgram#report}. */
  Figures await(Duration limit) throws InterruptedException, ExecutionException, TimeoutException {
    return run.figures().get(limit.toNanos(), TimeUnit.NANOSECONDS);
  }
}
