// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import io.meshtransport.spi.Counter;
import io.meshtransport.transport.jmx.TransportRegistration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.rmi.RemoteException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.management.AttributeNotFoundException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Another JVM of this host, seen through the MXBeans of its transports: attaches to it, starts its
 * local JMX agent, which then stays there, and reads by names, so that the other one may be older
 * or newer than this. One thread.
 */
final class WatchedProcess implements AutoCloseable {
  private static final String ADDRESS = "com.sun.management.jmxremote.localConnectorAddress";

  /** A transport's bean is registered within a fraction of this after the transport opened. */
  private static final long BEAN_WAIT_NS = TimeUnit.SECONDS.toNanos(3);

  private static final long BEAN_POLL_MS = 50;

  /** For how long a call waits for its answer, in milliseconds: a property of Java's RMI. */
  private static final String ANSWER_WAIT = "sun.rmi.transport.tcp.responseTimeout";

  private static final String ANSWER_WAIT_MS = "10000";

  /** The JDK gives up after 10 s where no JVM answers, but waits for ever for one that stops. */
  private static final long ATTACH_LIMIT_MS = 15_000;

  /** Beyond the wait for one answer: the JDK waits longer where it has to connect again. */
  private static final long READ_LIMIT_MS = 15_000;

  private static final long CLOSE_LIMIT_MS = 1_000;

  private final long pid;
  private final JMXConnector connector;
  private final MBeanServerConnection server;

  /**
   * @param connector to its JMX agent; closed with this
   */
  WatchedProcess(long pid, JMXConnector connector) throws IOException {
    this.pid = pid;
    this.connector = connector;
    this.server = connector.getMBeanServerConnection();
  }

  /**
   * Attaches to a JVM.
   *
   * @throws IOException with a sentence that says what is in the way and what to do
   */
  static WatchedProcess attach(MeshProcess process) throws IOException {
    requireSameNetwork(process.pid());
    requireRunning(process.pid());
    return LimitedCall.of(
        () -> connect(process),
        ATTACH_LIMIT_MS,
        "cannot attach to process "
            + process.pid()
            + ": it did not answer for 15 s. Is it stopped, or very busy?");
  }

  private static WatchedProcess connect(MeshProcess process) throws IOException {
    String address = address(process);
    System.setProperty(ANSWER_WAIT, System.getProperty(ANSWER_WAIT, ANSWER_WAIT_MS));
    try {
      return new WatchedProcess(
          process.pid(), JMXConnectorFactory.connect(new JMXServiceURL(address)));
    } catch (IOException | SecurityException e) {
      throw new IOException(
          "process "
              + process.pid()
              + " started its JMX agent, which does not answer at "
              + address
              + ": "
              + e.getMessage()
              + ". Does a firewall drop what goes over lo?",
          e);
    }
  }

  private static void requireSameNetwork(long pid) throws IOException {
    Path here = Path.of("/proc/self/ns/net");
    Path there = Path.of("/proc/" + pid + "/ns/net");
    boolean isSame;
    try {
      isSame = Files.readSymbolicLink(here).equals(Files.readSymbolicLink(there));
    } catch (IOException e) {
      // Of another user's process: attaching will say so.
      isSame = true;
    }
    if (!isSame) {
      throw new IOException(
          "process "
              + pid
              + " runs in another network namespace, where its JMX agent listens. Run there, as root: nsenter"
              + " -t "
              + pid
              + " -n ./mesh stat "
              + pid);
    }
  }

  /** Attaching to a stopped process would wait until somebody continues it. */
  private static void requireRunning(long pid) throws IOException {
    boolean isStopped;
    try {
      isStopped =
          Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
              .anyMatch(line -> line.matches("State:\\s+[Tt].*"));
    } catch (NoSuchFileException e) {
      throw new IOException("process " + pid + " has ended.", e);
    }
    if (isStopped) {
      throw new IOException(
          "process "
              + pid
              + " is stopped, by a signal or a debugger. Continue it, for example: kill -CONT "
              + pid);
    }
  }

  private static String address(MeshProcess process) throws IOException {
    try {
      VirtualMachine machine = VirtualMachine.attach(Long.toString(process.pid()));
      try {
        String running = machine.getAgentProperties().getProperty(ADDRESS);
        return running == null ? machine.startLocalManagementAgent() : running;
      } finally {
        machine.detach();
      }
    } catch (AttachNotSupportedException | IOException e) {
      throw new IOException(cannotAttach(process, e), e);
    } catch (NoClassDefFoundError e) {
      throw new IOException(
          "this Java runtime has no module jdk.attach. Run ./mesh with a JDK, or a runtime that has the module.",
          e);
    }
  }

  private static String cannotAttach(MeshProcess process, Exception why) {
    String self = System.getProperty("user.name");
    String text = "cannot attach to process " + process.pid() + ": " + why.getMessage() + ". ";
    return process.user().equals(self)
        ? text
            + "Is it stopped, or was it started with -XX:+DisableAttachMechanism or a runtime without"
            + " jdk.management.agent?"
        : text
            + "It belongs to user "
            + process.user()
            + ", and attaching takes the same user: sudo -u "
            + process.user()
            + " ./mesh stat "
            + process.pid();
  }

  /**
   * Reads all channels.
   *
   * @throws IOException if the process is gone, or has closed its last transport
   */
  StatSample sample() throws IOException {
    try {
      List<StatSample.Node> nodes = new ArrayList<>();
      for (ObjectName name : names()) {
        try {
          nodes.add(node(name));
        } catch (InstanceNotFoundException e) {
          // Closed since its name was read.
          continue;
        }
      }
      nodes.sort(Comparator.comparing(StatSample.Node::label));
      return new StatSample(System.nanoTime(), nodes);
    } catch (JMException e) {
      throw new IOException(
          "process "
              + pid
              + " shows its transports in a form that this version cannot read: "
              + e
              + ". Run the ./mesh of its version.",
          e);
    }
  }

  /**
   * Reads the map of the mesh that the process has joined.
   *
   * @param port the neighbour port of the mesh
   * @return JSON of the format mesh-map/1
   * @throws IOException if the process is gone or stopped, or has left the mesh
   */
  String meshMap(int port) throws IOException {
    requireRunning(pid);
    try {
      return LimitedCall.of(
          () -> readMeshMap(port),
          READ_LIMIT_MS,
          "process " + pid + " did not answer for 15 s. Is it stopped?");
    } catch (RemoteException e) {
      throw new IOException("process " + pid + " does not answer: " + e.getMessage(), e);
    }
  }

  private String readMeshMap(int port) throws IOException {
    try {
      long startNs = System.nanoTime();
      do {
        for (ObjectName name : names()) {
          String map = readMeshMap(name, port);
          if (!map.isEmpty()) {
            return map;
          }
        }
      } while (System.nanoTime() - startNs < BEAN_WAIT_NS && pause());
      throw new IOException("process " + pid + " has no mesh at port " + port + " (any more).");
    } catch (AttributeNotFoundException e) {
      throw new IOException(
          "process " + pid + " has a version of this library that does not show its mesh by JMX.",
          e);
    } catch (JMException e) {
      throw new IOException("process " + pid + " cannot show its mesh: " + e, e);
    }
  }

  /** Of one transport at most: the port is in use by its mesh. Of others it is empty. */
  private String readMeshMap(ObjectName transport, int port) throws IOException, JMException {
    try {
      return server.getAttribute(transport, "MeshPort").equals(port)
          ? (String) server.getAttribute(transport, "MeshMap")
          : "";
    } catch (InstanceNotFoundException e) {
      return ""; // Closed since its name was read; another may be the node.
    }
  }

  private Set<ObjectName> names() throws IOException, JMException {
    ObjectName pattern = new ObjectName(TransportRegistration.DOMAIN + ":type=Transport,*");
    long startNs = System.nanoTime();
    Set<ObjectName> found = server.queryNames(pattern, null);
    while (found.isEmpty() && System.nanoTime() - startNs < BEAN_WAIT_NS && pause()) {
      found = server.queryNames(pattern, null);
    }
    if (found.isEmpty()) {
      throw new IOException("process " + pid + " has no open transport (any more).");
    }
    return found;
  }

  private static boolean pause() {
    try {
      Thread.sleep(BEAN_POLL_MS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private StatSample.Node node(ObjectName name) throws IOException, JMException {
    List<StatSample.Channel> channels = new ArrayList<>();
    for (CompositeData channel : (CompositeData[]) server.getAttribute(name, "Channels")) {
      channels.add(channel(channel));
    }
    return new StatSample.Node(
        (String) server.getAttribute(name, "Node"),
        (String) server.getAttribute(name, "Id"),
        channels);
  }

  private static StatSample.Channel channel(CompositeData from) {
    String name = from.containsKey("peerName") ? (String) from.get("peerName") : "";
    String peer = (String) from.get("peer");
    return new StatSample.Channel(
        (Long) from.get("number"),
        (String) from.get("direction"),
        name.isEmpty() ? peer : name + " (" + peer + ")",
        from.get("peerAddress") + " via " + from.get("localNic"),
        (String) from.get("state"),
        (Integer) from.get("pendingRequests"),
        (Long) from.get("oldestPendingMs"),
        counter(from, Counter.MESSAGES),
        counter(from, Counter.BYTES),
        (String) from.get("failure"));
  }

  private static long counter(CompositeData channel, Counter counter) {
    CompositeData entry =
        ((TabularData) channel.get("counters")).get(new Object[] {counter.name()});
    return (Long) entry.get("value");
  }

  @Override
  public void close() {
    try {
      LimitedCall.of(
          () -> {
            connector.close();
            return null;
          },
          CLOSE_LIMIT_MS,
          "it does not answer");
    } catch (IOException e) {
      // The process has ended, and the connection with it, or has stopped.
      return;
    }
  }
}
