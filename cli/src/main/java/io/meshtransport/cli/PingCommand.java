// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.handshake.HandleFormatException;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mesh ping}: whether a peer can be reached, over which NIC, and how well. */
@Command(
    name = "ping",
    description =
        "Connects to a host that runs `mesh listen`, says which NIC, subnet and GID it chose and"
            + " why, sends messages there and back, and checks every byte.")
final class PingCommand implements Callable<Integer> {
  private static final Duration SET_UP = Duration.ofSeconds(30);

  @Parameters(
      index = "0",
      paramLabel = "PEER",
      description =
          "The line that `mesh listen` printed on the other host (mesh:...), or any address or name"
              + " of that host: 10.0.1.2, node-b, [fe80::2%%eth1]. A port goes behind it, as in"
              + " node-b:4800 or [fd00::2]:4800. Default port: "
              + Transport.DEFAULT_HANDSHAKE_PORT
              + ".")
  private String peer;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      defaultValue = "64",
      description =
          "Length of each message, 0 to " + PingSetup.MAX_MESSAGE_BYTES + ". Default: 64.")
  private int sizeBytes;

  @Option(
      names = "--count",
      paramLabel = "N",
      defaultValue = "1000",
      description = "How many messages. Default: 1000.")
  private int count;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results to this file.")
  private Path json;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  /** How long the peer may take for each step of the set-up. */
  private Duration setUp = SET_UP;

  @Override
  public Integer call() throws IOException, TransportException {
    if (sizeBytes < 0 || sizeBytes > PingSetup.MAX_MESSAGE_BYTES) {
      throw new CommandLine.ParameterException(
          spec.commandLine(),
          "--size " + sizeBytes + " is outside 0.." + PingSetup.MAX_MESSAGE_BYTES);
    }
    if (count < 1) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "--count " + count + " is less than 1");
    }
    // A wrong setting is refused as a wrong option is, before the file is emptied.
    setUp = shorter(SET_UP, Duration.ofMillis(MeshConfig.load(Map.of()).timeoutMs()));
    try (PingInterruption interruption = new PingInterruption();
        JsonFile file = JsonFile.open(json, spec.commandLine())) {
      PingReport report = report(interruption, file);
      boolean written = file.write(report, spec.commandLine().getErr());
      return print(report) && written ? CommandLine.ExitCode.OK : MeshMain.FAILED;
    }
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /** Prints the verdict, and returns whether it is a good one. */
  private boolean print(PingReport report) {
    boolean passed = report.result().equals(PingReport.PASS);
    PrintWriter to = passed ? spec.commandLine().getOut() : spec.commandLine().getErr();
    to.println("ping: " + report.result());
    to.flush();
    return passed;
  }

  private PingReport report(PingInterruption interruption, JsonFile file)
      throws TransportException {
    try {
      return ping(interruption);
    } catch (TransportException e) {
      PingReport failed =
          PingReport.unreachable(
              sizeBytes, interruption.hasBegun() ? PingReport.INTERRUPTED : "FAIL: " + e.summary());
      if (CliFailures.isOfSettings(e)) {
        // Of settings that only the transport refuses: the file is empty by now.
        file.write(failed, spec.commandLine().getErr());
        throw e;
      }
      return failed;
    } catch (IllegalStateException e) {
      // The transport was closed on the way to the first message, and only an interruption does so.
      if (!interruption.hasBegun()) {
        throw e;
      }
      return PingReport.unreachable(sizeBytes, PingReport.INTERRUPTED);
    } catch (LinkageError | ServiceConfigurationError e) {
      // Libraries that begin while the JVM ends refuse to.
      if (!interruption.hasBegun()) {
        throw e;
      }
      return PingReport.unreachable(sizeBytes, PingReport.INTERRUPTED);
    }
  }

  private PingReport ping(PingInterruption interruption) throws TransportException {
    boolean isHandle = HandleText.isMeant(peer);
    byte[] given = isHandle ? HandleText.parse(peer) : new byte[0];
    PeerArgument asked = isHandle ? null : PeerArgument.parse(peer);
    try (Transport transport = Transport.open();
        Listener listener = transport.listen();
        WaitNotice waiting = WaitNotice.watched(spec.commandLine().getOut())) {
      interruption.uses(transport);
      ChannelFuture<ReceiveChannel> echo = listener.accept();
      PeerArgument.Answer known =
          isHandle
              ? new PeerArgument.Answer(given, Optional.empty())
              : asked.query(
                  transport, SET_UP, () -> waiting.begins(asked + " to say who it is", setUp));
      requireAnother(known.handle(), listener);
      waiting.begins("the peer to take a channel", setUp);
      try (SendChannel out = known.connect(transport).await(SET_UP)) {
        describe(out.route());
        Pings pings = new Pings(transport, out, sizeBytes, waiting, this::printProgress);
        interruption.sends(pings);
        PingReport report = pings.run(listener.handle(), echo, count);
        // What goes on from here is not the peer's doing.
        waiting.over();
        spec.commandLine().getOut().print(report.text());
        // A failed run's verdict goes to the other stream, and comes after this.
        spec.commandLine().getOut().flush();
        return report;
      }
    }
  }

  /** A process listens at the addresses of all its NICs, so it may be itself who answers. */
  private void requireAnother(byte[] handle, Listener listener) throws TransportException {
    try {
      if (PeerHandle.decode(handle).node().equals(PeerHandle.decode(listener.handle()).node())) {
        throw new TransportException(
            TransportException.Reason.PEER_UNREACHABLE,
            "At %s only this process itself answers: it listens at that port of this host's NICs. Start `./mesh listen` on the other host, or give an address of that."
                .formatted(peer));
      }
    } catch (HandleFormatException e) {
      throw new TransportException(TransportException.Reason.BAD_HANDLE, e.getMessage(), e);
    }
  }

  /** The peer's channel back is there: what takes long now is the messages themselves. */
  private void printProgress() {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "messages   %d of %d %s, one at a time%n",
        count, sizeBytes, sizeBytes == 1 ? "byte" : "bytes");
    out.flush();
  }

  private void describe(Route route) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf("peer       %s at %s%n", route.peer(), route.peerAddress());
    out.printf("local NIC  %s, %s%n", route.localNic(), route.localAddress());
    out.printf("subnet     %s%n", route.subnet());
    out.printf("GID        %s%n", route.gid());
    out.printf("why        %s%n", route.why());
    out.flush();
  }
}
