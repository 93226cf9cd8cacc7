// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.Optional;

/**
 * An open channel of a link, with the bundles and the directory messages in flight on it. Confined
 * to the link's lock, except {@link #awaitProgress} and {@link #close}, which are called without
 * it.
 */
final class LinkChannel {
  private final SendChannel channel;
  private final InFlightSends bundles;
  private final DirectorySender directory;

  /**
   * @param directory this object's to close
   */
  LinkChannel(SendChannel channel, DirectorySender directory, SendBufferPool pool) {
    this.channel = channel;
    this.directory = directory;
    bundles = new InFlightSends(channel, pool);
  }

  /** The bundles in flight. */
  InFlightSends bundles() {
    return bundles;
  }

  /** The directory messages to the peer. */
  DirectorySender directory() {
    return directory;
  }

  /** Sends the next directory message if one is due and the one before was delivered. */
  void sendDirectory() throws TransportException {
    directory.sendNext(channel);
  }

  /** Why the channel is of no more use: it may have failed with nothing in flight on it. */
  Optional<TransportException> failure() {
    if (bundles.failure().isPresent()) {
      return bundles.failure();
    }
    return channel.state() == ChannelState.FAILED
        ? Optional.of(channel.failure())
        : Optional.empty();
  }

  /** Whether sends need a thread in {@link #awaitProgress} to leave. */
  boolean needsProgress() {
    return channel.sendsNeedingProgress() > 0;
  }

  long progressCount() {
    return channel.progressCount();
  }

  /** Waits for progress beyond that count. Without the link's lock. */
  void awaitProgress(long seen, long maxNs) {
    channel.awaitProgress(seen, Duration.ofNanos(Math.max(1, maxNs)));
  }

  /** The chosen route and why it was chosen, for people. */
  String description() {
    return channel.route() + ", " + channel.route().why();
  }

  /** Announces the end to the peer; then no request is pending. Without the link's lock. */
  void close() {
    channel.close();
  }

  /** After {@link #close}: releases the buffers of all bundles in flight. */
  void releaseBundles() {
    bundles.releaseAll();
  }

  /** After {@link #close}: releases the directory messages and their memory. */
  void releaseDirectory() {
    directory.drop();
    directory.close();
  }
}
