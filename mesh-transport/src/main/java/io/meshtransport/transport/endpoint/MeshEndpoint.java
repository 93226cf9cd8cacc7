// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.endpoint;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.device.Rollback;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.SendChain;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsException;

/**
 * An endpoint on our own wire: registered memory for control messages, receives for them, and
 * writes into the peer's advertised receives. Owned by its channel, or by the set-up until there is
 * one. Confined to the channel's lock, except {@link #events()}.
 */
public final class MeshEndpoint extends VerbsEndpoint {
  /** 1 GiB: lengths of parts fit 32 bits and leave some free. */
  private static final long MAX_PART_BYTES = 1L << 30;

  /** Peers write into receives, put and get; the rights of each memory say which memory. */
  private static final int ACCESS = Access.REMOTE_WRITE | Access.REMOTE_READ;

  /** Pieces posted with one call: more would save nothing, and each takes memory for good. */
  private static final int MAX_PIECES = 128;

  private final QueueDepths sizes;

  /** Made when first needed: most channels never put or get. */
  private SendChain pieces;

  private final ControlBuffers outgoing;
  private final ControlBuffers incoming;
  private int posted;

  /** Of a connection of several rails, while this one is its primary; else null. */
  private SendJournal journal;

  /**
   * Makes the queue pair, brings it to INIT and posts its first receives: after RTR the peer may
   * already send.
   *
   * @param gid the GID this endpoint sends from, as discovery found it; its row is looked up anew
   * @param psn random 24 bits, so that packets of an older queue pair with this number are not
   *     taken for ours
   */
  public static MeshEndpoint open(OpenNic nic, GidEntry gid, QueueDepths sizes, int psn)
      throws VerbsException {
    try (Rollback undo = new Rollback()) {
      Queues queues = Queues.open(undo, nic, gid, sizes.sendDepth(), sizes.receives(), ACCESS);
      MeshEndpoint endpoint = undo.on(new MeshEndpoint(nic, sizes, psn, queues));
      endpoint.needFirstBuffers();
      int errno = endpoint.ensureReceives(sizes.firstReceives());
      if (errno != 0) {
        throw new VerbsException(
            errno,
            nic.nic().label()
                + ": the receives of an endpoint, "
                + sizes.firstReceives()
                + " at first, were refused");
      }
      undo.keepAll();
      return endpoint;
    }
  }

  private MeshEndpoint(OpenNic nic, QueueDepths sizes, int psn, Queues queues) {
    super(nic, psn, queues);
    this.sizes = sizes;
    outgoing = new ControlBuffers(nic.control(), sizes.controlSendBytes());
    incoming = new ControlBuffers(nic.control(), sizes.receiveBytes());
  }

  /** By themselves, to pass on what registration has to say where it is refused. */
  private void needFirstBuffers() throws VerbsException {
    for (int index = 0; index < sizes.firstReceives(); index++) {
      incoming.need(index);
    }
  }

  /** How deep its queues are. */
  public QueueDepths depths() {
    return sizes;
  }

  /** Receives that are posted, once all that were added are. */
  public int receivesPosted() {
    return posted;
  }

  /**
   * Takes over the control message that was written at another endpoint of the same sizes. Answers
   * an errno.
   */
  public int copyControl(MeshEndpoint other, int index) {
    int errno = ensureControl(index);
    if (errno == 0) {
      outgoing
          .memory(index)
          .put(
              outgoing.at(index),
              other.outgoing.memory(index),
              other.outgoing.at(index),
              sizes.controlSendBytes());
    }
    return errno;
  }

  /**
   * As {@link #copyControl}, of all control messages with a lower index than one. Answers an errno.
   */
  public int copyControls(MeshEndpoint other, int below) {
    int errno = 0;
    for (int index = 0; index < below && errno == 0; index++) {
      errno = other.outgoing.isThere(index) ? copyControl(other, index) : 0;
    }
    return errno;
  }

  /**
   * Sees to it that at least so many receives are posted. Answers an errno.
   *
   * @param count as many as the peer can have under way; at most what the endpoint's depths say
   */
  public int ensureReceives(int count) {
    int wanted = Math.min(count, sizes.receives());
    while (posted < wanted) {
      int errno = need(incoming, posted);
      if (errno != 0) {
        return errno;
      }
      errno = addReceive(posted);
      if (errno != 0) {
        return errno;
      }
      posted++;
    }
    return postAddedReceives();
  }

  /** Sees to it that a control message can be written. Answers an errno. */
  public int ensureControl(int index) {
    return need(outgoing, index);
  }

  private static int need(ControlBuffers buffers, int index) {
    try {
      buffers.need(index);
      return 0;
    } catch (VerbsException e) {
      return e.errno();
    }
  }

  /**
   * The longest part of a message that both ends can do as one work request, in bytes.
   *
   * @param peerMaxMessageBytes the longest that the peer's NIC can do
   */
  public long partBytes(long peerMaxMessageBytes) {
    return Math.min(MAX_PART_BYTES, Math.min(nic().maxMessageBytes(), peerMaxMessageBytes));
  }

  /** Control messages that go out, after {@link #ensureControl}. */
  public ControlBuffers outgoing() {
    return outgoing;
  }

  /** Control messages that came in. */
  public ControlBuffers incoming() {
    return incoming;
  }

  /**
   * Adds a receive to those that {@link #postAddedReceives} posts with one call; the chain is
   * posted before, where it is full. Answers an errno.
   */
  public int addReceive(int index) {
    int errno = receives.size() == receives.capacity() ? postAddedReceives() : 0;
    receives.begin(WorkRequestId.of(WorkRequestId.RECEIVE, index));
    receives.sge(incoming.address(index), sizes.receiveBytes(), incoming.localKey(index));
    return errno;
  }

  /** Posts the receives that were added, if any. Answers an errno. */
  public int postAddedReceives() {
    int errno = receives.size() == 0 ? 0 : postReceives();
    receives.clear();
    return errno;
  }

  /**
   * Sends the control message written into {@link #outgoing}. Answers an errno.
   *
   * @param flags further bits of {@link SendFlags}
   */
  public int sendControl(int index, int lengthBytes, int flags) {
    return isHeld(WorkRequestId.CONTROL, index, lengthBytes, true)
        ? 0
        : sendAside(index, lengthBytes, flags);
  }

  /** From now on a journal has what is posted here; null for none. */
  public void journal(SendJournal newJournal) {
    journal = newJournal;
  }

  /** Whether a work request, which is in the journal then, must not be posted now. */
  private boolean isHeld(int kind, int index, int lengthBytes, boolean isSignaled) {
    return journal != null && !journal.add(kind, index, lengthBytes, isSignaled);
  }

  private boolean isHeld() {
    return journal != null && journal.isHeld();
  }

  /** As {@link #sendControl}, beside the journal and though that is held. */
  public int sendAside(int index, int lengthBytes, int flags) {
    sends.clear();
    addControl(sends, index, lengthBytes, flags);
    int errno = postSends();
    sends.clear();
    return errno;
  }

  /**
   * Sends nothing, so that its completion covers everything before it. Answers an errno.
   *
   * @param isSignaled whether there is a completion
   */
  public int sendReport(boolean isSignaled) {
    return isHeld(WorkRequestId.REPORT, 0, 0, isSignaled)
        ? 0
        : sendEmpty(WorkRequestId.REPORT, isSignaled ? SendFlags.SIGNALED : 0);
  }

  /**
   * Adds a part of a message that more parts follow to those that {@link #postParts} posts with one
   * call; the chain is posted before, where it is full. Answers an errno.
   */
  public int addPart(
      int slot,
      MemoryRegion local,
      long address,
      int lengthBytes,
      long remoteAddress,
      int remoteKey) {
    if (isHeld(WorkRequestId.PART, slot, 0, true)) {
      return 0;
    }
    int errno = flushIfFull();
    sends.begin(
        WorkRequestId.of(WorkRequestId.PART, slot), SendOpcode.RDMA_WRITE, SendFlags.SIGNALED);
    sends.sge(address, lengthBytes, local.localKey());
    sends.remote(remoteAddress, remoteKey);
    return errno;
  }

  /**
   * Adds the last part of a message, which may have no bytes, with the immediate for the peer, as
   * {@link #addPart} does. Answers an errno.
   *
   * @param flags further bits of {@link SendFlags}
   */
  public int addLastPart(
      int slot,
      MemoryRegion local,
      long address,
      int lengthBytes,
      long remoteAddress,
      int remoteKey,
      int immediate,
      int flags) {
    if (isHeld(WorkRequestId.LAST_PART, slot, 0, (flags & SendFlags.SIGNALED) != 0)) {
      return 0;
    }
    int errno = flushIfFull();
    sends.begin(
        WorkRequestId.of(WorkRequestId.LAST_PART, slot),
        SendOpcode.RDMA_WRITE_WITH_IMM,
        SendFlags.SOLICITED | flags | inline(lengthBytes));
    if (lengthBytes != 0) {
      sends.sge(address, lengthBytes, local.localKey());
    }
    sends.remote(remoteAddress, remoteKey);
    sends.immediate(immediate);
    return errno;
  }

  /**
   * Adds an immediate behind the parts of a message that went over this endpoint, to be posted by
   * {@link #postParts}. Answers an errno.
   *
   * @param immediate the immediate
   */
  public int addPlacement(int slot, int immediate) {
    int errno = flushIfFull();
    sends.begin(
        WorkRequestId.of(WorkRequestId.PLACEMENT, slot),
        SendOpcode.RDMA_WRITE_WITH_IMM,
        SendFlags.SIGNALED | SendFlags.SOLICITED);
    // No bytes to nowhere, as sendEmpty().
    sends.remote(0, 0);
    sends.immediate(immediate);
    return errno;
  }

  private int flushIfFull() {
    return sends.size() == sends.capacity() ? postParts() : 0;
  }

  /**
   * Posts the parts that were added, if any: before anything else is sent, which would take their
   * place. Answers an errno.
   */
  public int postParts() {
    int errno = sends.size() == 0 || isHeld() ? 0 : postSends();
    sends.clear();
    return errno;
  }

  /** How many pieces a chain has space for. */
  public int maxPieces() {
    return Math.min(MAX_PIECES, sizes.dataDepth());
  }

  /**
   * Begins a chain of puts or gets, which {@link #addPiece} fills; it has space for one control
   * message behind as many as there may be.
   */
  public void beginPieces() {
    if (pieces == null) {
      pieces = newSendChain(maxPieces() + 1);
    }
    pieces.clear();
  }

  /**
   * Adds a piece of a put or get, which may have no bytes, to the chain.
   *
   * @param id of the work request
   * @param isReported whether there is a completion if it goes well
   */
  public void addPiece(
      long id,
      boolean isGet,
      int localKey,
      long address,
      int lengthBytes,
      long remoteAddress,
      int remoteKey,
      boolean isReported) {
    if (isHeld(WorkRequestId.kind(id), WorkRequestId.index(id), 0, isReported)) {
      return;
    }
    // Reading nothing is left to writes: a write of no bytes needs no right.
    SendOpcode opcode = isGet && lengthBytes > 0 ? SendOpcode.RDMA_READ : SendOpcode.RDMA_WRITE;
    pieces.begin(id, opcode, isReported ? SendFlags.SIGNALED : 0);
    if (lengthBytes > 0) {
      pieces.sge(address, lengthBytes, localKey);
    }
    pieces.remote(remoteAddress, remoteKey);
  }

  /** Adds the control message written into {@link #outgoing} behind the pieces of the chain. */
  public void addControlPiece(int index, int lengthBytes) {
    if (!isHeld(WorkRequestId.CONTROL, index, lengthBytes, true)) {
      addControl(pieces, index, lengthBytes, 0);
    }
  }

  private void addControl(SendChain chain, int index, int lengthBytes, int flags) {
    chain.begin(
        WorkRequestId.of(WorkRequestId.CONTROL, index),
        SendOpcode.SEND,
        SendFlags.SIGNALED | flags | inline(lengthBytes));
    chain.sge(outgoing.address(index), lengthBytes, outgoing.localKey(index));
  }

  /** Posts the chain; parts that were added before go first. Answers an errno. */
  public int postPieces() {
    int errno = postParts();
    return errno == 0 && pieces.size() > 0 && !isHeld() ? post(pieces) : errno;
  }

  @Override
  public synchronized void close() throws VerbsException {
    super.close();
    outgoing.giveBack();
    incoming.giveBack();
  }
}
