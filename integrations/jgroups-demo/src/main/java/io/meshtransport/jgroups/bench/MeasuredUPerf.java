// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import java.util.Map;
import org.jgroups.View;
import org.jgroups.tests.perf.PerfUtil;
import org.jgroups.tests.perf.UPerf;
import org.jgroups.util.Util;

/**
 * UPerf as it is: its own invokers call, and its own clocks measure each call. Those keep averages
 * only unless configured to keep every value, which {@link InvokerThreads} does.
 */
final class MeasuredUPerf extends UPerf implements PerfProgram {
  private final Progress progress = new Progress();
  private volatile InvokerThreads invokers;
  private View latest;
  private boolean hasJoined;

  @Override
  public Progress progress() {
    return progress;
  }

  @Override
  public void join(String stack, String name) throws Exception {
    try {
      // As UPerf's main does when given only the stack and the name.
      init(stack, name, null, 0, true, !Util.virtualThreadsAvailable());
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("UPerf does not start", e);
    }
    invokers = new InvokerThreads(thread_factory.useVirtualThreads());
    thread_factory = invokers;
    showView();
  }

  private synchronized void showView() {
    hasJoined = true;
    super.viewAccepted(latest);
  }

  /**
   * UPerf gets to know of others once it has joined. If it did before, it would request settings
   * from the coordinator and fail where that takes 5 s; the harness sends each member its load.
   */
  @Override
  public synchronized void viewAccepted(View newView) {
    latest = newView;
    if (hasJoined) {
      super.viewAccepted(newView);
    }
    progress.accept(newView.size());
  }

  @Override
  public void setLoad(Load load) {
    time(load.seconds()).size(load.messageBytes()).threads(load.threads());
    read_percentage = load.readPercentage() / 100.0;
    // On a busy host all results are late for the leader, which then has averages without a unit:
    // those it can only print with details.
    print_details = true;
    invokers.clear();
  }

  @Override
  public void runTest() {
    startBenchmark();
  }

  /** Called on each member when the leader says so. */
  @Override
  protected PerfUtil.Results startTest() throws Throwable {
    long begin = System.nanoTime();
    return progress.measure(
        () -> super.startTest(),
        results ->
            new Progress.Count(num_reads.sum() + num_writes.sum(), System.nanoTime() - begin),
        () ->
            Map.of(
                "read", DeliveryLatencies.of(invokers.readNanos()),
                "write", DeliveryLatencies.of(invokers.writeNanos())));
  }

  @Override
  public void leave() {
    stopEventLoop();
  }
}
