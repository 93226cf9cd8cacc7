// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.config.Compat;
import io.meshtransport.config.MeshConfig;
import io.meshtransport.config.Secret;
import io.meshtransport.config.Setting;
import io.meshtransport.config.Source;
import io.meshtransport.handshake.HandshakeException;
import io.meshtransport.handshake.HandshakeSettings;
import io.meshtransport.handshake.Handshaker;
import io.meshtransport.handshake.LogLevels;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.handshake.SharedSecret;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.ScopedAddress;
import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.Statistics;
import io.meshtransport.transport.channel.ChannelAttendant;
import io.meshtransport.transport.channel.ChannelContext;
import io.meshtransport.transport.channel.ChannelRegistry;
import io.meshtransport.transport.channel.ChannelTiming;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.connect.ChannelAcceptor;
import io.meshtransport.transport.connect.ConnectContext;
import io.meshtransport.transport.connect.ConnectSettings;
import io.meshtransport.transport.connect.CutCables;
import io.meshtransport.transport.connect.EndpointFactory;
import io.meshtransport.transport.connect.ListenerRegistry;
import io.meshtransport.transport.connect.PendingConnects;
import io.meshtransport.transport.connect.RoutePlanner;
import io.meshtransport.transport.connect.WireKeys;
import io.meshtransport.transport.device.LocalNics;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.device.QueuePairSettings;
import io.meshtransport.transport.memory.MemoryRegistry;
import io.meshtransport.transport.memory.MemorySettings;
import io.meshtransport.transport.ncclmesh.NcclMeshWire;
import io.meshtransport.transport.poll.MeshPoller;
import io.meshtransport.transport.poll.ProgressThread;
import io.meshtransport.transport.stats.HandshakeStatistics;
import io.meshtransport.transport.stats.TrafficTable;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * What one transport consists of: opened in the order of need, closed so that nothing is left that
 * another part still uses. Owned by {@link MeshTransport}, which closes it once; any thread may
 * call the parts.
 */
final class TransportParts implements AutoCloseable {
  private static final Logger LOG = LogManager.getLogger(TransportParts.class);

  final LocalNics nics;
  final NodeId self;
  final SetUpThread setUp = new SetUpThread();
  final TrafficTable traffic = new TrafficTable();
  final MemoryRegistry memories;
  final ChannelRegistry channels;
  final ListenerRegistry listeners = new ListenerRegistry(this::publish);
  final PendingConnects pending = new PendingConnects();
  final ProgressThread progress;

  /** Those that are open. */
  final Set<MeshPoller> pollers = ConcurrentHashMap.newKeySet();

  final HostChanges host;
  final ConnectContext context;
  final Handshaker handshaker;
  final ListenerFactory listening;
  final OutboundConnects connects;
  final AttachedOverlay overlay;

  /**
   * Opens all of it but the thread that watches the host.
   *
   * @param nics stay the caller's if this throws
   * @param attendants makes what follows each channel, instead of the progress thread
   * @throws HandshakeException if the handshake port cannot be listened on
   */
  TransportParts(
      MeshConfig config,
      LocalNics nics,
      Optional<Function<MeshChannel, ChannelAttendant>> attendants)
      throws HandshakeException {
    this.nics = nics;
    SecureRandom random = new SecureRandom();
    self = NodeId.random(random);
    QueuePairSettings queuePairs = QueuePairSettings.of(config);
    ChannelTiming timing = ChannelTiming.of(config);
    progress =
        new ProgressThread(!config.progressThread(), () -> cableNic(nics).map(OpenNic::device));
    memories = new MemoryRegistry(self, nics.registrations(), MemorySettings.of(config));
    channels = new ChannelRegistry(timing.goodbyeNs());
    host = new HostChanges(nics, channels, listeners, this::listenOn);
    context =
        new ConnectContext(
            ConnectSettings.of(config),
            new EndpointFactory(
                config.node(), queuePairs, new WireKeys(config.secret().map(Secret::key)), random),
            nics,
            new RoutePlanner(nics),
            new CutCables(),
            host.watch(),
            host::rescan,
            setUp,
            pending,
            listeners,
            channels,
            new ChannelContext(
                timing,
                traffic,
                memories,
                setUp,
                channels::remove,
                attendants.orElse(progress::attendant)));
    Optional<NcclMeshWire> legacy =
        config.compat() == Compat.NCCL_MESH
            ? Optional.of(new NcclMeshWire(nics, queuePairs))
            : Optional.empty();
    // Peers may connect from here on, and are refused until there is a listener.
    handshaker =
        Handshaker.open(
            handshakeSettings(config),
            HostChanges.addresses(nics),
            self,
            new ChannelAcceptor(context));
    listening = new ListenerFactory(context, handshaker, legacy);
    connects = new OutboundConnects(context, handshaker, legacy);
    overlay = new AttachedOverlay(context, handshaker, host, legacy.isPresent());
  }

  /** The best NIC that is no overlay's, whose device may be of another provider. */
  private static Optional<OpenNic> cableNic(LocalNics nics) {
    return nics.now().stream().filter(nic -> !nic.nic().netdev().equals(Overlay.NIC)).findFirst();
  }

  private static HandshakeSettings handshakeSettings(MeshConfig config) {
    // A port that the user has set is used or opening fails: peers know it. The default is a wish.
    boolean isWish = config.effective(Setting.HANDSHAKE_PORT).source() == Source.DEFAULT;
    return new HandshakeSettings(
            config.handshakePort(),
            config.timeoutMs(),
            HandshakeSettings.RETRY_COUNT,
            HandshakeSettings.MAX_HALF_OPEN,
            config.secret().map(secret -> SharedSecret.of(secret.key())))
        .orAnyPort(isWish);
  }

  private void publish(Optional<byte[]> handle) {
    handshaker.publish(handle);
  }

  private void listenOn(Set<ScopedAddress> addresses) {
    handshaker.listenOn(addresses.stream().map(ScopedAddress::toSocketAddress).toList());
  }

  Statistics statistics() {
    return traffic.read(
        nics.described().stream().map(Nic::device).toList(),
        HandshakeStatistics.of(handshaker.counters()));
  }

  /** Closes all of it, within a bounded time. */
  @Override
  public void close() {
    channels.refuseMore();
    pending.refuseMore();
    host.close();
    listeners.closeAll();
    pending.endAll();
    overlay.close();
    // From here on no handshake is in progress, so no channel comes any more.
    handshaker.close();
    setUp.close();
    channels.closeAll();
    // After the connections, whose ends they report.
    pollers.forEach(MeshPoller::transportClosed);
    progress.close();
    LOG.log(LogLevels.decision(), "handshakes: {}", handshaker.counters());
    statistics().peers().forEach(pair -> LOG.log(LogLevels.decision(), "{}", pair));
    IllegalStateException leak =
        new IllegalStateException("something of this transport stays open");
    memories.closeAll(leak);
    nics.close(leak);
    if (leak.getSuppressed().length > 0) {
      // A leak in our code: everything else is closed, so fail loudly.
      throw leak;
    }
  }
}
