// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.endpoint;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidType;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.device.QueuePairSettings;
import io.meshtransport.transport.device.Rollback;
import io.meshtransport.transport.device.Teardown;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.CompletionChannel;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.InitAttributes;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.ReceiveChain;
import io.meshtransport.verbs.SendChain;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.WorkCompletions;
import java.util.concurrent.CompletionStage;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The verbs objects of one channel, or of one rail of it, whatever its wire: a queue pair and its
 * completion queue. Owned by its channel, or by the set-up until there is one. Confined to the
 * channel's lock, except {@link #events()}.
 */
public abstract class VerbsEndpoint implements AutoCloseable {
  private static final Logger LOG = LogManager.getLogger(VerbsEndpoint.class);

  private static final int ONE_SGE = 1;

  /** Max completions of one {@link #poll}. */
  public static final int BATCH = 32;

  /**
   * Payload that travels in the work request itself, where the device can: a cache line, which
   * holds the announcement of two receives, and which an adapter takes in with the request at no
   * extra cost.
   */
  private static final int INLINE_BYTES = 64;

  /** Sends, and receives, posted with one call: as many as a full group of receives. */
  private static final int TOGETHER = 8;

  private final OpenNic nic;
  private final int psn;
  private final WireToken token = WireToken.draw();
  private final Queues queues;
  private final WorkCompletions completions;
  private final int inlineBytes;

  /** Once its end has begun. Guarded by this. */
  private Teardown.Removal stopping;

  private Teardown.Removal removing;

  public final SendChain sends;
  public final ReceiveChain receives;
  private volatile long triesForNs = Long.MAX_VALUE;

  /**
   * What the device makes for one line.
   *
   * @param row where the line's GID is in the table now
   * @param activeMtuBytes of the port, now
   * @param use keeps the NIC open
   */
  public record Queues(
      GidEntry row,
      int activeMtuBytes,
      CompletionChannel events,
      CompletionQueue completions,
      QueuePair pair,
      OpenNic.Use use) {
    /**
     * Makes them, the queue pair in INIT.
     *
     * @param gid as discovery found it; its row is looked up anew
     * @param access what the peer may do, bits of {@link Access}
     */
    public static Queues open(
        Rollback undo, OpenNic nic, GidEntry gid, int sendDepth, int receiveDepth, int access)
        throws VerbsException {
      OpenNic.Use use = undo.on(nic.use());
      GidEntry row = nic.rowNow(gid);
      int activeMtuBytes = nic.activeMtuBytesNow();
      CompletionChannel events = undo.on(nic.device().createCompletionChannel());
      CompletionQueue completions =
          undo.on(nic.device().createCompletionQueue(sendDepth + receiveDepth, events));
      QueuePair pair = undo.on(pair(nic, row.type(), sendDepth, receiveDepth, completions));
      pair.toInit(new InitAttributes(nic.nic().port(), 0, access));
      return new Queues(row, activeMtuBytes, events, completions, pair, use);
    }

    /**
     * With inline payload where there is an adapter, which then need not fetch it from memory; in
     * software it would be copied once more. Some adapters have less of it, or none.
     */
    private static QueuePair pair(
        OpenNic nic, GidType type, int sendDepth, int receiveDepth, CompletionQueue completions)
        throws VerbsException {
      if (type != GidType.SOFT) {
        try {
          return pair(nic, sendDepth, receiveDepth, INLINE_BYTES, completions);
        } catch (VerbsException e) {
          if (e.errno() != Errno.EINVAL && e.errno() != Errno.ENOMEM) {
            throw e;
          }
          return pair(nic, sendDepth, receiveDepth, 0, completions);
        }
      }
      return pair(nic, sendDepth, receiveDepth, 0, completions);
    }

    private static QueuePair pair(
        OpenNic nic, int sendDepth, int receiveDepth, int inlineBytes, CompletionQueue completions)
        throws VerbsException {
      return nic.domain()
          .createQueuePair(
              new QueuePairCapabilities(sendDepth, receiveDepth, ONE_SGE, ONE_SGE, inlineBytes),
              completions,
              completions);
    }
  }

  /**
   * @param psn the first packet sequence number this end sends, 24 bits
   */
  public VerbsEndpoint(OpenNic nic, int psn, Queues queues) {
    this.nic = nic;
    this.psn = psn;
    this.queues = queues;
    completions = queues.completions().newCompletions(BATCH);
    inlineBytes = Math.min(INLINE_BYTES, queues.pair().capabilities().inlineBytes());
    sends = queues.pair().newSendChain(TOGETHER);
    receives = queues.pair().newReceiveChain(TOGETHER);
  }

  /**
   * Brings the queue pair to RTR and RTS. Never at the same time as {@link #close}: a connect that
   * is given up closes the endpoint while a handshake thread may be here.
   *
   * @param peer the peer's queue pair as the handshake brought it
   */
  public synchronized void connect(PeerQueuePair peer, QueuePairSettings settings)
      throws VerbsException {
    PeerAddress address =
        new PeerAddress(
            peer.gid(),
            peer.wirePort(),
            gid().index(),
            QueuePairSettings.HOP_LIMIT,
            settings.trafficClass(),
            settings.serviceLevel(),
            peer.wireKey());
    queues
        .pair()
        .toReadyToReceive(
            new ReadyToReceiveAttributes(
                address,
                peer.number(),
                peer.psn(),
                Math.min(mtuBytes(settings), peer.mtuBytes()),
                nic.readsServed(),
                QueuePairSettings.MIN_RNR_TIMER));
    queues
        .pair()
        .toReadyToSend(
            new ReadyToSendAttributes(
                psn,
                settings.ackTimeout(),
                settings.retryCount(),
                settings.rnrRetry(),
                Math.min(nic.readsIssued(), peer.reads()),
                settings.softSilenceNs()));
    triesForNs = settings.triesForNs(gid().type());
  }

  /** How long the queue pair tries to reach a silent peer; Long.MAX_VALUE for without end. */
  public final long triesForNs() {
    return triesForNs;
  }

  /** Path MTU this end can do, in bytes. */
  public final int mtuBytes(QueuePairSettings settings) {
    return Math.min(queues.activeMtuBytes(), settings.mtuBytes());
  }

  public final OpenNic nic() {
    return nic;
  }

  public final GidEntry gid() {
    return queues.row();
  }

  public final int number() {
    return queues.pair().number();
  }

  public final int psn() {
    return psn;
  }

  /** What the handshake gives the peer, and no other node. */
  public final WireToken token() {
    return token;
  }

  /** See {@link QueuePair#connected()}. */
  public final CompletionStage<Void> connected() {
    return queues.pair().connected();
  }

  /** See {@link QueuePair#connectionText()}. */
  public final String connectionText() {
    return queues.pair().connectionText();
  }

  /** Where to park until something completes. Any thread may wake it. */
  public final CompletionChannel events() {
    return queues.events();
  }

  /**
   * Polls a batch of completions.
   *
   * @return how many are in {@link #completions}, or a negative errno
   */
  public final int poll() {
    return queues.completions().poll(completions);
  }

  public final WorkCompletions completions() {
    return completions;
  }

  /** Requests an event when the next completion comes. */
  public final int arm() {
    return queues.completions().requestNotify(false);
  }

  /** Flags for a send of this length besides its own: whether its payload goes inline. */
  public final int inline(int lengthBytes) {
    return lengthBytes > 0 && lengthBytes <= inlineBytes ? SendFlags.INLINE : 0;
  }

  /** Posts what was written into {@link #sends}. Answers an errno. */
  public final int postSends() {
    return queues.pair().postSend(sends);
  }

  /** A chain of this endpoint's, for longer posts than {@link #sends} takes. */
  final SendChain newSendChain(int capacity) {
    return queues.pair().newSendChain(capacity);
  }

  /** Posts a chain of this endpoint's. Answers an errno. */
  final int post(SendChain chain) {
    return queues.pair().postSend(chain);
  }

  /** Posts what was written into {@link #receives}. Answers an errno. */
  public final int postReceives() {
    return queues.pair().postReceive(receives);
  }

  /**
   * Writes nothing to nowhere: completes only if the peer's end answers, and then everything before
   * it has arrived. A write of no bytes needs no key (InfiniBand 1.4, C9-88). Answers an errno.
   *
   * @param kind of work request it is
   */
  public final int sendEmpty(int kind) {
    return sendEmpty(kind, SendFlags.SIGNALED);
  }

  /** As {@link #sendEmpty(int)}, with flags of {@link SendFlags}. */
  final int sendEmpty(int kind, int flags) {
    sends.clear();
    sends.begin(WorkRequestId.of(kind, 0), SendOpcode.RDMA_WRITE, flags);
    sends.remote(0, 0);
    int errno = postSends();
    sends.clear();
    return errno;
  }

  /**
   * Ends all traffic, while the queue pair is still there: whatever was posted is given back, after
   * what had come before, which can still be polled.
   *
   * @param why the traffic ends; gets the device's refusal as suppressed
   */
  public final void toError(Exception why) {
    try {
      queues.pair().toError();
    } catch (VerbsException e) {
      why.addSuppressed(e);
    }
  }

  /** Whether the device has reported that the peer accessed memory here without the right to. */
  public final boolean hasRefusedAccess() {
    long nowNs = System.nanoTime();
    nic.events().poll(nowNs);
    return nic.events().hasRefused(nowNs, number());
  }

  /** See {@link QueuePair#silenceNs}. */
  public final long silenceNs() {
    return queues.pair().silenceNs();
  }

  /** A peer that hears of its end from the device alone is to hear that it was orderly. */
  public final void announceShutdown() {
    queues.pair().announceShutdown();
  }

  /**
   * Ends all traffic and takes the queue pair away from the device: what is outstanding is dropped,
   * and no byte of any memory is read or written any more, neither by our work requests nor by the
   * peer's. ERR alone does not promise that: an adapter flushes in its own time, and a peer's write
   * that is on its way into our memory has no work request here to be flushed. ERR comes first
   * because it lets a software queue pair send the acknowledgements it still owes.
   *
   * <p>Two commands to the device, without waiting for the peer; its driver may wait all the same.
   * What was begun once is answered again.
   *
   * @param why the traffic ends; gets the refusal of ERR as suppressed, which does no harm once the
   *     queue pair is gone. A device that failed refuses it
   * @return over when the queue pair is gone; if it fails, that may still be there
   */
  public final synchronized Teardown.Removal stop(Exception why) {
    if (stopping == null) {
      stopping =
          nic.teardown()
              .begin(
                  "queue pair " + number(),
                  () -> {
                    toError(why);
                    queues.pair().close();
                  });
    }
    return stopping;
  }

  /** Begins to take all of it away, behind {@link #stop} where that was begun. */
  final synchronized Teardown.Removal remove() {
    if (removing == null || removing.hasFailed()) {
      String what = "what went with queue pair " + number();
      removing =
          stopping == null
              ? nic.teardown().begin(what, this::close)
              : nic.teardown().beginAfter(stopping, what, this::close);
    }
    return removing;
  }

  /**
   * Closes it, if need be later than this returns. Logs a failure to close: the caller could do
   * nothing about it.
   */
  public final void discard() {
    try {
      remove().await();
    } catch (VerbsException e) {
      LOG.warn("an endpoint cannot be closed: {}", e.getMessage());
    }
  }

  @Override
  public synchronized void close() throws VerbsException {
    queues.pair().close();
    queues.completions().close();
    queues.events().close();
    queues.use().close();
  }
}
