package io.meshtransport.transport;

import io.meshtransport.config.Compat;
import io.meshtransport.config.ConfigException;
import io.meshtransport.config.MeshConfig;
import io.meshtransport.nic.Discovery;
import io.meshtransport.nic.Inventory;
import io.meshtransport.nic.Nic;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.spi.TransportProvider;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.VerbsProvider;
import io.meshtransport.verbs.VerbsProviders;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Opens mesh transports: settings, verbs provider, NICs, in this order. Holds nothing; any thread
 * may call it.
 */
public final class MeshTransportProvider implements TransportProvider {
  private static final Logger LOG = LogManager.getLogger(MeshTransportProvider.class);

  @Override
  public String name() {
    return "mesh";
  }

  @Override
  public Transport open(Map<String, String> settings) throws TransportException {
    MeshConfig config = load(settings);
    config.warnings().forEach(LOG::warn);
    VerbsProvider provider = choose(config);
    Discovery discovery = Discovery.live(config);
    Inventory inventory = provider.name().equals("soft") ? discovery.soft() : discovery.rdma();
    List<String> refusals = new ArrayList<>();
    List<OpenNic> nics = open(provider, inventory.nics(), refusals);
    if (nics.isEmpty()) {
      throw new TransportException(
          Reason.NO_NIC,
          "No NIC of this host is usable (provider "
              + provider.name()
              + ").\n"
              + inventory.explain()
              + String.join("\n", refusals)
              + "\nRun `./mesh nics` to see every port and its remedy.");
    }
    refusals.forEach(LOG::warn);
    return MeshTransport.open(config, nics);
  }

  private static MeshConfig load(Map<String, String> settings) throws TransportException {
    try {
      MeshConfig config = MeshConfig.load(settings);
      requireBuilt(config);
      return config;
    } catch (ConfigException e) {
      throw new TransportException(Reason.CONFIGURATION, e.getMessage(), e);
    }
  }

  /** A setting that would have no effect is an error, not a silence. */
  private static void requireBuilt(MeshConfig config) throws TransportException {
    if (config.compat() != Compat.NONE) {
      throw new TransportException(
          Reason.CONFIGURATION,
          "MESH_COMPAT=nccl-mesh: this release does not speak the C plugin's wire. Unset it.");
    }
    if (config.qpsPerConnection() > 1) {
      throw new TransportException(
          Reason.CONFIGURATION,
          "MESH_QPS_PER_CONNECTION="
              + config.qpsPerConnection()
              + ": this release uses one queue pair per connection. Unset it.");
    }
  }

  private static VerbsProvider choose(MeshConfig config) throws TransportException {
    try {
      return VerbsProviders.choose(config.provider().name().toLowerCase(Locale.ROOT));
    } catch (VerbsException e) {
      throw new TransportException(Reason.UNAVAILABLE, e.getMessage(), e);
    }
  }

  /** Opens what can be opened: one broken NIC must not take the others away. */
  private static List<OpenNic> open(
      VerbsProvider provider, List<Nic> found, List<String> refusals) {
    List<OpenNic> nics = new ArrayList<>();
    for (Nic nic : found) {
      try {
        nics.add(OpenNic.over(nics.size(), nic, provider.open(nic.device())));
      } catch (VerbsException e) {
        refusals.add(nic.label() + " cannot be opened: " + e.getMessage());
      }
    }
    return nics;
  }
}
