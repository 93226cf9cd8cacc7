// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import java.io.InterruptedIOException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Sends a bundle over the links of its destinations, and copies it into registered memory before
 * that, once, if it is not there. Any thread may call it; a caller waits for a slow peer at most
 * {@code send_timeout}.
 */
public final class BundleSender {
  private static final int FAILED = 0;
  private static final int SENT = 1;
  private static final int WOULD_BLOCK = -1;

  private final SendBufferPool pool;
  private final Links links;
  private final int bufferBytes;
  private final int maxBundleBytes;
  private final long sendTimeoutNs;
  private final LongAdder bundles = new LongAdder();
  private final LongAdder copies = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  /**
   * @param bufferBytes of a peer's posted receive, the header included
   */
  public BundleSender(
      SendBufferPool pool, Links links, int bufferBytes, int maxBundleBytes, long sendTimeoutNs) {
    this.pool = pool;
    this.links = links;
    this.bufferBytes = bufferBytes;
    this.maxBundleBytes = maxBundleBytes;
    this.sendTimeoutNs = sendTimeoutNs;
  }

  /**
   * Sends one bundle to one peer.
   *
   * @param bundle from position to limit, read before this returns
   * @throws SocketException if the peer cannot be reached, or consumes nothing for too long
   * @throws InterruptedIOException if the thread is interrupted while it waits (the interrupt stays
   *     set)
   */
  public void send(OutboundLink link, ByteBuffer bundle)
      throws SocketException, InterruptedIOException {
    int lengthBytes = bundle.remaining();
    long deadlineNs = System.nanoTime() + sendTimeoutNs;
    try {
      if (lengthBytes <= bufferBytes - BundleHeader.HEADER_BYTES) {
        int buffer = fill(BundleHeader.BUNDLE, bundle, lengthBytes, lengthBytes, 0, deadlineNs);
        send(link, buffer, BundleHeader.HEADER_BYTES + lengthBytes, deadlineNs);
      } else {
        sendFragments(link, bundle);
      }
    } catch (InterruptedException e) {
      throw interrupted();
    }
    count(1, lengthBytes);
  }

  /**
   * Sends a bundle that is in a buffer with its header, as {@link BundleOutput} leaves it. The
   * caller keeps its reference; the link retains one of its own.
   *
   * @param lengthBytes of the bundle
   * @throws SocketException as above
   * @throws InterruptedIOException as above
   */
  public void send(OutboundLink link, int buffer, int lengthBytes)
      throws SocketException, InterruptedIOException {
    pool.retain(buffer);
    try {
      send(
          link, buffer, BundleHeader.HEADER_BYTES + lengthBytes, System.nanoTime() + sendTimeoutNs);
    } catch (InterruptedException e) {
      throw interrupted();
    }
    count(1, lengthBytes);
  }

  /** As above, to several peers: those with a free receive get it first. */
  public void send(OutboundLink[] targets, int buffer, int lengthBytes, FailedSends misses)
      throws InterruptedIOException {
    try {
      long deadlineNs = System.nanoTime() + sendTimeoutNs;
      count(sendAll(targets, buffer, lengthBytes, deadlineNs, misses), lengthBytes);
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  /**
   * Sends one bundle to several peers, and copies it into registered memory only once. Peers with a
   * free receive get it first; then the others are waited for together.
   *
   * @param targets notified of each link that fails
   */
  public void send(OutboundLink[] targets, ByteBuffer bundle, FailedSends misses)
      throws InterruptedIOException {
    int lengthBytes = bundle.remaining();
    long deadlineNs = System.nanoTime() + sendTimeoutNs;
    try {
      if (lengthBytes <= bufferBytes - BundleHeader.HEADER_BYTES) {
        count(sendWhole(targets, bundle, deadlineNs, misses), lengthBytes);
      } else {
        for (OutboundLink target : targets) {
          try {
            sendFragments(target, bundle.duplicate());
            count(1, lengthBytes);
          } catch (SocketException e) {
            misses.failed(target, e);
          }
        }
      }
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  /** Notified of each peer that does not get a bundle for several. */
  public interface FailedSends {
    void failed(OutboundLink link, SocketException why);
  }

  /** How many links sent it. */
  private int sendWhole(
      OutboundLink[] targets, ByteBuffer bundle, long deadlineNs, FailedSends misses)
      throws InterruptedException {
    int lengthBytes = bundle.remaining();
    int buffer;
    try {
      buffer = fill(BundleHeader.BUNDLE, bundle, lengthBytes, lengthBytes, 0, deadlineNs);
    } catch (SocketException e) {
      Arrays.stream(targets).forEach(target -> misses.failed(target, e));
      return 0;
    }
    try {
      return sendAll(targets, buffer, lengthBytes, deadlineNs, misses);
    } finally {
      pool.release(buffer);
    }
  }

  /** Each link retains a reference of its own; how many sent it. */
  private int sendAll(
      OutboundLink[] targets, int buffer, int lengthBytes, long deadlineNs, FailedSends misses)
      throws InterruptedException {
    int messageBytes = BundleHeader.HEADER_BYTES + lengthBytes;
    int taken = 0;
    OutboundLink[] slow = null;
    for (int i = 0; i < targets.length; i++) {
      int outcome = sendNow(targets[i], buffer, messageBytes, misses);
      if (outcome == WOULD_BLOCK) {
        slow = slow == null ? new OutboundLink[targets.length] : slow;
        slow[i] = targets[i];
      } else {
        taken += outcome;
      }
    }
    for (int i = 0; slow != null && i < slow.length; i++) {
      if (slow[i] != null) {
        taken += sendBlocking(slow[i], buffer, messageBytes, deadlineNs, misses);
      }
    }
    return taken;
  }

  /** {@link #SENT}, {@link #FAILED}, or {@link #WOULD_BLOCK} if the caller must wait. */
  private int sendNow(OutboundLink link, int buffer, int messageBytes, FailedSends misses) {
    pool.retain(buffer);
    boolean taken = false;
    try {
      taken = link.trySend(buffer, messageBytes);
      return taken ? SENT : WOULD_BLOCK;
    } catch (SocketException e) {
      misses.failed(link, e);
      return FAILED;
    } finally {
      if (!taken) {
        pool.release(buffer);
      }
    }
  }

  private int sendBlocking(
      OutboundLink link, int buffer, int messageBytes, long deadlineNs, FailedSends misses)
      throws InterruptedException {
    pool.retain(buffer);
    try {
      send(link, buffer, messageBytes, deadlineNs);
      return SENT;
    } catch (SocketException e) {
      misses.failed(link, e);
      return FAILED;
    }
  }

  /** Passes a reference of a buffer to a link, or releases it. */
  private void send(OutboundLink link, int buffer, int messageBytes, long deadlineNs)
      throws SocketException, InterruptedException {
    boolean taken = false;
    try {
      link.send(buffer, messageBytes, deadlineNs);
      taken = true;
    } finally {
      if (!taken) {
        pool.release(buffer);
      }
    }
  }

  /**
   * Sends one bundle in fragments; another bundle waits, because the peer reassembles one at a
   * time.
   */
  private void sendFragments(OutboundLink link, ByteBuffer bundle)
      throws SocketException, InterruptedException {
    int lengthBytes = bundle.remaining();
    if (lengthBytes > maxBundleBytes) {
      throw new IllegalArgumentException(
          "a message of "
              + lengthBytes
              + " bytes; at most "
              + maxBundleBytes
              + " are sent. Put FRAG2 or FRAG4 into the stack, or raise max_bundle on every node.");
    }
    if (!link.fragmentLock().tryLock(sendTimeoutNs, TimeUnit.NANOSECONDS)) {
      throw new SocketException("another large message to that node takes too long");
    }
    try {
      int offsetBytes = 0;
      while (offsetBytes < lengthBytes) {
        int partBytes =
            Math.min(lengthBytes - offsetBytes, bufferBytes - BundleHeader.HEADER_BYTES);
        long deadlineNs = System.nanoTime() + sendTimeoutNs;
        int buffer =
            fill(BundleHeader.FRAGMENT, bundle, partBytes, lengthBytes, offsetBytes, deadlineNs);
        send(link, buffer, BundleHeader.HEADER_BYTES + partBytes, deadlineNs);
        offsetBytes += partBytes;
      }
    } finally {
      link.fragmentLock().unlock();
    }
  }

  /** Acquires a buffer and writes header and bytes into it; advances the bundle's position. */
  private int fill(
      byte kind,
      ByteBuffer bundle,
      int partBytes,
      int bundleBytes,
      int offsetBytes,
      long deadlineNs)
      throws SocketException, InterruptedException {
    int buffer = pool.tryAcquire();
    if (buffer == SendBufferPool.NONE) {
      buffer = pool.acquire(deadlineNs, links::reap);
    }
    if (buffer == SendBufferPool.NONE) {
      throw new SocketException(
          "all send_buffers ("
              + pool.size()
              + ") are in flight to peers that consume nothing; the message is dropped");
    }
    ByteBuffer bytes = pool.bytes(buffer);
    BundleHeader.put(bytes, kind, bundleBytes, offsetBytes);
    bytes.put(BundleHeader.HEADER_BYTES, bundle, bundle.position(), partBytes);
    copies.increment();
    bundle.position(bundle.position() + partBytes);
    return buffer;
  }

  private void count(int peers, int lengthBytes) {
    bundles.add(peers);
    bytes.add((long) peers * lengthBytes);
  }

  private static InterruptedIOException interrupted() {
    Thread.currentThread().interrupt();
    return new InterruptedIOException("interrupted while waiting for a peer");
  }

  public long bundles() {
    return bundles.sum();
  }

  /** Buffers that were filled here, by a copy, and not by the bundler. */
  public long copies() {
    return copies.sum();
  }

  public long bytes() {
    return bytes.sum();
  }

  /** The failure of a send to a destination that is not known. */
  public static NoRouteToHostException unknownDestination(Object destination) {
    return new NoRouteToHostException(
        destination
            + " is no node that this one knows of (yet): is one of its cables' addresses a"
            + " seed of any node?");
  }
}
