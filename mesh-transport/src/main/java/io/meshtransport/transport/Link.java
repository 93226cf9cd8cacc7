package io.meshtransport.transport;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.SendChain;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;

/**
 * A line with what {@link RoomChannel} needs: registered memory for control messages, receives that
 * are always posted, and writes into the peer's rooms. Owned by its channel, or by the set-up until
 * there is one. Confined to the channel's lock, except {@link #events()}.
 */
final class Link extends Line {
  /** 1 GiB: lengths of parts fit 32 bits with room to spare. */
  private static final long MAX_PART_BYTES = 1L << 30;

  /** Peers write into rooms, put and get; which memory, each memory's own rights say. */
  private static final int ACCESS = Access.REMOTE_WRITE | Access.REMOTE_READ;

  private final LinkSizes sizes;

  /** Made when first needed: most channels never put or get. */
  private SendChain pieces;

  private final ByteBuffer control;
  private final MemoryRegion controlRegion;

  /**
   * Makes the queue pair, brings it to INIT and posts all its receives: after RTR the peer may
   * already send.
   *
   * @param gid the GID this link goes from, as discovery found it; its row is looked up anew
   * @param psn random 24 bits, so that packets of an older queue pair with this number are not
   *     taken for ours
   */
  static Link open(OpenNic nic, GidEntry gid, LinkSizes sizes, int psn) throws VerbsException {
    try (Undo undo = new Undo()) {
      ByteBuffer control = ByteBuffer.allocateDirect(sizes.controlBytes());
      MemoryRegion region = undo.on(nic.domain().register(control, Access.LOCAL_WRITE));
      Queues queues = Queues.open(undo, nic, gid, sizes.sendDepth(), sizes.receives(), ACCESS);
      Link link = new Link(nic, sizes, psn, queues, control, region);
      link.postAllReceives();
      undo.keepAll();
      return link;
    }
  }

  private Link(
      OpenNic nic,
      LinkSizes sizes,
      int psn,
      Queues queues,
      ByteBuffer control,
      MemoryRegion controlRegion) {
    super(nic, psn, queues);
    this.sizes = sizes;
    this.control = control;
    this.controlRegion = controlRegion;
  }

  private void postAllReceives() throws VerbsException {
    for (int index = 0; index < sizes.receives(); index++) {
      int errno = repost(index);
      if (errno != 0) {
        throw new VerbsException(
            errno,
            nic().nic().label()
                + ": receive "
                + index
                + " of "
                + sizes.receives()
                + " was refused");
      }
    }
  }

  /** The longest part of a message that both ends can do as one work request, in bytes. */
  long partBytes(ChannelParameters peer) {
    return Math.min(MAX_PART_BYTES, Math.min(nic().maxMessageBytes(), peer.maxMessageBytes()));
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
    return postReceives();
  }

  /** Sends the control message written at {@link #controlAt}. Answers an errno. */
  int sendControl(int index, int lengthBytes) {
    sends.clear();
    sends.begin(
        WorkRequestId.of(WorkRequestId.CONTROL, index), SendOpcode.SEND, SendFlags.SIGNALED);
    sends.sge(controlRegion.address() + controlAt(index), lengthBytes, controlRegion.localKey());
    return postSends();
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
    return postSends();
  }

  /**
   * Writes the last part of a message, which may have no bytes, with the notice for the peer.
   * Answers an errno.
   *
   * @param isReported whether there is a completion if it goes well
   */
  int writeLastPart(
      int slot,
      MemoryRegion local,
      long address,
      int lengthBytes,
      long remoteAddress,
      int remoteKey,
      int notice,
      boolean isReported) {
    sends.clear();
    sends.begin(
        WorkRequestId.of(WorkRequestId.LAST_PART, slot),
        SendOpcode.RDMA_WRITE_WITH_IMM,
        SendFlags.SOLICITED | (isReported ? SendFlags.SIGNALED : 0));
    if (lengthBytes != 0) {
      sends.sge(address, lengthBytes, local.localKey());
    }
    sends.remote(remoteAddress, remoteKey);
    sends.immediate(notice);
    return postSends();
  }

  /** Begins a chain of puts or gets, which {@link #addPiece} fills. */
  void beginPieces() {
    if (pieces == null) {
      pieces = newSendChain(sizes.dataDepth());
    }
    pieces.clear();
  }

  /**
   * Adds a piece of a put or get, which may have no bytes, to the chain.
   *
   * @param id of the work request
   * @param isReported whether there is a completion if it goes well
   */
  void addPiece(
      long id,
      boolean isGet,
      int localKey,
      long address,
      int lengthBytes,
      long remoteAddress,
      int remoteKey,
      boolean isReported) {
    // Reading nothing is left to writes: a write of no bytes needs no right.
    SendOpcode opcode = isGet && lengthBytes > 0 ? SendOpcode.RDMA_READ : SendOpcode.RDMA_WRITE;
    pieces.begin(id, opcode, isReported ? SendFlags.SIGNALED : 0);
    if (lengthBytes > 0) {
      pieces.sge(address, lengthBytes, localKey);
    }
    pieces.remote(remoteAddress, remoteKey);
  }

  /** Posts the chain. Answers an errno. */
  int postPieces() {
    return post(pieces);
  }

  @Override
  public synchronized void close() throws VerbsException {
    super.close();
    controlRegion.close();
  }
}
