// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A topology in network namespaces of this host: one per node, and per cable a veth pair or a
 * {@link CableRelay}. Each node sees its own cables and nothing else, so what arrives came over a
 * cable of its pair.
 *
 * <p>Namespaces are called mesh-MAKER-N-NODE, where {@link Maker} is this process: what a killed
 * process left behind is removed by the next one.
 */
final class NamespaceFabric implements Fabric {
  private static final AtomicInteger NEXT = new AtomicInteger();
  private static final boolean HOST_HAS_IPV6 = Files.exists(Path.of("/proc/sys/net/ipv6"));

  private static final String CONGESTION_CONTROL = "/proc/sys/net/ipv4/tcp_congestion_control";

  private final Topology topology;
  private final NamespaceAccess access;
  private final String namePrefix;
  private final OptionalLong relaySeed;
  private final Map<Cable, CableRelay> relays = new HashMap<>();
  private final List<Process> processes = new ArrayList<>();
  private final Thread atExit = new Thread(this::tearDown, "mesh-fabric-tear-down");
  private boolean closed;

  /**
   * @param relaySeed for {@link CableRelay}s; empty for veth pairs
   */
  NamespaceFabric(Topology topology, NamespaceAccess access, OptionalLong relaySeed) {
    this.topology = topology;
    this.access = access;
    this.relaySeed = relaySeed;
    this.namePrefix = StaleNamespaces.prefix(NEXT.incrementAndGet());
    Runtime.getRuntime().addShutdownHook(atExit);
    try {
      createCables();
    } catch (FabricException e) {
      close();
      throw e;
    }
  }

  /** Holds the lock, so that a signal takes away all of it or comes before any of it. */
  private synchronized void createCables() {
    if (closed) {
      throw new FabricException("this process is ending");
    }
    new StaleNamespaces(access).remove();
    topology.nodes().forEach(node -> access.ip("netns", "add", namespace(node)).run());
    access.ip("-batch", "-").run(congestionControlScript());
    if (relaySeed.isPresent()) {
      topology.cables().forEach(cable -> relays.put(cable, startRelay(cable)));
    } else {
      access.ip("-batch", "-").run(cablesScript());
    }
    topology.nodes().forEach(node -> inNode(node, "-batch", "-").run(addressesScript(node)));
    topology.nodes().forEach(this::limitRates);
    topology.nodes().forEach(node -> new UsableAddresses(inNode(node, "-j", "addr")).await());
  }

  private String namespace(String node) {
    return namePrefix + node;
  }

  private Command inNode(String node, String... arguments) {
    List<String> words = new ArrayList<>(List.of("-n", namespace(node)));
    words.addAll(List.of(arguments));
    return access.ip(words.toArray(String[]::new));
  }

  private CableRelay startRelay(Cable cable) {
    String a = cable.a().node();
    String b = cable.b().node();
    return CableRelay.start(
        cable,
        access.prefix(),
        List.of(
            namespace(a),
            topology.interfaceName(cable, a),
            namespace(b),
            topology.interfaceName(cable, b)),
        relaySeed.getAsLong() + topology.cables().indexOf(cable));
  }

  /** Changes something at a node, as {@code ip -n NODE ...} does. */
  void ip(String node, String... words) {
    inNode(node, words).run();
  }

  /**
   * Lays a cable between two nodes that the topology does not have, down, without addresses and
   * without fe80:: ones once it is up.
   */
  void addCable(String one, String other, String interfaceName) {
    access
        .ip(
            "link",
            "add",
            interfaceName,
            "netns",
            namespace(one),
            "type",
            "veth",
            "peer",
            "name",
            interfaceName,
            "netns",
            namespace(other))
        .run();
    List.of(one, other)
        .forEach(node -> ip(node, "link", "set", interfaceName, "addrgenmode", "none"));
  }

  /**
   * Every node has cubic, the kernel's own default, or reno, which each kernel has, where
   * namespaces may not choose cubic: with bbr, which hosts may have chosen for long distances, TCP
   * sets a timer for each 64 KiB, and in a virtual machine each of those is an exit to its host.
   */
  private String congestionControlScript() {
    StringBuilder script = new StringBuilder();
    for (String node : topology.nodes()) {
      script.append(
          "netns exec %s sh -c \"for each in cubic reno; do echo $each > %s && break; done 2>/dev/null; true\"%n"
              .formatted(namespace(node), CONGESTION_CONTROL));
    }
    return script.toString();
  }

  private String cablesScript() {
    StringBuilder script = new StringBuilder();
    for (Cable cable : topology.cables()) {
      String a = cable.a().node();
      String b = cable.b().node();
      script.append(
          "link add %s mtu %d netns %s type veth peer name %s mtu %d netns %s%n"
              .formatted(
                  topology.interfaceName(cable, a),
                  cable.a().mtuBytes(),
                  namespace(a),
                  topology.interfaceName(cable, b),
                  cable.b().mtuBytes(),
                  namespace(b)));
    }
    return script.toString();
  }

  private String addressesScript(String node) {
    StringBuilder script = new StringBuilder("link set lo up\n");
    topology.cablesOf(node).forEach(cable -> script.append(addressScript(cable, node)));
    return script.toString();
  }

  private String addressScript(Cable cable, String node) {
    String name = topology.interfaceName(cable, node);
    CableEnd end = cable.end(node);
    StringBuilder script = new StringBuilder();
    if (HOST_HAS_IPV6) {
      // No fe80:: addresses: their duplicate detection would put packets of no node on the cable.
      script.append("link set %s addrgenmode none%n".formatted(name));
    }
    return script
        .append(
            "addr replace %s dev %s%s%n"
                .formatted(end.address(), name, end.address().isIpv4() ? "" : " nodad"))
        .append("link set %s mtu %d up%n".formatted(name, end.mtuBytes()))
        .toString();
  }

  private void limitRates(String node) {
    for (Cable cable : topology.cablesOf(node)) {
      cable
          .rateMbps()
          .ifPresent(rate -> limitRate(node, topology.interfaceName(cable, node), rate));
    }
  }

  private void limitRate(String node, String interfaceName, int rateMbps) {
    List<String> tc = new ArrayList<>(access.prefix());
    tc.addAll(List.of("tc", "-n", namespace(node), "qdisc", "add", "dev", interfaceName, "root"));
    // A bucket of 256 KiB holds four of the largest segments that TCP hands to a device at once.
    Command.of(tc, "tbf", "rate", rateMbps + "mbit", "burst", "256kb", "latency", "50ms").run();
  }

  @Override
  public Topology topology() {
    return topology;
  }

  @Override
  public Map<String, String> settings(String node) {
    // RDMA devices of the host show up in every namespace, though their cables are elsewhere.
    return Map.of("MESH_PROVIDER", "soft");
  }

  @Override
  public Process start(String node, ProcessBuilder builder) throws IOException {
    List<String> words = new ArrayList<>(access.ip("netns", "exec", namespace(node)).words());
    words.addAll(builder.command());
    // nsenter and ip both become the program they start, so signals reach the program itself.
    Process process = builder.command(words).start();
    synchronized (this) {
      processes.add(process);
      if (closed) {
        process.destroyForcibly();
      }
    }
    return process;
  }

  @Override
  public boolean hasRealCables() {
    return true;
  }

  @Override
  public void cut(Cable cable) {
    if (relays.containsKey(cable)) {
      relays.get(cable).carrier(false);
      return;
    }
    // One end is enough: the other one loses its carrier.
    String node = cable.a().node();
    inNode(node, "link", "set", topology.interfaceName(cable, node), "down").run();
  }

  @Override
  public void mend(Cable cable) {
    if (relays.containsKey(cable)) {
      relays.get(cable).carrier(true);
    }
    // The kernel took the IPv6 addresses away when the interface went down.
    for (CableEnd end : List.of(cable.a(), cable.b())) {
      inNode(end.node(), "-batch", "-").run(addressScript(cable, end.node()));
    }
    for (CableEnd end : List.of(cable.a(), cable.b())) {
      // Of this cable alone: others may be cut.
      String name = topology.interfaceName(cable, end.node());
      new UsableAddresses(inNode(end.node(), "-j", "addr", "show", "dev", name)).await();
    }
  }

  @Override
  public CableRelay relay(Cable cable) {
    CableRelay relay = relays.get(cable);
    return relay == null ? Fabric.super.relay(cable) : relay;
  }

  @Override
  public void removeAddress(Cable cable, String node) {
    String address = cable.end(node).address().toString();
    inNode(node, "addr", "del", address, "dev", topology.interfaceName(cable, node)).run();
  }

  @Override
  public List<InterfaceCounters> counters(String node) {
    return LinkStatistics.parse(inNode(node, "-s", "-j", "link").run());
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
    // A namespace lives as long as a process in it, so those go first.
    processes.forEach(Process::destroyForcibly);
    processes.forEach(process -> process.onExit().join());
    relays.values().forEach(CableRelay::close);
    new StaleNamespaces(access).removeAll(namePrefix);
    access.close();
  }
}
