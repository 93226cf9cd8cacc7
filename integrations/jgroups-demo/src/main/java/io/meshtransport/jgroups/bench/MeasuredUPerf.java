package io.meshtransport.jgroups.bench;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jgroups.View;
import org.jgroups.tests.perf.PerfUtil;
import org.jgroups.tests.perf.UPerf;
import org.jgroups.util.Util;

/**
 * UPerf as it is: its own invokers call, and its own clocks measure each call. Those keep averages
 * only unless told to keep every value, which {@link InvokerThreads} does.
 */
final class MeasuredUPerf extends UPerf implements PerfProgram {
  private final ViewGate gate = new ViewGate();
  private volatile InvokerThreads invokers;
  private volatile CompletableFuture<Figures> measured = new CompletableFuture<>();

  @Override
  public void join(String stack, String name) throws Exception {
    try {
      // As UPerf's main does when told nothing but the stack and the name.
      init(stack, name, null, 0, true, !Util.virtualThreadsAvailable());
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("UPerf does not start", e);
    }
    invokers = new InvokerThreads(thread_factory.useVirtualThreads());
    thread_factory = invokers;
  }

  @Override
  public void viewAccepted(View newView) {
    super.viewAccepted(newView);
    gate.accept(newView.size());
  }

  @Override
  public void awaitMembers(int count, Duration limit)
      throws InterruptedException, TimeoutException {
    gate.await(count, limit);
  }

  @Override
  public void prepare(Load load) {
    time(load.seconds()).size(load.messageBytes()).threads(load.threads());
    read_percentage = load.readPercentage() / 100.0;
    // On a busy host all results are late for the leader, which then has averages without a unit:
    // those it can only print with details.
    print_details = true;
    invokers.forget();
    measured = new CompletableFuture<>();
  }

  @Override
  public void lead() {
    startBenchmark();
  }

  /** Called on each member when the leader says so. */
  @Override
  protected PerfUtil.Results startTest() throws Throwable {
    CompletableFuture<Figures> current = measured;
    try {
      long begin = System.nanoTime();
      PerfUtil.Results results = super.startTest();
      long nanos = System.nanoTime() - begin;
      Map<String, Latencies> latencies =
          Map.of(
              "read", Latencies.of(invokers.readNanos()),
              "write", Latencies.of(invokers.writeNanos()));
      current.complete(new Figures(num_reads.sum() + num_writes.sum(), nanos, latencies));
      return results;
    } catch (Throwable e) {
      current.completeExceptionally(e);
      throw e;
    }
  }

  @Override
  public Figures report(Duration limit)
      throws InterruptedException, ExecutionException, TimeoutException {
    return measured.get(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public void leave() {
    stopEventLoop();
  }
}
