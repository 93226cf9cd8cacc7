package io.meshtransport.transport;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.CompletionChannel;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.Completions;
import io.meshtransport.verbs.InitAttributes;
import io.meshtransport.verbs.MemoryRegion;
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
import java.nio.ByteBuffer;

/**
 * The verbs objects under one channel: a queue pair, its completion queue, and registered memory
 * for control messages. Owned by its channel, or by the set-up until there is one. Confined to the
 * channel's lock, except {@link #events()}.
 */
final class Link implements AutoCloseable {
  private static final int ONE_SGE = 1;
  private static final int BATCH = 32;

  /** 1 GiB: lengths of parts fit 32 bits with room to spare. */
  private static final long MAX_PART_BYTES = 1L << 30;

  private final OpenNic nic;
  private final GidEntry gid;
  private final int activeMtuBytes;
  private final LinkSizes sizes;
  private final int psn;
  private final CompletionChannel events;
  private final CompletionQueue completionQueue;
  private final QueuePair queuePair;
  private final Completions completions;
  private final ByteBuffer control;
  private final MemoryRegion controlRegion;
  private final SendChain sends;
  private final ReceiveChain receives;

  /**
   * Makes the queue pair, brings it to INIT and posts all its receives: after RTR the peer may
   * already send.
   *
   * @param gid the GID this link goes from, as discovery found it; its row is looked up anew
   * @param psn random 24 bits, so that packets of an older queue pair with this number are not
   *     taken for ours
   */
  static Link open(OpenNic nic, GidEntry gid, LinkSizes sizes, int psn) throws VerbsException {
    GidEntry row = nic.rowNow(gid);
    int activeMtuBytes = nic.activeMtuBytesNow();
    try (Undo undo = new Undo()) {
      CompletionChannel events = undo.on(nic.device().createCompletionChannel());
      CompletionQueue queue =
          undo.on(nic.device().createCompletionQueue(sizes.sendDepth() + sizes.receives(), events));
      ByteBuffer control = ByteBuffer.allocateDirect(sizes.controlBytes());
      MemoryRegion region = undo.on(nic.domain().register(control, Access.LOCAL_WRITE));
      QueuePair queuePair =
          undo.on(
              nic.domain()
                  .createQueuePair(
                      new QueuePairCapabilities(
                          sizes.sendDepth(), sizes.receives(), ONE_SGE, ONE_SGE, 0),
                      queue,
                      queue));
      queuePair.toInit(new InitAttributes(nic.nic().port(), 0, Access.REMOTE_WRITE));
      Link link =
          new Link(nic, row, activeMtuBytes, sizes, psn, events, queue, queuePair, control, region);
      link.postAllReceives();
      undo.keepAll();
      return link;
    }
  }

  private Link(
      OpenNic nic,
      GidEntry gid,
      int activeMtuBytes,
      LinkSizes sizes,
      int psn,
      CompletionChannel events,
      CompletionQueue completionQueue,
      QueuePair queuePair,
      ByteBuffer control,
      MemoryRegion controlRegion) {
    this.nic = nic;
    this.gid = gid;
    this.activeMtuBytes = activeMtuBytes;
    this.sizes = sizes;
    this.psn = psn;
    this.events = events;
    this.completionQueue = completionQueue;
    this.queuePair = queuePair;
    this.control = control;
    this.controlRegion = controlRegion;
    completions = completionQueue.newCompletions(BATCH);
    sends = queuePair.newSendChain(1);
    receives = queuePair.newReceiveChain(1);
  }

  private void postAllReceives() throws VerbsException {
    for (int index = 0; index < sizes.receives(); index++) {
      int errno = repost(index);
      if (errno != 0) {
        throw new VerbsException(
            errno,
            nic.nic().label() + ": receive " + index + " of " + sizes.receives() + " was refused");
      }
    }
  }

  /**
   * Brings the queue pair to RTR and RTS. Never at the same time as {@link #close}: whoever gives
   * up a connect closes the link while a handshake thread may be here.
   *
   * @param peer the peer's queue pair as the handshake brought it
   */
  synchronized void connect(PeerQueuePair peer, LinkSettings settings) throws VerbsException {
    PeerAddress address =
        new PeerAddress(
            peer.gid(),
            peer.wirePort(),
            gid.index(),
            LinkSettings.HOP_LIMIT,
            settings.trafficClass(),
            settings.serviceLevel());
    queuePair.toReadyToReceive(
        new ReadyToReceiveAttributes(
            address,
            peer.number(),
            peer.psn(),
            Math.min(mtuBytes(settings), peer.mtuBytes()),
            LinkSettings.MAX_READ_ATOMIC,
            LinkSettings.MIN_RNR_TIMER));
    queuePair.toReadyToSend(
        new ReadyToSendAttributes(
            psn,
            settings.ackTimeout(),
            settings.retryCount(),
            settings.rnrRetry(),
            LinkSettings.MAX_READ_ATOMIC));
  }

  /** The longest part of a message that both ends can do as one work request, in bytes. */
  long partBytes(ChannelParameters peer) {
    return Math.min(MAX_PART_BYTES, Math.min(nic.maxMessageBytes(), peer.maxMessageBytes()));
  }

  /** Path MTU this end can do, in bytes. */
  int mtuBytes(LinkSettings settings) {
    return Math.min(activeMtuBytes, settings.mtuBytes());
  }

  OpenNic nic() {
    return nic;
  }

  GidEntry gid() {
    return gid;
  }

  int number() {
    return queuePair.number();
  }

  int psn() {
    return psn;
  }

  /** Where to park until something completes. Any thread may wake it. */
  CompletionChannel events() {
    return events;
  }

  /**
   * Takes a batch of completions.
   *
   * @return how many are in {@link #completions}, or a negative errno
   */
  int poll() {
    return completionQueue.poll(completions);
  }

  Completions completions() {
    return completions;
  }

  /** Asks for an event when the next completion comes. */
  int arm() {
    return completionQueue.requestNotify(false);
  }

  /**
   * The memory of control messages; {@link #receiveAt} and {@link #controlAt} say what lies where.
   */
  ByteBuffer control() {
    return control;
  }

  int receiveAt(int index) {
    return sizes.controlSends() * sizes.controlSendBytes() + index * sizes.receiveBytes();
  }

  int controlAt(int index) {
    return index * sizes.controlSendBytes();
  }

  /** Posts a receive again. Answers an errno. */
  int repost(int index) {
    receives.clear();
    receives.begin(WorkRequestId.of(WorkRequestId.RECEIVE, index));
    receives.sge(
        controlRegion.address() + receiveAt(index), sizes.receiveBytes(), controlRegion.localKey());
    return queuePair.postReceive(receives);
  }

  /** Sends the control message written at {@link #controlAt}. Answers an errno. */
  int sendControl(int index, int lengthBytes) {
    sends.clear();
    sends.begin(
        WorkRequestId.of(WorkRequestId.CONTROL, index), SendOpcode.SEND, SendFlags.SIGNALED);
    sends.sge(controlRegion.address() + controlAt(index), lengthBytes, controlRegion.localKey());
    return queuePair.postSend(sends);
  }

  /** Writes a part of a message that more parts follow. Answers an errno. */
  int writePart(
      int slot,
      MemoryRegion local,
      long address,
      int lengthBytes,
      long remoteAddress,
      int remoteKey) {
    sends.clear();
    sends.begin(
        WorkRequestId.of(WorkRequestId.PART, slot), SendOpcode.RDMA_WRITE, SendFlags.SIGNALED);
    sends.sge(address, lengthBytes, local.localKey());
    sends.remote(remoteAddress, remoteKey);
    return queuePair.postSend(sends);
  }

  /**
   * Writes the last part of a message, which may have no bytes, with the notice for the peer.
   * Answers an errno.
   */
  int writeLastPart(
      int slot,
      MemoryRegion local,
      long address,
      int lengthBytes,
      long remoteAddress,
      int remoteKey,
      int notice) {
    sends.clear();
    sends.begin(
        WorkRequestId.of(WorkRequestId.LAST_PART, slot),
        SendOpcode.RDMA_WRITE_WITH_IMM,
        SendFlags.SIGNALED | SendFlags.SOLICITED);
    if (lengthBytes != 0) {
      sends.sge(address, lengthBytes, local.localKey());
    }
    sends.remote(remoteAddress, remoteKey);
    sends.immediate(notice);
    return queuePair.postSend(sends);
  }

  /**
   * Writes nothing to nowhere: completes only if the peer's end answers. A write of no bytes needs
   * no key (InfiniBand 1.4, C9-88).
   */
  int askAlive() {
    sends.clear();
    sends.begin(
        WorkRequestId.of(WorkRequestId.KEEPALIVE, 0), SendOpcode.RDMA_WRITE, SendFlags.SIGNALED);
    sends.remote(0, 0);
    return queuePair.postSend(sends);
  }

  /**
   * Ends all traffic and takes the queue pair away from the device: what is outstanding is
   * forgotten, and no byte of any memory is read or written any more, neither by our work requests
   * nor by the peer's. ERR alone does not promise that: an adapter flushes in its own time, and a
   * peer's write that is on its way into our memory has no work request here to be flushed. ERR
   * comes first because it lets a software queue pair send the acknowledgements it still owes.
   *
   * <p>Two commands to the device, without waiting for the peer. Once only.
   */
  void stop() throws VerbsException {
    try {
      queuePair.toError();
    } finally {
      queuePair.close();
    }
  }

  @Override
  public synchronized void close() throws VerbsException {
    queuePair.close();
    controlRegion.close();
    completionQueue.close();
    events.close();
  }
}
