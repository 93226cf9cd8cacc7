// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A call into another process that has no deadline of its own: it runs on a thread of its own,
 * which is left behind, and does not keep this process, if the time passes.
 */
final class LimitedCall {
  private LimitedCall() {}

  /**
   * What a call returns or throws.
   *
   * @param late what an exception says if the time has passed
   */
  static <T> T of(Callable<T> call, long limitMs, String late) throws IOException {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task, "mesh-limited-call");
    thread.setDaemon(true);
    thread.start();
    try {
      return task.get(limitMs, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new IOException(late, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while another process was to answer");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      if (e.getCause() instanceof Error failure) {
        throw failure;
      }
      throw new IOException(e.getCause());
    }
  }
}
