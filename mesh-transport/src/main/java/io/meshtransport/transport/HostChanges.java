// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.nic.ScopedAddress;
import io.meshtransport.spi.NicDescription;
import io.meshtransport.transport.channel.ChannelRegistry;
import io.meshtransport.transport.connect.ListenerRegistry;
import io.meshtransport.transport.device.HostWatch;
import io.meshtransport.transport.device.LocalNics;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.overlay.OverlayLink;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Keeps a transport in step with its host: ends the channels of NICs that are gone, listens for
 * handshakes at the addresses of now, and publishes handles that name them. Runs on the thread of
 * its {@link HostWatch}; {@link #rescan} on any thread.
 */
final class HostChanges implements AutoCloseable, OverlayLink.DetachListener {
  private final LocalNics nics;
  private final ChannelRegistry channels;
  private final ListenerRegistry listeners;
  private final Consumer<Set<ScopedAddress>> listenOn;
  private final HostWatch watch;

  /** Confined to the watch's thread, as the next. */
  private final ListeningAddresses listening = new ListeningAddresses();

  private Set<ScopedAddress> listensOn = Set.of();

  /** The published handle names NICs as they were before. */
  private final AtomicBoolean isChangePending = new AtomicBoolean();

  /**
   * @param listenOn makes the handshake port listen at these addresses, and no others
   */
  HostChanges(
      LocalNics nics,
      ChannelRegistry channels,
      ListenerRegistry listeners,
      Consumer<Set<ScopedAddress>> listenOn) {
    this.nics = nics;
    this.channels = channels;
    this.listeners = listeners;
    this.listenOn = listenOn;
    this.watch = new HostWatch(this::turn, this::descriptions);
  }

  /** Starts the thread, unless the NICs are no host's. */
  void start() {
    if (!nics.areFixed()) {
      watch.start();
    }
  }

  HostWatch watch() {
    return watch;
  }

  /** The NICs, as users see them. */
  List<NicDescription> descriptions() {
    return nics.now().stream().map(OpenNic::describe).toList();
  }

  /** Where peers reach this node. */
  static List<InetAddress> addresses(LocalNics nics) {
    return nics.described().stream()
        .map(Nic::addresses)
        .flatMap(List::stream)
        .map(NicAddress::socketAddress)
        .toList();
  }

  /**
   * Reads the host, unless that was done a moment ago. For a set-up that lacks a NIC or an address:
   * it may be new.
   */
  void rescan() {
    if (nics.scanIfStale(this::gone)) {
      isChangePending.set(true);
      // Sockets and handles are for that thread.
      watch.wakeUp();
    }
  }

  /** A NIC that is not of the host has come or gone. */
  void attachedChanged() {
    isChangePending.set(true);
    watch.wakeUp();
  }

  private void turn() {
    try {
      channels.notePending(System.nanoTime());
    } finally {
      follow();
    }
  }

  private void follow() {
    if (nics.scan(this::gone)) {
      isChangePending.set(true);
    }
    List<ScopedAddress> now = addresses(nics).stream().map(ScopedAddress::of).toList();
    Set<ScopedAddress> wanted = listening.with(now, System.nanoTime());
    if (!wanted.equals(listensOn)) {
      listenOn.accept(wanted);
      listensOn = wanted;
    }
    if (isChangePending.compareAndSet(true, false)) {
      try {
        listeners.publishOldest();
      } catch (RuntimeException | Error e) {
        isChangePending.set(true);
        throw e;
      }
    }
  }

  @Override
  public void leaving(LocalNics.Gone leaving) {
    channels.nicLeaves(leaving.nic(), leaving.why());
  }

  @Override
  public void gone(LocalNics.Gone gone) {
    channels.nicGone(gone.nic(), gone.why());
  }

  /** Ends the thread; waits for it, unless a listener calls. */
  @Override
  public void close() {
    watch.close();
  }
}
