package io.meshtransport.softverbs;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/**
 * Tells a peer that is stopped from one that is gone. An adapter answers while the program behind
 * it is stopped; so does the peer's kernel, and the own kernel knows whether it did. Asked only
 * when an answer is overdue. Guarded by the device's lock.
 */
final class PeerWatch {
  /**
   * Where the kernel's word is not to be had, a peer is given up after this many times the
   * patience: the most that InfiniBand 1.4 section 9.7.6.1.3 allows an adapter to wait.
   */
  static final int BLIND_FACTOR = 4;

  /**
   * A row may be missing from one reading of a table that changes while it is read; after so many
   * readings without it in succession the kernel is taken not to tell.
   */
  private static final int MISSES_BELIEVED = 3;

  private final KernelAcks kernelAcks;
  private InetSocketAddress local;
  private InetSocketAddress remote;
  private long writtenBytes;
  private Optional<KernelAcks.Row> before = Optional.empty();
  private long acknowledgedBefore;
  private int misses = MISSES_BELIEVED;

  PeerWatch(KernelAcks kernelAcks) {
    this.kernelAcks = kernelAcks;
  }

  void begin(SocketChannel channel) throws IOException {
    local = (InetSocketAddress) channel.getLocalAddress();
    remote = (InetSocketAddress) channel.getRemoteAddress();
  }

  /** That many bytes were handed to the kernel. */
  void written(long bytes) {
    writtenBytes += bytes;
  }

  /**
   * Remembers how things stand.
   *
   * @return whether the kernel waits for nothing, so that something must be sent to find out
   */
  boolean look() {
    before = find();
    acknowledgedBefore = before.map(this::acknowledged).orElse(0L);
    return before.map(row -> row.unacknowledgedBytes() == 0).orElse(true);
  }

  /** Whether the peer's kernel has been silent since the last look although ours asked it. */
  boolean isPeerGone(long silentNs, long patienceNs) {
    Optional<KernelAcks.Row> now = find();
    if (now.isEmpty()) {
      return misses >= MISSES_BELIEVED && silentNs >= BLIND_FACTOR * patienceNs;
    }
    return now.get().isProbingWindow()
        ? ignoresProbes(now.get())
        : before.isPresent() && ignoresData(now.get());
  }

  private Optional<KernelAcks.Row> find() {
    Optional<KernelAcks.Row> row = kernelAcks.find(local, remote);
    misses = row.isPresent() ? 0 : misses + 1;
    return row;
  }

  /**
   * A stopped peer's window is closed, but its kernel answers each probe, which sets the count back
   * to 0. One unanswered probe may just be under way.
   */
  private boolean ignoresProbes(KernelAcks.Row now) {
    return now.unansweredProbes() >= 2;
  }

  private boolean ignoresData(KernelAcks.Row now) {
    return now.unacknowledgedBytes() > 0
        && now.retransmits() > 0
        && acknowledged(now) == acknowledgedBefore;
  }

  private long acknowledged(KernelAcks.Row row) {
    return writtenBytes - row.unacknowledgedBytes();
  }
}
