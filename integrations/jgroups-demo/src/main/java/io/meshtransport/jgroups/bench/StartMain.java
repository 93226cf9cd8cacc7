// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jgroups.JChannel;

/**
 * Joins members to one group in this JVM, one after the other, and prints what that has cost: the
 * processor time of the process in nanoseconds, from before the first member was made until each
 * member sees all of them. For {@link StartBench}, which starts a JVM for each.
 */
public final class StartMain {
  private static final Duration LIMIT = Duration.ofSeconds(100);
  private static final long POLL_MS = 5;

  private StartMain() {}

  /**
   * Runs one side.
   *
   * @param arguments the {@link Side}, and how many members
   */
  public static void main(String[] arguments) throws Exception {
    StartStack stack = new StartStack(Side.valueOf(arguments[0]));
    int members = Integer.parseInt(arguments[1]);
    long beginNs = cpuNs();
    List<JChannel> channels = new ArrayList<>();
    for (int number = 1; number <= members; number++) {
      String text = stack.of(number);
      JChannel channel =
          new JChannel(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
      channels.add(channel.name("member-" + number).connect("start"));
    }
    awaitViews(channels);
    System.out.println(cpuNs() - beginNs);
    System.out.flush();
    // Leaving is not measured, and ten members take a while for it.
    Runtime.getRuntime().halt(0);
  }

  private static void awaitViews(List<JChannel> channels)
      throws InterruptedException, TimeoutException {
    long startNs = System.nanoTime();
    for (JChannel channel : channels) {
      while (channel.getView().size() < channels.size()) {
        if (System.nanoTime() - startNs > LIMIT.toNanos()) {
          throw new TimeoutException(
              channel.getName() + " sees " + channel.getView() + " after " + LIMIT);
        }
        TimeUnit.MILLISECONDS.sleep(POLL_MS);
      }
    }
  }

  private static long cpuNs() {
    return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
  }
}
