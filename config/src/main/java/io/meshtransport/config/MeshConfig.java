// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;

/**
 * All settings of one transport: checked, immutable, read once when a transport opens. The opener
 * loads them and passes this record down; no other code reads the environment.
 *
 * <p>Sources, weakest first: the environment ({@code MESH_MTU}), system properties ({@code
 * -Dmesh.mtu}), the map given to open ({@code "MESH_MTU"}). An empty value counts as not set, so
 * the next weaker source decides; but an empty MESH_SECRET or MESH_SECRET_FILE is refused, since it
 * would let every host in, which is hardly meant.
 *
 * @param values one value per setting, in the order of {@link Setting#all()}
 * @param warnings sentences for the loader to log once: unknown names, settings that are gone, and
 *     weak secrets
 */
public record MeshConfig(Map<Setting<?>, EffectiveValue<?>> values, List<String> warnings) {

  public MeshConfig {
    Map<Setting<?>, EffectiveValue<?>> ordered = new LinkedHashMap<>();
    for (Setting<?> setting : Setting.all()) {
      EffectiveValue<?> effective = values.get(setting);
      if (effective == null || effective.setting() != setting) {
        throw new IllegalArgumentException(setting + " has no value");
      }
      ordered.put(setting, effective);
    }
    values = Collections.unmodifiableMap(ordered);
    warnings = List.copyOf(warnings);
  }

  /**
   * Reads the settings of this process.
   *
   * @param explicit values that the program sets, by their names in the environment; strongest
   * @throws ConfigException if a value cannot be used
   */
  public static MeshConfig load(Map<String, String> explicit) {
    return load(System.getenv(), System.getProperties(), explicit);
  }

  /**
   * Reads settings from the given sources, and at most two files: the one that {@code
   * MESH_SECRET_FILE} names, and the kernel's host name if {@code MESH_NODE} is not set.
   *
   * @param environment weakest
   * @param system properties of the JVM; those that do not start with {@code mesh.} are ignored
   * @param explicit strongest
   * @throws ConfigException if a value cannot be used
   */
  public static MeshConfig load(
      Map<String, String> environment, Properties system, Map<String, String> explicit) {
    return new ConfigLoader(environment, system, explicit, HostName.read()).load();
  }

  /** The default values, whatever this process's environment has. */
  public static MeshConfig defaults() {
    return of(Map.of());
  }

  /**
   * Exactly these settings and otherwise the defaults, whatever this process's environment has.
   *
   * @throws ConfigException if a value cannot be used
   */
  public static MeshConfig of(Map<String, String> explicit) {
    return load(Map.of(), new Properties(), explicit);
  }

  /** The value of one setting and where it came from. */
  @SuppressWarnings("unchecked") // The constructor checked that each entry belongs to its key.
  public <T> EffectiveValue<T> effective(Setting<T> setting) {
    return (EffectiveValue<T>) values.get(setting);
  }

  private <T> T value(Setting<T> setting) {
    return effective(setting).value();
  }

  /** Which verbs provider to use. */
  public ProviderChoice provider() {
    return value(Setting.PROVIDER);
  }

  /** Which RDMA devices, and ports of them, to use. */
  public NameFilter hca() {
    return value(Setting.HCA);
  }

  /** Which network interfaces to use. */
  public NameFilter ifname() {
    return value(Setting.IFNAME);
  }

  /** Row of the GID table to send from, 0 to 255; empty to find the row of each address. */
  public OptionalInt gidIndex() {
    return value(Setting.GID_INDEX);
  }

  /** Loopback addresses to offer as NICs, each as in {@code 127.77.1.1/24}. */
  public List<String> loopback() {
    return value(Setting.LOOPBACK);
  }

  /** Name of this node in its own log: 1 to 32 bytes of UTF-8. */
  public String node() {
    return value(Setting.NODE);
  }

  /**
   * TCP port of the handshake, 0 to 65535; 0 lets the kernel choose. The default, as opposed to a
   * port that was set, is replaced by the kernel's choice where it is in use.
   */
  public int handshakePort() {
    return value(Setting.HANDSHAKE_PORT);
  }

  /**
   * TCP port of the data of software NICs, 0 to 65535; 0 lets the kernel choose. The default, as
   * opposed to a port that was set, is replaced by the kernel's choice where it is in use.
   */
  public int dataPort() {
    return value(Setting.DATA_PORT);
  }

  /**
   * UDP port of hellos to neighbours, and TCP port of their liveness connections, 1 to 65535 and
   * not 4791; the same on all nodes.
   */
  public int neighbourPort() {
    return value(Setting.NEIGHBOUR_PORT);
  }

  /** Max duration of a connection set-up in milliseconds, 10 to 600,000. */
  public int timeoutMs() {
    return value(Setting.TIMEOUT_MS);
  }

  /**
   * Deadline in milliseconds of requests that are begun without one, 0 to 86,400,000; 0 for none.
   */
  public int requestTimeoutMs() {
    return value(Setting.REQUEST_TIMEOUT_MS);
  }

  /** The key that peers must know, from MESH_SECRET or the file that MESH_SECRET_FILE names. */
  public Optional<Secret> secret() {
    return value(Setting.SECRET);
  }

  /** The foreign wire to speak besides ours. */
  public Compat compat() {
    return value(Setting.COMPAT);
  }

  /** Upper limit of an RDMA packet's payload in bytes, a power of two from 256 to 4096. */
  public OptionalInt mtu() {
    return value(Setting.MTU);
  }

  /** Traffic class of each packet, 0 to 255. */
  public int trafficClass() {
    return value(Setting.TRAFFIC_CLASS);
  }

  /** Service level of each packet, 0 to 15. */
  public int serviceLevel() {
    return value(Setting.SERVICE_LEVEL);
  }

  /** Exponent of the time to wait for an acknowledgement, 4.096 us x 2^n, 1 to 31. */
  public int ibTimeout() {
    return value(Setting.IB_TIMEOUT);
  }

  /** How often a queue pair sends again without an acknowledgement, 0 to 6. */
  public int ibRetryCount() {
    return value(Setting.IB_RETRY_COUNT);
  }

  /** Max silence of a peer's host in software, in milliseconds, 1000 to 600,000. */
  public int silenceMs() {
    return value(Setting.SILENCE_MS);
  }

  /** How often a queue pair tries again where no receive is posted, 0 to 6. */
  public int rnrRetry() {
    return value(Setting.RNR_RETRY);
  }

  /** Queue pairs per connection and cable, 1 to 16. */
  public int qpsPerConnection() {
    return value(Setting.QPS_PER_CONNECTION);
  }

  /** Max cables per connection, 1 to 4. */
  public int rails() {
    return value(Setting.RAILS);
  }

  /** Max time that a wait polls before it sleeps, in microseconds, 0 to 1,000,000. */
  public int spinUs() {
    return value(Setting.SPIN_US);
  }

  /** Whether a thread makes progress where the program does not poll. */
  public boolean progressThread() {
    return value(Setting.PROGRESS_THREAD) != 0;
  }

  /** Whether one-way channels have a rail over the relay that stands by, where there is a relay. */
  public boolean failover() {
    return value(Setting.FAILOVER) != 0;
  }

  /** Whether this node passes on what others send to others, where it runs a relay. */
  public boolean relay() {
    return value(Setting.RELAY) != 0;
  }

  /** Whether the rail over a relay carries parts of long messages beside cables. */
  public boolean relayBeside() {
    return value(Setting.RELAY_BESIDE) != 0;
  }

  /**
   * What chunks of others may take of what this node's relay sends over a cable, in per cent, 1 to
   * 100, while chunks of its own wait there.
   */
  public int relaySharePercent() {
    return value(Setting.RELAY_SHARE);
  }

  /** Max unused registered memory that is kept for later allocations, in MiB, 0 to 2^20. */
  public int poolMib() {
    return value(Setting.POOL_MIB);
  }

  /** Max memory of unregistered buffers whose registrations are cached, in MiB, 0 to 2^20. */
  public int cacheMib() {
    return value(Setting.CACHE_MIB);
  }

  /** Max length in bytes of an unregistered buffer that is copied, 0 to 2^20. */
  public int bounceBytes() {
    return value(Setting.BOUNCE_BYTES);
  }

  /** How much to log, 0 to 2. */
  public int debug() {
    return value(Setting.DEBUG);
  }

  /** The effective values with their sources, as a table of text; secrets show their length. */
  public String describe() {
    return SettingTable.effective(this);
  }

  /** The settings, their defaults and bounds as a Markdown table, for docs/SETTINGS.md. */
  public static String markdownTable() {
    return SettingTable.markdown();
  }

  /** The settings that are not at their defaults, without secrets. */
  @Override
  public String toString() {
    return SettingTable.changes(this);
  }
}
