// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.config.Compat;
import io.meshtransport.config.ConfigException;
import io.meshtransport.config.MeshConfig;
import io.meshtransport.config.ProviderChoice;
import io.meshtransport.config.Setting;
import io.meshtransport.config.Source;
import io.meshtransport.handshake.LogLevels;
import io.meshtransport.nic.Discovery;
import io.meshtransport.nic.HostFingerprint;
import io.meshtransport.nic.Inventory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.spi.TransportProvider;
import io.meshtransport.transport.device.LocalNics;
import io.meshtransport.transport.device.NicHost;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.VerbsGidTables;
import io.meshtransport.verbs.VerbsProvider;
import io.meshtransport.verbs.VerbsProviders;
import io.meshtransport.verbs.WirePort;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.ServiceConfigurationError;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Opens mesh transports: settings, verbs provider, NICs, in this order. Holds nothing but which
 * warnings of settings were logged; any thread may call it.
 */
public final class MeshTransportProvider implements TransportProvider {
  private static final Logger LOG = LogManager.getLogger(MeshTransportProvider.class);

  /** Of this process, which usually gives all its transports the same environment. */
  private static final LoggedWarnings WARNINGS = new LoggedWarnings();

  @Override
  public String name() {
    return "mesh";
  }

  @Override
  public Transport open(Map<String, String> settings) throws TransportException {
    MeshConfig config = load(settings);
    try {
      return open(config, settings);
    } catch (RuntimeException | LinkageError | ServiceConfigurationError e) {
      // Selectors, sockets and even classes whose jar cannot be opened.
      throw DescriptorShortage.explain(e);
    }
  }

  private static Transport open(MeshConfig config, Map<String, String> given)
      throws TransportException {
    LogLevels.raise(config.debug());
    // Log4j without a configuration prints errors alone, and who misspells a name has none yet.
    WARNINGS.add(config.warnings()).forEach(LOG::error);
    List<String> refusals = new ArrayList<>();
    LocalNics nics = openNics(config, refusals);
    refusals.forEach(LOG::warn);
    return MeshTransport.open(config, nics, given);
  }

  /**
   * The NICs of the provider that is asked for. With {@code auto}, those of software where the host
   * has RDMA devices but none of them can be used.
   */
  private static LocalNics openNics(MeshConfig config, List<String> refusals)
      throws TransportException {
    VerbsProvider first = choose(wanted(config));
    requireHardwareForCompat(config, first);
    LocalNics nics = openNics(config, first, refusals);
    if (nics.now().isEmpty() && mayFallBack(config) && !first.name().equals(OpenNic.SOFTWARE)) {
      nics = openNics(config, choose(OpenNic.SOFTWARE), refusals);
    }
    if (nics.now().isEmpty() && DescriptorShortage.isToldIn(String.join("\n", refusals))) {
      throw DescriptorShortage.of(String.join("\n", refusals), null);
    }
    if (nics.now().isEmpty()) {
      throw new TransportException(
          Reason.NO_NIC,
          "No NIC of this host is usable (provider "
              + first.name()
              + ").\n"
              + String.join("\n", refusals)
              + "\nRun `./mesh nics` to see every port and its remedy.");
    }
    return nics;
  }

  /**
   * As {@link Discovery#scan} has it: a row that is pinned is a wish for RDMA. So is the wire of
   * the C plugin.
   */
  private static boolean mayFallBack(MeshConfig config) {
    return config.provider() == ProviderChoice.AUTO
        && config.gidIndex().isEmpty()
        && config.compat() == Compat.NONE;
  }

  private static void requireHardwareForCompat(MeshConfig config, VerbsProvider provider)
      throws TransportException {
    if (config.compat() == Compat.NCCL_MESH && provider.name().equals(OpenNic.SOFTWARE)) {
      throw new TransportException(
          Reason.CONFIGURATION,
          "MESH_COMPAT=nccl-mesh needs RDMA NICs: a C plugin drives nothing else, and its wire has no"
              + " room for the port of software queue pairs. `./mesh nics` says why there are none; else unset it.");
    }
  }

  /** Loopback addresses are offered in software only, as {@link Discovery#scan} has it. */
  private static String wanted(MeshConfig config) {
    return config.provider() == ProviderChoice.AUTO && !config.loopback().isEmpty()
        ? OpenNic.SOFTWARE
        : config.provider().name().toLowerCase(Locale.ROOT);
  }

  /**
   * @param refusals gets a sentence for each NIC that could not be opened
   */
  private static LocalNics openNics(
      MeshConfig config, VerbsProvider provider, List<String> refusals) throws TransportException {
    LiveNicHost host = new LiveNicHost(config, provider, new ConcurrentLinkedQueue<>());
    LocalNics nics = LocalNics.of(host, refusals);
    if (!host.takenPorts().isEmpty()) {
      TransportException why =
          new TransportException(Reason.NO_RESOURCES, String.join("\n", host.takenPorts()));
      nics.close(why);
      throw why;
    }
    return nics;
  }

  /** This host, seen through one provider. */
  private record LiveNicHost(MeshConfig config, VerbsProvider provider, Queue<String> takenPorts)
      implements NicHost {
    /** Loopback addresses are fixed: there is nothing to follow. */
    @Override
    public boolean isChanging() {
      return config.loopback().isEmpty();
    }

    @Override
    public HostFingerprint fingerprint() {
      return HostFingerprint.live();
    }

    @Override
    public Inventory scan() {
      Discovery discovery = VerbsGidTables.discovery(config, provider);
      return provider.name().equals(OpenNic.SOFTWARE) ? discovery.soft() : discovery.rdma();
    }

    @Override
    public VerbsDevice open(String device) throws VerbsException {
      // Who asked for a port wants that one or none: firewalls know it. The default is a wish.
      boolean isRequired =
          config.dataPort() != 0 && config.effective(Setting.DATA_PORT).source() != Source.DEFAULT;
      try {
        return provider.open(device, new WirePort(config.dataPort(), isRequired));
      } catch (VerbsException e) {
        if (e.errno() == Errno.EADDRINUSE) {
          takenPorts.add(e.getMessage());
        }
        throw e;
      }
    }
  }

  private static MeshConfig load(Map<String, String> settings) throws TransportException {
    try {
      return MeshConfig.load(settings);
    } catch (ConfigException e) {
      throw new TransportException(Reason.CONFIGURATION, e.getMessage());
    }
  }

  private static VerbsProvider choose(String name) throws TransportException {
    try {
      return VerbsProviders.choose(name);
    } catch (VerbsException e) {
      throw new TransportException(Reason.UNAVAILABLE, e.getMessage(), e);
    }
  }
}
