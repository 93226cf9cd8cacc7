// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.InterfaceCounters;
import io.meshtransport.topology.LinkStatistics;
import io.meshtransport.topology.Topology;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A topology of guests: each node an emulated machine with a kernel of its own, each cable a pair
 * of sockets between two of them, and Soft-RoCE on every NIC, so that all above the wire is what
 * real hardware runs. Guests see the host's file system, read-only, with memory of their own over
 * it, and so the same programs at the same paths.
 *
 * <p>MTUs and rates are those of the topology's cables. Needs no privilege.
 */
public final class LabFabric implements Fabric {
  private static final long COMMAND_LIMIT_S = 30;

  private final Topology topology;
  private final LabImage image;
  private final LabOptions options;
  private final Map<String, String> settings;
  private final LabFolder folder;
  private final GuestFiles files;
  private final Map<String, Guest> guests = new ConcurrentHashMap<>();
  private final Thread atExit = new Thread(this::tearDown, "mesh-lab-tear-down");
  private boolean closed;

  private LabFabric(
      Topology topology,
      LabImage image,
      LabOptions options,
      Map<String, String> settings,
      LabFolder folder) {
    this.topology = topology;
    this.image = image;
    this.options = options;
    this.settings = Map.copyOf(settings);
    this.folder = folder;
    this.files = new GuestFiles(folder.path());
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /**
   * Boots a guest per node, all at once, and waits until each takes orders.
   *
   * @param settings MESH_ settings for all nodes
   * @throws FabricException if one does not boot, with the end of its console
   */
  public static LabFabric boot(
      Topology topology, LabImage image, LabOptions options, Map<String, String> settings) {
    try {
      Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
      new StaleLabs(temporary, line -> System.err.println("lab: " + line)).remove();
      LabFabric fabric =
          new LabFabric(topology, image, options, settings, LabFolder.create(temporary));
      try {
        fabric.bootAll();
        return fabric;
      } catch (RuntimeException | IOException e) {
        fabric.close();
        throw e;
      }
    } catch (IOException e) {
      throw new FabricException("no lab: " + e.getMessage(), e);
    }
  }

  private void bootAll() throws IOException {
    long deadlineNs = System.nanoTime() + options.bootLimit().toNanos();
    for (String node : topology.nodes()) {
      bootOne(node);
    }
    guests.values().forEach(guest -> guest.awaitReady(deadlineNs));
  }

  /** Holds the lock, so that a signal takes away all of it or comes before any of it. */
  private synchronized void bootOne(String node) throws IOException {
    if (closed) {
      throw new FabricException("this process is ending");
    }
    guests.put(node, Guest.boot(image, options, files, node, GuestNic.of(topology, node)));
  }

  @Override
  public Topology topology() {
    return topology;
  }

  @Override
  public Map<String, String> settings(String node) {
    return settings;
  }

  /** Names and addresses of a node's NICs and its peers', for programs: see {@link LabNames}. */
  public Map<String, String> names(String node) {
    return LabNames.of(topology, node);
  }

  /** What a guest has written to $LAB_OUT, while the fabric is open. */
  public Path out(String node) {
    return files.out(node);
  }

  @Override
  public Process start(String node, ProcessBuilder builder) throws IOException {
    for (ProcessBuilder.Redirect redirect :
        List.of(builder.redirectInput(), builder.redirectOutput(), builder.redirectError())) {
      if (redirect != ProcessBuilder.Redirect.PIPE) {
        throw new IllegalArgumentException("a program in a guest has pipes, not " + redirect);
      }
    }
    File folder = builder.directory();
    return guest(node)
        .start(
            new StartRequest(
                ClassArchive.quickly(withoutAgents(builder.command())),
                builder.environment(),
                Path.of(folder == null ? "" : folder.getPath()).toAbsolutePath().toString(),
                builder.redirectErrorStream()));
  }

  /** What an agent measures would stay in the guest. */
  private static List<String> withoutAgents(List<String> words) {
    return words.stream().filter(word -> !word.startsWith("-javaagent:")).toList();
  }

  /**
   * Runs a short command at a node, as root, and waits for its end.
   *
   * @return what it printed
   * @throws FabricException if it fails, or takes more than half a minute
   */
  public String run(String node, String... words) {
    String what = node + ": `" + String.join(" ", words) + '`';
    try {
      Process process = start(node, new ProcessBuilder(words).redirectErrorStream(true));
      process.getOutputStream().close();
      if (!process.waitFor(COMMAND_LIMIT_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new FabricException(what + " was not done after " + COMMAND_LIMIT_S + " s");
      }
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.exitValue() != 0) {
        throw new FabricException(
            what + " failed with " + process.exitValue() + ": " + output.strip());
      }
      return output;
    } catch (IOException e) {
      throw new FabricException(what + ": " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FabricException(what + ": interrupted", e);
    }
  }

  private Guest guest(String node) {
    Guest guest = guests.get(node);
    if (guest == null) {
      throw new IllegalArgumentException("no node " + node + " in " + topology.nodes());
    }
    return guest;
  }

  @Override
  public boolean hasRealCables() {
    return true;
  }

  @Override
  public void cut(Cable cable) {
    setCarrier(cable, false);
  }

  @Override
  public void mend(Cable cable) {
    setCarrier(cable, true);
  }

  private void setCarrier(Cable cable, boolean on) {
    for (String node : List.of(cable.a().node(), cable.b().node())) {
      if (guest(node).isRunning()) {
        guest(node).setCarrier(nic(cable, node), on);
      }
    }
  }

  private GuestNic nic(Cable cable, String node) {
    int index = topology.cables().indexOf(cable);
    return GuestNic.of(topology, node).stream()
        .filter(nic -> nic.cable() == index)
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(cable + " does not reach " + node));
  }

  /** Name of the RDMA device at a node's end of a cable. */
  public String rdmaDevice(Cable cable, String node) {
    return nic(cable, node).rdmaDevice();
  }

  /**
   * Takes the power of a node away: its machine is gone without a word, and so are its programs.
   */
  public void powerOff(String node) {
    guest(node).close();
  }

  /**
   * Boots a node anew after {@link #powerOff}, and waits until it takes orders. Nothing runs on it.
   *
   * @throws FabricException if it does not boot
   */
  public void powerOn(String node) {
    try {
      guest(node).close();
      Files.deleteIfExists(files.agentSocket(node));
      Files.deleteIfExists(files.controlSocket(node));
      bootOne(node);
    } catch (IOException e) {
      throw new FabricException("node " + node + " does not boot: " + e.getMessage(), e);
    }
    guest(node).awaitReady(System.nanoTime() + options.bootLimit().toNanos());
  }

  /** Measured: a JVM in one of three guests on two cores takes 8 s to start, and 1 s outside. */
  @Override
  public int slowness() {
    return 8;
  }

  @Override
  public List<InterfaceCounters> counters(String node) {
    return LinkStatistics.parse(run(node, "ip", "-s", "-j", "link"));
  }

  @Override
  public void close() {
    tearDown();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // The process is ending, and this came from another hook: the hook has nothing left to do.
      return;
    }
  }

  private synchronized void tearDown() {
    if (closed) {
      return;
    }
    closed = true;
    for (Guest guest : guests.values()) {
      try {
        guest.close();
      } catch (FabricException e) {
        System.err.println("lab: " + e.getMessage());
      }
    }
    try {
      folder.close();
    } catch (IOException e) {
      System.err.println("lab: " + folder.path() + " is left behind: " + e);
    }
  }
}
