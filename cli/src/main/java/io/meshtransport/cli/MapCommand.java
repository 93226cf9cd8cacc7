// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.cli.map.DotPicture;
import io.meshtransport.cli.map.MapServer;
import io.meshtransport.cli.map.SvgPicture;
import io.meshtransport.cli.map.TerminalPicture;
import io.meshtransport.config.MeshConfig;
import io.meshtransport.neighbours.map.MeshMap;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mesh map}: nodes, cables and what is wrong with them, as a picture. */
@Command(
    name = "map",
    description =
        "Draws the mesh: nodes and their states, cables with the interfaces and addresses at both ends, subnets,"
            + " rates, latencies, and what is wrong with the cabling, with remedies. Reads what ./mesh up of this"
            + " user knows, or a program of this user that has joined the mesh; where none runs, joins the mesh for"
            + " as long as it takes to know it.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:a map was drawn",
      "1:nothing that can be read knows the mesh and this host cannot join, or a file could not be written",
      "2:an option or a setting is wrong"
    })
final class MapCommand implements Callable<Integer> {
  private static final long WATCH_MS = 500;
  private static final String DEFAULT_PORT = "8793";
  private static final int MAX_PORT = 65_535;
  private static final String CLEAR_SCREEN = "\033[H\033[2J";

  @Option(
      names = "--watch",
      description = "Draw again whenever something changes, until Ctrl-C; files too.")
  private boolean isWatch;

  @Option(names = "--svg", paramLabel = "FILE", description = "Write a drawing to this file.")
  private Path svg;

  @Option(
      names = "--dot",
      paramLabel = "FILE",
      description = "Write the graph to this file, for Graphviz.")
  private Path dot;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the map to this file.")
  private Path json;

  @Option(
      names = "--serve",
      arity = "0..1",
      fallbackValue = DEFAULT_PORT,
      paramLabel = "PORT",
      description =
          "Show the drawing in browsers, live, until Ctrl-C; on this TCP port of the loopback interface. Default"
              + " port: "
              + DEFAULT_PORT
              + ".")
  private Integer port;

  @Option(
      names = "--address",
      paramLabel = "ADDRESS",
      description =
          "With --serve: serve at this address of the host instead; every host that reaches it sees the mesh.")
  private InetAddress address = InetAddress.getLoopbackAddress();

  @CommandLine.Mixin private JoinLimit joinLimit;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    joinLimit.check();
    if (port != null && (port < 0 || port > MAX_PORT)) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "--serve: ports 0 to 65535 are possible");
    }
    MeshConfig config = MeshConfig.load(Map.of());
    config.warnings().forEach(warning -> spec.commandLine().getErr().println("mesh: " + warning));
    try (MapSource source =
        MapSource.open(config, joinLimit.seconds(), spec.commandLine().getErr())) {
      return port == null ? draw(source) : serve(source);
    }
  }

  /** Serves until Ctrl-C; a reader of the output that has gone ends it too. */
  private int serve(MapSource source) throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    InetSocketAddress at = new InetSocketAddress(address, port);
    try (MapServer server = open(at, source.map())) {
      out.printf(
          "the mesh is at http://%s:%d/%n",
          at.getAddress().isLoopbackAddress() ? "localhost" : address.getHostAddress(),
          server.address().getPort());
      out.flush();
      while (!out.checkError() && !System.out.checkError()) {
        Thread.sleep(WATCH_MS);
        MeshMap map = source.map();
        server.update(map);
        write(map);
      }
    }
    return CommandLine.ExitCode.OK;
  }

  private static MapServer open(InetSocketAddress at, MeshMap map) throws IOException {
    try {
      return MapServer.open(at, map);
    } catch (IOException e) {
      throw new IOException(
          "cannot serve at port %d of %s: %s. Choose another with --serve PORT"
              .formatted(at.getPort(), at.getAddress().getHostAddress(), CliFailures.cause(e)),
          e);
    }
  }

  private int draw(MapSource source) throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    MeshMap drawn = null;
    do {
      MeshMap map = source.map();
      if (!map.equals(drawn)) {
        write(map);
        String picture = TerminalPicture.of(map, charset());
        boolean isScreen = isWatch && System.console() != null;
        out.print((isScreen ? CLEAR_SCREEN : drawn == null ? "" : "\n") + picture);
        out.flush();
        drawn = map;
      }
      if (isWatch) {
        Thread.sleep(WATCH_MS);
      }
      // The reader may have closed the pipe, as head does.
    } while (isWatch && !out.checkError() && !System.out.checkError());
    return CommandLine.ExitCode.OK;
  }

  /** Of the terminal: Java before 18 names it in one property, later in another. */
  static Charset charset() {
    String name =
        System.getProperty("stdout.encoding", System.getProperty("sun.stdout.encoding", ""));
    return !name.isEmpty() && Charset.isSupported(name)
        ? Charset.forName(name)
        : Charset.defaultCharset();
  }

  private void write(MeshMap map) throws IOException {
    if (json != null) {
      write(json, map.json());
    }
    if (dot != null) {
      write(dot, DotPicture.of(map));
    }
    if (svg != null) {
      write(svg, SvgPicture.of(map));
    }
  }

  private static void write(Path file, String text) throws IOException {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new IOException("cannot write " + file + ": " + CliFailures.cause(e), e);
    }
  }
}
