// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jgroups.View;
import org.jgroups.tests.perf.MPerf;
import org.jgroups.util.Bits;
import org.jgroups.util.ByteArrayDataInputStream;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.jgroups.util.Streamable;

/**
 * MPerf as it is, but that it does not count what a member has sent to itself (its own option
 * {@code l}): such messages never see a cable. It has no clock for messages; {@link DeliveryClock},
 * a protocol in the stack, is one.
 */
final class MeasuredMPerf extends MPerf implements PerfProgram {
  private final Progress progress = new Progress();

  MeasuredMPerf() throws IOException {
    // MPerf's constructor declares it: it may have a file to write to, and here has none.
    super();
  }

  @Override
  public Progress progress() {
    return progress;
  }

  @Override
  public void join(String stack, String name) throws Exception {
    start(stack, name, true);
  }

  /**
   * The coordinator's settings, which each member requests when it joins. They may come when the
   * load is set already, and would put MPerf's own defaults in its place, so they are not taken:
   * the harness sends every member its load.
   */
  @Override
  protected void handleConfigResponse(Configuration settings) {}

  @Override
  public void viewAccepted(View view) {
    super.viewAccepted(view);
    progress.accept(view.size());
  }

  @Override
  public void setLoad(Load load) {
    time(load.seconds()).size(load.messageBytes()).threads(load.threads());
    log_local = false;
  }

  @Override
  public void runTest() throws Exception {
    startTest();
  }

  /** Called on each member when the leader says so. */
  @Override
  protected Result sendMessages(boolean isSender) {
    clock().reset();
    return progress.measure(
        () -> super.sendMessages(isSender),
        MeasuredMPerf::count,
        () -> Map.of("delivery", clock().latencies()));
  }

  private DeliveryClock clock() {
    DeliveryClock clock = channel.getProtocolStack().findProtocol(DeliveryClock.class);
    if (clock == null) {
      throw new IllegalStateException("the stack has no " + DeliveryClock.class.getName());
    }
    return clock;
  }

  /** Its numbers are for its own package; their form on the wire is not. */
  private static Progress.Count count(Streamable result) {
    try {
      ByteArrayDataOutputStream bytes = new ByteArrayDataOutputStream();
      result.writeTo(bytes);
      ByteArrayDataInputStream numbers =
          new ByteArrayDataInputStream(bytes.buffer(), 0, bytes.position());
      long millis = Bits.readLongCompressed(numbers);
      long messages = Bits.readLongCompressed(numbers);
      return new Progress.Count(messages, TimeUnit.MILLISECONDS.toNanos(millis));
    } catch (IOException e) {
      throw new UncheckedIOException("MPerf's result has another form than expected", e);
    }
  }

  @Override
  public void leave() {
    stop();
  }
}
