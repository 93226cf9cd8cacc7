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
 * Hands a bundle to the links it is for, and before that, if it is not there, puts it into
 * registered memory, once. Any thread may call it; a caller waits for a slow peer at most {@code
 * send_timeout}.
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
   * @param roomBytes of a peer's posted receive, the frame's header included
   */
  public BundleSender(
      SendBufferPool pool, Links links, int roomBytes, int maxBundleBytes, long sendTimeoutNs) {
    this.pool = pool;
    this.links = links;
    this.bufferBytes = roomBytes;
    this.maxBundleBytes = maxBundleBytes;
    this.sendTimeoutNs = sendTimeoutNs;
  }

  /**
   * Sends one bundle to one peer.
   *
   * @param bundle from position to limit, read before this returns
   * @throws SocketException if the peer cannot be reached, or takes nothing for too long
   * @throws InterruptedIOException if the thread is interrupted while it waits (the interrupt stays
   *     set)
   */
  public void send(OutboundLink link, ByteBuffer bundle)
      throws SocketException, InterruptedIOException {
    int lengthBytes = bundle.remaining();
    long deadlineNs = System.nanoTime() + sendTimeoutNs;
    try {
      if (lengthBytes <= bufferBytes - BundleHeader.HEADER_BYTES) {
        int slot = fill(BundleHeader.BUNDLE, bundle, lengthBytes, lengthBytes, 0, deadlineNs);
        send(link, slot, BundleHeader.HEADER_BYTES + lengthBytes, deadlineNs);
      } else {
        sendFragments(link, bundle);
      }
    } catch (InterruptedException e) {
      throw interrupted();
    }
    count(1, lengthBytes);
  }

  /**
   * Sends a bundle that is in a slot with its frame, as {@link BundleOutput} leaves it. Its holder
   * stays that; the link takes a hold of its own.
   *
   * @param lengthBytes of the bundle
   * @throws SocketException as above
   * @throws InterruptedIOException as above
   */
  public void send(OutboundLink link, int slot, int lengthBytes)
      throws SocketException, InterruptedIOException {
    pool.retain(slot);
    try {
      send(link, slot, BundleHeader.HEADER_BYTES + lengthBytes, System.nanoTime() + sendTimeoutNs);
    } catch (InterruptedException e) {
      throw interrupted();
    }
    count(1, lengthBytes);
  }

  /** As above, to several peers: those that take it at once get it first. */
  public void send(OutboundLink[] targets, int slot, int lengthBytes, FailedSends misses)
      throws InterruptedIOException {
    try {
      long deadlineNs = System.nanoTime() + sendTimeoutNs;
      count(sendAll(targets, slot, lengthBytes, deadlineNs, misses), lengthBytes);
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  /**
   * Sends one bundle to several peers, which it is written into registered memory for only once.
   * Those that take it at once get it first; the others are waited for together.
   *
   * @param targets failures of single ones are told to it; the array's order is of no matter
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

  /** Told of each peer that does not get a bundle for several. */
  public interface FailedSends {
    void failed(OutboundLink link, SocketException why);
  }

  /** How many have taken it. */
  private int sendWhole(
      OutboundLink[] targets, ByteBuffer bundle, long deadlineNs, FailedSends misses)
      throws InterruptedException {
    int lengthBytes = bundle.remaining();
    int slot;
    try {
      slot = fill(BundleHeader.BUNDLE, bundle, lengthBytes, lengthBytes, 0, deadlineNs);
    } catch (SocketException e) {
      Arrays.stream(targets).forEach(target -> misses.failed(target, e));
      return 0;
    }
    try {
      return sendAll(targets, slot, lengthBytes, deadlineNs, misses);
    } finally {
      pool.release(slot);
    }
  }

  /** Each link takes a hold of its own; how many took one. */
  private int sendAll(
      OutboundLink[] targets, int slot, int lengthBytes, long deadlineNs, FailedSends misses)
      throws InterruptedException {
    int messageBytes = BundleHeader.HEADER_BYTES + lengthBytes;
    int taken = 0;
    OutboundLink[] slow = null;
    for (int i = 0; i < targets.length; i++) {
      int outcome = sendNow(targets[i], slot, messageBytes, misses);
      if (outcome == WOULD_BLOCK) {
        slow = slow == null ? new OutboundLink[targets.length] : slow;
        slow[i] = targets[i];
      } else {
        taken += outcome;
      }
    }
    for (int i = 0; slow != null && i < slow.length; i++) {
      if (slow[i] != null) {
        taken += sendBlocking(slow[i], slot, messageBytes, deadlineNs, misses);
      }
    }
    return taken;
  }

  /** {@link #SENT}, {@link #FAILED}, or {@link #WOULD_BLOCK} if it is to be waited for. */
  private int sendNow(OutboundLink link, int slot, int messageBytes, FailedSends misses) {
    pool.retain(slot);
    boolean taken = false;
    try {
      taken = link.trySend(slot, messageBytes);
      return taken ? SENT : WOULD_BLOCK;
    } catch (SocketException e) {
      misses.failed(link, e);
      return FAILED;
    } finally {
      if (!taken) {
        pool.release(slot);
      }
    }
  }

  private int sendBlocking(
      OutboundLink link, int slot, int messageBytes, long deadlineNs, FailedSends misses)
      throws InterruptedException {
    pool.retain(slot);
    try {
      send(link, slot, messageBytes, deadlineNs);
      return SENT;
    } catch (SocketException e) {
      misses.failed(link, e);
      return FAILED;
    }
  }

  /** Hands a hold of a slot to a link, or gives it back. */
  private void send(OutboundLink link, int slot, int messageBytes, long deadlineNs)
      throws SocketException, InterruptedException {
    boolean taken = false;
    try {
      link.send(slot, messageBytes, deadlineNs);
      taken = true;
    } finally {
      if (!taken) {
        pool.release(slot);
      }
    }
  }

  /** One bundle's parts to a peer; those of another wait, for the peer puts together one. */
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
      throw new SocketException("another large message is on its way to that node for too long");
    }
    try {
      int offsetBytes = 0;
      while (offsetBytes < lengthBytes) {
        int partBytes =
            Math.min(lengthBytes - offsetBytes, bufferBytes - BundleHeader.HEADER_BYTES);
        long deadlineNs = System.nanoTime() + sendTimeoutNs;
        int slot =
            fill(BundleHeader.FRAGMENT, bundle, partBytes, lengthBytes, offsetBytes, deadlineNs);
        send(link, slot, BundleHeader.HEADER_BYTES + partBytes, deadlineNs);
        offsetBytes += partBytes;
      }
    } finally {
      link.fragmentLock().unlock();
    }
  }

  /** Takes a slot and writes a frame into it; the next bytes of the bundle are used up. */
  private int fill(
      byte kind,
      ByteBuffer bundle,
      int partBytes,
      int bundleBytes,
      int offsetBytes,
      long deadlineNs)
      throws SocketException, InterruptedException {
    int slot = pool.tryAcquire();
    if (slot == SendBufferPool.NONE) {
      slot = pool.acquire(deadlineNs, links::reap);
    }
    if (slot == SendBufferPool.NONE) {
      throw new SocketException(
          "all send_buffers ("
              + pool.size()
              + ") are on their way to peers that take nothing; the message is dropped");
    }
    ByteBuffer bytes = pool.bytes(slot);
    BundleHeader.put(bytes, kind, bundleBytes, offsetBytes);
    bytes.put(BundleHeader.HEADER_BYTES, bundle, bundle.position(), partBytes);
    copies.increment();
    bundle.position(bundle.position() + partBytes);
    return slot;
  }

  private void count(int peers, int lengthBytes) {
    bundles.add(peers);
    bytes.add((long) peers * lengthBytes);
  }

  private static InterruptedIOException interrupted() {
    Thread.currentThread().interrupt();
    return new InterruptedIOException("interrupted while a peer was waited for");
  }

  public long bundles() {
    return bundles.sum();
  }

  /** Slots that were filled here, and not where the bundle was put together. */
  public long copies() {
    return copies.sum();
  }

  public long bytes() {
    return bytes.sum();
  }

  /** Says why a destination cannot be sent to. */
  public static NoRouteToHostException unknownDestination(Object destination) {
    return new NoRouteToHostException(
        destination
            + " is no node that this one knows of (yet): is one of its cables' addresses a"
            + " seed of any node?");
  }
}
