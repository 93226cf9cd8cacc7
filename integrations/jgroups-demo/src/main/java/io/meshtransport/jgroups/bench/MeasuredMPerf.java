package io.meshtransport.jgroups.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
  private final ViewGate gate = new ViewGate();
  private volatile CompletableFuture<Figures> measured = new CompletableFuture<>();

  MeasuredMPerf() throws IOException {
    // MPerf's constructor declares it: it may have a file to write to, and here has none.
    super();
  }

  @Override
  public void join(String stack, String name) throws Exception {
    start(stack, name, true);
  }

  /**
   * The coordinator's settings, which each member asks for when it joins. They may come when the
   * load is set already, and would put MPerf's own defaults in its place, so they are not taken:
   * every member is told its load by the harness.
   */
  @Override
  protected void handleConfigResponse(Configuration settings) {}

  @Override
  public void viewAccepted(View view) {
    super.viewAccepted(view);
    gate.accept(view.size());
  }

  @Override
  public void awaitMembers(int count, Duration limit)
      throws InterruptedException, TimeoutException {
    gate.await(count, limit);
  }

  @Override
  public void prepare(Load load) {
    time(load.seconds()).size(load.messageBytes()).threads(load.threads());
    log_local = false;
    measured = new CompletableFuture<>();
  }

  @Override
  public void lead() throws Exception {
    startTest();
  }

  /** Called on each member when the leader says so. */
  @Override
  protected Result sendMessages(boolean isSender) {
    CompletableFuture<Figures> current = measured;
    try {
      clock().reset();
      Result result = super.sendMessages(isSender);
      current.complete(figures(result));
      return result;
    } catch (RuntimeException e) {
      current.completeExceptionally(e);
      throw e;
    }
  }

  private DeliveryClock clock() {
    DeliveryClock clock = channel.getProtocolStack().findProtocol(DeliveryClock.class);
    if (clock == null) {
      throw new IllegalStateException("the stack has no " + DeliveryClock.class.getName());
    }
    return clock;
  }

  /** Its numbers are for its own package; their form on the wire is not. */
  private Figures figures(Streamable result) {
    try {
      ByteArrayDataOutputStream bytes = new ByteArrayDataOutputStream();
      result.writeTo(bytes);
      ByteArrayDataInputStream numbers =
          new ByteArrayDataInputStream(bytes.buffer(), 0, bytes.position());
      long millis = Bits.readLongCompressed(numbers);
      long messages = Bits.readLongCompressed(numbers);
      return new Figures(
          messages, TimeUnit.MILLISECONDS.toNanos(millis), Map.of("delivery", clock().latencies()));
    } catch (IOException e) {
      throw new UncheckedIOException("MPerf's result has another form than expected", e);
    }
  }

  @Override
  public Figures report(Duration limit)
      throws InterruptedException, ExecutionException, TimeoutException {
    return measured.get(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public void leave() {
    stop();
  }
}
