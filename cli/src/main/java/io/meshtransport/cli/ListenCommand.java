// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.verbs.LockedMemory;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code mesh listen}: the other end of {@code mesh ping}. */
@Command(
    name = "listen",
    description =
        "Prints this host's handle as one line of text, and which `mesh ping` finds it without,"
            + " then echoes whatever `mesh ping` sends, until Ctrl-C.")
final class ListenCommand implements Callable<Integer> {
  /**
   * Each takes up to two times {@link PendingConnection#MAX_MESSAGE_BYTES} of memory, and a thread.
   */
  private static final int MAX_PINGERS = 8;

  private static final Duration LOOK_UP = Duration.ofMinutes(1);

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws TransportException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    try (Transport transport = Transport.open();
        Listener listener = transport.listen()) {
      // A signal ends the process without returning here, so a hook sends the goodbyes.
      Runtime.getRuntime().addShutdownHook(new Thread(transport::close, "mesh-goodbye"));
      out.println(HandleText.of(listener.handle()));
      out.flush();
      if (transport.nics().stream().anyMatch(nic -> NicsCommand.isRdma(nic.provider()))) {
        LockedMemory.shortage().ifPresent(text -> err.println("mesh: " + text));
      }
      howToPing(transport).forEach(line -> err.println("mesh: " + line));
      err.flush();
      echoForEver(transport, listener, err);
      return CommandLine.ExitCode.OK;
    } catch (TransportException e) {
      if (e.reason() == TransportException.Reason.CLOSED) {
        return CommandLine.ExitCode.OK; // By the hook: this process is ending.
      }
      throw e;
    }
  }

  /**
   * A line for each cable, since an address of one cable is the wrong one on another. On the error
   * stream: the handle stays the one line of standard output.
   */
  private static List<String> howToPing(Transport transport) {
    List<String> lines =
        new ArrayList<>(OwnSubnets.of(transport.nics()).howToPing(transport.handshakePort()));
    lines.add("from any of them: ./mesh ping with the line above");
    return lines;
  }

  private static void echoForEver(Transport transport, Listener listener, PrintWriter err)
      throws TransportException, InterruptedException {
    Semaphore places = new Semaphore(MAX_PINGERS);
    // As many threads as there are places, and no more.
    ExecutorService pingers = Executors.newCachedThreadPool();
    while (true) {
      places.acquire();
      ReceiveChannel channel = next(listener);
      pingers.execute(
          () -> {
            try {
              new Echo(transport, channel, err).run();
            } finally {
              places.release();
            }
          });
    }
  }

  private static ReceiveChannel next(Listener listener) throws TransportException {
    while (true) {
      try {
        return listener.accept(LOOK_UP);
      } catch (TransportException e) {
        if (e.reason() != TransportException.Reason.TIMED_OUT) {
          throw e;
        }
        // No peer connected; accept() has withdrawn its request, so call it again.
      }
    }
  }
}
