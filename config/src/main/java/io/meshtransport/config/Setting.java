// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * The table of all settings. Each constant is one row: name, unit, default, domain (type and
 * bounds), and why it is there. The tables of docs/SETTINGS.md and of {@link MeshConfig#describe()}
 * are made from it.
 *
 * @param <T> type of the value
 */
public final class Setting<T> {
  /** Prefix of every name. */
  public static final String PREFIX = "MESH_";

  private static final String AUTO = "auto";

  /** See {@link MeshConfig#provider()}. */
  public static final Setting<ProviderChoice> PROVIDER =
      row(
          "MESH_PROVIDER",
          "",
          AUTO,
          Domain.choice(ProviderChoice.class),
          "Verbs provider: RDMA devices, software over TCP, or the first of the two that this host has");

  /** See {@link MeshConfig#hca()}. */
  public static final Setting<NameFilter> HCA =
      row(
          "MESH_HCA",
          "",
          "",
          TextDomains.names(true),
          "RDMA devices to use, as NCCL_IB_HCA: `mlx5` (prefix), `=mlx5_0:1` (exact, one port), `^mlx5_2` (all but); every port of a device, unless one is named");

  /** See {@link MeshConfig#ifname()}. */
  public static final Setting<NameFilter> IFNAME =
      row(
          "MESH_IFNAME",
          "",
          "",
          TextDomains.names(false),
          "Network interfaces to use, in the same syntax, as NCCL_SOCKET_IFNAME");

  /** See {@link MeshConfig#gidIndex()}. */
  public static final Setting<OptionalInt> GID_INDEX =
      row(
          "MESH_GID_INDEX",
          "row",
          AUTO,
          Domain.numberOr(AUTO, 0, 255),
          "Row of the GID table to send from; auto finds the RoCE v2 row of each address, also after rows have moved");

  /** See {@link MeshConfig#loopback()}. */
  public static final Setting<List<String>> LOOPBACK =
      row(
          "MESH_LOOPBACK",
          "",
          "",
          TextDomains.loopbackAddresses(),
          "Loopback addresses to offer as software NICs, each like a cable of its own: to try things out on one host");

  /** See {@link MeshConfig#node()}. */
  public static final Setting<String> NODE =
      row(
          "MESH_NODE",
          "",
          "the host's name",
          TextDomains.nodeName(),
          "Name of this node: peers, Mesh.connect, sessions, groups, logs and metrics use it, so give each node its own; the id beside it in logs is drawn anew at each start");

  /** See {@link MeshConfig#handshakePort()}. */
  public static final Setting<Integer> HANDSHAKE_PORT =
      row(
          "MESH_HANDSHAKE_PORT",
          "TCP port",
          "4791",
          Domain.number(0, 65535),
          "Port for handshakes and lookups of handles; 0 lets the kernel choose, and so does the default where another transport of this host has the port");

  /** See {@link MeshConfig#dataPort()}. */
  public static final Setting<Integer> DATA_PORT =
      row(
          "MESH_DATA_PORT",
          "TCP port",
          "4792",
          Domain.number(0, 65535),
          "Port for the data of software NICs, on each of their addresses; 0 lets the kernel choose, and so does the default where another transport of this host has the port");

  /** See {@link MeshConfig#neighbourPort()}. */
  public static final Setting<Integer> NEIGHBOUR_PORT =
      row(
          "MESH_NEIGHBOUR_PORT",
          "UDP and TCP port",
          "4793",
          Domain.numberExcept(
              1, 65535, 4791, "4791 is the port of RoCE v2, whose packets an adapter takes away"),
          "Port for hellos to neighbours, and for the connections that show whether their processes live, the same on all nodes of a mesh");

  /** See {@link MeshConfig#timeoutMs()}. */
  public static final Setting<Integer> TIMEOUT_MS =
      row(
          "MESH_TIMEOUT_MS",
          "ms",
          "5000",
          Domain.number(10, 600_000),
          "Max duration of a connection set-up; while a request is pending, a silent peer gets four keepalives in that time");

  /** See {@link MeshConfig#requestTimeoutMs()}. */
  public static final Setting<Integer> REQUEST_TIMEOUT_MS =
      row(
          "MESH_REQUEST_TIMEOUT_MS",
          "ms",
          "0",
          Domain.number(0, 86_400_000),
          "Deadline of every request that is begun without one, up to a day; 0 is none: a request then ends when the peer does, at the latest. Receives that wait for rare messages time out too, and with a one-way channel's the channel ends; sessions, groups and relays do not use it");

  /** See {@link MeshConfig#secret()}. */
  public static final Setting<Optional<Secret>> SECRET =
      row(
          "MESH_SECRET",
          "1..1024 bytes",
          "",
          TextDomains.secret(),
          "Key that both ends must share to connect; without one every host that reaches the handshake port is a peer, so an empty value is refused");

  /** See {@link MeshConfig#secret()}. */
  public static final Setting<String> SECRET_FILE =
      row(
          "MESH_SECRET_FILE",
          "path",
          "",
          TextDomains.path(),
          "File with the key, in place of MESH_SECRET (one newline at its end is dropped): a file of mode 600 keeps the key out of scripts, process listings and crash reports");

  /** See {@link MeshConfig#compat()}. */
  public static final Setting<Compat> COMPAT =
      row(
          "MESH_COMPAT",
          "",
          "none",
          Domain.choice(Compat.class),
          "Speak the wire of the C plugin nccl-mesh too, beside ours (docs/WIRE.md): it has no authentication, so not with a secret, and needs RDMA NICs");

  /** See {@link MeshConfig#mtu()}. */
  public static final Setting<OptionalInt> MTU =
      row(
          "MESH_MTU",
          "bytes",
          AUTO,
          Domain.oneOfOr(AUTO, 256, 512, 1024, 2048, 4096),
          "Upper limit of an RDMA packet's payload; auto takes what both ports and their netdevs carry");

  /** See {@link MeshConfig#trafficClass()}. */
  public static final Setting<Integer> TRAFFIC_CLASS =
      row(
          "MESH_TRAFFIC_CLASS",
          "",
          "0",
          Domain.number(0, 255),
          "Traffic class of each packet: on RoCE v2 the IP header's DSCP and ECN bits, as NCCL_IB_TC");

  /** See {@link MeshConfig#serviceLevel()}. */
  public static final Setting<Integer> SERVICE_LEVEL =
      row(
          "MESH_SERVICE_LEVEL",
          "",
          "0",
          Domain.number(0, 15),
          "Service level of each packet, 4 bits (InfiniBand specification, 7.7), as NCCL_IB_SL");

  /** See {@link MeshConfig#ibTimeout()}. */
  public static final Setting<Integer> IB_TIMEOUT =
      row(
          "MESH_IB_TIMEOUT",
          "4.096 us x 2^n",
          "16",
          Domain.numberExcept(
              1,
              31,
              0,
              "0 means to wait for ever (ibv_modify_qp(3)), so a dead peer would hang us"),
          "How long a queue pair waits for an acknowledgement before it sends again; 16 is 268 ms");

  /** See {@link MeshConfig#ibRetryCount()}. */
  public static final Setting<Integer> IB_RETRY_COUNT =
      row(
          "MESH_IB_RETRY_COUNT",
          "times",
          "6",
          Domain.numberExcept(
              0,
              6,
              7,
              "7 means endless on some devices, Soft-RoCE among them, so a dead peer would hang us"),
          "How often a queue pair sends again before the connection fails");

  /** See {@link MeshConfig#silenceMs()}. */
  public static final Setting<Integer> SILENCE_MS =
      row(
          "MESH_SILENCE_MS",
          "ms",
          "2000",
          Domain.number(1000, 600_000),
          "In software, in place of the two above: silence of a peer's host after which its channels fail; TCP repeats after 0.2, 0.6 and 1.4 s, and three repeats must have gone unanswered");

  /** See {@link MeshConfig#rnrRetry()}. */
  public static final Setting<Integer> RNR_RETRY =
      row(
          "MESH_RNR_RETRY",
          "times",
          "6",
          Domain.numberExcept(
              0, 6, 7, "7 means endless (ibv_modify_qp(3)), so a stuck receiver would hang us"),
          "How often a queue pair sends again when the receiver has posted no receive (RNR)");

  /** See {@link MeshConfig#qpsPerConnection()}. */
  public static final Setting<Integer> QPS_PER_CONNECTION =
      row(
          "MESH_QPS_PER_CONNECTION",
          "queue pairs",
          "1",
          Domain.number(1, 16),
          "Queue pairs that share the long messages of a one-way channel, on each of its cables; a Connection has one for each cable");

  /** See {@link MeshConfig#rails()}. */
  public static final Setting<Integer> RAILS =
      row(
          "MESH_RAILS",
          "cables",
          "1",
          Domain.number(1, 4),
          "Max cables to one peer that share the long messages of a one-way channel, or stand by for a connection; if one is cut the others go on, and it is used again when it is back");

  /** See {@link MeshConfig#spinUs()}. */
  public static final Setting<Integer> SPIN_US =
      row(
          "MESH_SPIN_US",
          "us",
          "50",
          Domain.number(0, 1_000_000),
          "Max time that a wait polls before it sleeps: longer costs a core, shorter costs a wake-up per message; it shortens by itself where polling does not pay. Callers of a session poll for up to four times that where more of them wait than there are processors");

  /** See {@link MeshConfig#progressThread()}. */
  public static final Setting<Integer> PROGRESS_THREAD =
      row(
          "MESH_PROGRESS_THREAD",
          "",
          "1",
          Domain.number(0, 1),
          "1 lets a thread move along what is under way on channels and pollers that the program does not poll, such as a send whose receive is posted later; 0 is for programs that poll everything they use");

  /** See {@link MeshConfig#failover()}. */
  public static final Setting<Integer> FAILOVER =
      row(
          "MESH_FAILOVER",
          "",
          "1",
          Domain.number(0, 1),
          "1 keeps a rail over the relay ready for each one-way channel and each connection with RelayPolicy.FALLBACK that this end makes, where both ends run a relay: it goes on there when its last cable is lost; 0 ends it then, and costs a channel over a cable nothing");

  /** See {@link MeshConfig#relay()}. */
  public static final Setting<Integer> RELAY =
      row(
          "MESH_RELAY",
          "",
          "1",
          Domain.number(0, 1),
          "1 lets this node pass on what others send to others, where it runs a relay; 0 only lets it have ends of relayed flows");

  /** See {@link MeshConfig#relaySharePercent()}. */
  public static final Setting<Integer> RELAY_SHARE =
      row(
          "MESH_RELAY_SHARE",
          "per cent",
          "50",
          Domain.number(1, 100),
          "Max part of what this node's relay sends over a cable that is passed on for others, while what this node itself sends over relays waits for the same cable; the rest of the time others have all; channels over the cable itself share with the relay as queue pairs do");

  /** See {@link MeshConfig#relayBeside()}. */
  public static final Setting<Integer> RELAY_BESIDE =
      row(
          "MESH_RELAY_BESIDE",
          "",
          "0",
          Domain.number(0, 1),
          "1 lets long messages of one-way channels go over a relay and over the cable together, each as fast as it proves to be, and over other cables than that one where a path leads there; 0 keeps the rail over the relay for when the cable is lost");

  /** The file of a plan of collective operations, for groups, which ask their transport for it. */
  public static final Setting<String> PLAN =
      row(
          "MESH_PLAN",
          "path",
          "",
          TextDomains.path(),
          "File with the plan of collective operations, for the node of rank 0: in place of one made of what the links measure, so that sums have the same bits on hosts that measure differently. It is read at Group.join, which fails if it cannot be; Transport.open does not look at it");

  /** See {@link MeshConfig#poolMib()}. */
  public static final Setting<Integer> POOL_MIB =
      row(
          "MESH_POOL_MIB",
          "MiB",
          "64",
          Domain.number(0, 1 << 20),
          "Unused registered memory that is kept for later allocations; more is returned to the system");

  /** See {@link MeshConfig#cacheMib()}. */
  public static final Setting<Integer> CACHE_MIB =
      row(
          "MESH_CACHE_MIB",
          "MiB",
          "1024",
          Domain.number(0, 1 << 20),
          "Memory of unregistered buffers whose registrations are cached for the next send or receive, 1024 buffers at most because devices limit regions, too; 0 registers each time anew");

  /** See {@link MeshConfig#bounceBytes()}. */
  public static final Setting<Integer> BOUNCE_BYTES =
      row(
          "MESH_BOUNCE_BYTES",
          "bytes",
          "16384",
          Domain.number(0, 1 << 20),
          "Unregistered buffers up to this size are copied through registered memory, 256 at once on all channels, a quarter of them for sends alone; longer ones are registered, because up to here a copy is cheaper, or copied where they are on the heap");

  /** See {@link MeshConfig#debug()}. */
  public static final Setting<Integer> DEBUG =
      row(
          "MESH_DEBUG",
          "",
          "0",
          Domain.number(0, 2),
          "0 logs NICs, established channels and failures; 1 adds, at level INFO, each change of state, how handshakes ended, goodbyes, and all counters at close; 2 adds each step of every handshake");

  private static final List<Setting<?>> ALL =
      List.of(
          PROVIDER,
          HCA,
          IFNAME,
          GID_INDEX,
          LOOPBACK,
          NODE,
          HANDSHAKE_PORT,
          DATA_PORT,
          NEIGHBOUR_PORT,
          TIMEOUT_MS,
          REQUEST_TIMEOUT_MS,
          SECRET,
          SECRET_FILE,
          COMPAT,
          MTU,
          TRAFFIC_CLASS,
          SERVICE_LEVEL,
          IB_TIMEOUT,
          IB_RETRY_COUNT,
          SILENCE_MS,
          RNR_RETRY,
          QPS_PER_CONNECTION,
          RAILS,
          SPIN_US,
          PROGRESS_THREAD,
          FAILOVER,
          RELAY,
          RELAY_SHARE,
          RELAY_BESIDE,
          PLAN,
          POOL_MIB,
          CACHE_MIB,
          BOUNCE_BYTES,
          DEBUG);

  private final String name;
  private final String unit;
  private final String defaultText;
  private final Domain<T> domain;
  private final String why;

  private Setting(String name, String unit, String defaultText, Domain<T> domain, String why) {
    this.name = name;
    this.unit = unit;
    this.defaultText = defaultText;
    this.domain = domain;
    this.why = why;
  }

  private static <T> Setting<T> row(
      String name, String unit, String defaultText, Domain<T> domain, String why) {
    return new Setting<>(name, unit, defaultText, domain, why);
  }

  /** Every setting, in the order of the tables. */
  public static List<Setting<?>> all() {
    return ALL;
  }

  /** Name in the environment and in the map given to open, as in {@code MESH_MTU}. */
  public String name() {
    return name;
  }

  /** Name as a system property, as in {@code mesh.mtu}. */
  public String propertyName() {
    return Source.SYSTEM_PROPERTY.spell(name);
  }

  /** Unit of the value; empty if it has none. */
  public String unit() {
    return unit;
  }

  /** The default value as text; empty for none. */
  public String defaultText() {
    return defaultText;
  }

  /** The possible values, for people. */
  public String bounds() {
    return domain.bounds();
  }

  /** What the setting is for, for people. */
  public String why() {
    return why;
  }

  /** Whether its value must never be shown. */
  public boolean isSecret() {
    return name.equals("MESH_SECRET");
  }

  /**
   * Reads a value.
   *
   * @param text not empty
   * @throws ConfigException naming the setting, the value, its source and the bounds
   */
  EffectiveValue<T> read(String text, Source source) {
    try {
      return new EffectiveValue<>(this, domain.read().apply(text), source);
    } catch (IllegalArgumentException e) {
      throw refuse(text, source, e.getMessage(), e);
    }
  }

  /** The default value. */
  EffectiveValue<T> readDefault(Function<Setting<?>, String> hostDefaults) {
    return new EffectiveValue<>(
        this, domain.read().apply(hostDefaults.apply(this)), Source.DEFAULT);
  }

  ConfigException refuse(String text, Source source, String reason, Exception cause) {
    String shown = isSecret() ? "its value (not shown)" : "'" + text + "'";
    return new ConfigException(
        name,
        source,
        "%s (%s): %s cannot be used%s; possible: %s. Correct it or unset it."
            .formatted(
                source.spell(name),
                source.label(),
                shown,
                reason == null ? "" : ": " + reason,
                bounds() + (unit.isEmpty() ? "" : " (" + unit + ")")),
        cause);
  }

  @Override
  public String toString() {
    return name;
  }
}
