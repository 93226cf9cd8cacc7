// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.spi.Completions;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.GatherList;
import io.meshtransport.spi.MultiReceive;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.SendMode;
import io.meshtransport.spi.TransferList;
import io.meshtransport.transport.channel.ChannelContext;
import io.meshtransport.transport.channel.ChannelLifeCycle;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.channel.SingleEndpoint;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.QueueDepths;
import io.meshtransport.transport.endpoint.SendJournal;
import io.meshtransport.transport.memory.PeerNic;
import io.meshtransport.transport.rail.Rail;
import io.meshtransport.transport.rail.RailId;
import io.meshtransport.transport.rail.RailSet;
import java.nio.ByteBuffer;
import java.util.stream.IntStream;

/**
 * Both directions to and from one peer on our own wire, over one endpoint. Once it is there, its
 * two ends are alike: which of them connected makes no difference.
 */
public final class MeshConnection extends MeshChannel implements Connection {
  private final String name;
  private final Peer peer;
  private final byte[] hello;
  private final long deadlineNs;
  private final ControlPath control;
  private final SendDirection sending;
  private final ReceiveDirection receiving;

  /** Null on a connection over one endpoint. */
  private final ConnectionRails rails;

  /**
   * @param endpoint of the depths {@link QueueDepths#duplex} for so many requests or more
   * @param partBytes longest message of one work request that both ends can do
   * @param peerNic where puts and gets lead
   * @param hello the peer's first bytes; not copied
   * @param options of this end
   * @param maxRequests outstanding at once, as both ends have agreed
   */
  public MeshConnection(
      ChannelContext context,
      ChannelLifeCycle life,
      MeshEndpoint endpoint,
      Route route,
      long partBytes,
      PeerNic peerNic,
      Peer peer,
      byte[] hello,
      ConnectOptions options,
      int maxRequests) {
    super(context, life, endpoint, route, maxRequests);
    this.peer = peer;
    this.hello = hello;
    this.name = options.name();
    this.deadlineNs = options.deadlineNs().orElse(context.timing().requestNs());
    this.control = ControlPath.ofBoth(core, endpoint);
    this.rails = null;
    TaggedReceives receives =
        receives(new int[] {endpoint.nic().index()}, partBytes, options.reportsUnexpected());
    this.receiving = new ReceiveDirection(core, context.memory(), receives);
    AdvertisedReceives advertised = new AdvertisedReceives(1, maxRequests);
    RmaOperations rma =
        new RmaOperations(context.memory(), peerNic, endpoint.nic().index(), partBytes);
    SendRequests requests = new SendRequests(core, control);
    NoticeCredit credit = NoticeCredit.ofPuts();
    MessageSendQueue queue =
        new OneRailSendQueue(core, control, advertised, requests, rma, credit, partBytes);
    TaggedSends sends = new TaggedSends(core, control, advertised, requests, rma, credit, queue);
    this.sending = new SendDirection(core, context.memory(), rma, queue, sends);
    core.attach(
        new SingleEndpoint(core, endpoint), new DuplexEvents(core, control, sends, receives));
    queue.sendMode(options.sendMode());
  }

  /**
   * Over several rails, of which the first is there.
   *
   * @param first of the depths {@link QueueDepths#duplexRail} for so many requests or more
   * @param ticket of the first rail
   * @param isConnector whether this end makes the rails
   * @param partBytes longest message of one work request that all NICs of both ends can do
   * @param peerId the node that the rails lead to
   * @param hello the peer's first bytes; not copied
   * @param options of this end
   * @param maxRequests outstanding at once, as both ends have agreed
   */
  public MeshConnection(
      ChannelContext context,
      ChannelLifeCycle life,
      Rail first,
      RailId ticket,
      boolean isConnector,
      Route route,
      long partBytes,
      NodeId peerId,
      Peer peer,
      byte[] hello,
      ConnectOptions options,
      int maxRequests) {
    super(context, life, first.endpoint(), route, maxRequests);
    this.peer = peer;
    this.hello = hello;
    this.name = options.name();
    this.deadlineNs = options.deadlineNs().orElse(context.timing().requestNs());
    RailSet railSet = new RailSet(core, first);
    this.control = ControlPath.ofBoth(core, railSet);
    int nics = isConnector ? ticket.connectorNics() : ticket.nics();
    int peerNics = isConnector ? ticket.nics() : ticket.connectorNics();
    TaggedReceives receives =
        receives(IntStream.range(0, nics).toArray(), partBytes, options.reportsUnexpected());
    this.receiving = new ReceiveDirection(core, context.memory(), receives);
    AdvertisedReceives advertised = new AdvertisedReceives(peerNics, maxRequests);
    PeerNic peerNic = new PeerNic(peerId, first.peerNic());
    RmaOperations rma =
        new RmaOperations(context.memory(), peerNic, first.endpoint().nic().index(), partBytes);
    SendRequests requests = new SendRequests(core, control);
    NoticeCredit credit = NoticeCredit.ofPuts();
    OneRailSendQueue queue =
        new OneRailSendQueue(core, control, advertised, requests, rma, credit, partBytes);
    TaggedSends sends = new TaggedSends(core, control, advertised, requests, rma, credit, queue);
    this.sending = new SendDirection(core, context.memory(), rma, queue, sends);
    SendJournal journal = new SendJournal();
    SendReplay replay = new SendReplay(core, control, journal, requests, rma, queue, credit);
    this.rails =
        new ConnectionRails(
            core, railSet, control, journal, replay, peerId, ticket, isConnector, options);
    DuplexEvents events = new DuplexEvents(core, control, sends, receives, rails, journal);
    rails.attach(sends, events);
    railSet.attach(rails);
    core.attach(railSet, events);
    queue.sendMode(options.sendMode());
  }

  /** Its rails, or null on a connection over one endpoint. */
  public ConnectionRails rails() {
    return rails;
  }

  private TaggedReceives receives(int[] nics, long partBytes, boolean reportsUnexpected) {
    AnnouncementQueue announcements =
        new AnnouncementQueue(maxRequests(), QueueDepths.FIRST_ANNOUNCEMENTS);
    PostedReceives posted = new PostedReceives(core, announcements);
    AnnouncementBuffers buffers = new AnnouncementBuffers(core, control, nics);
    MessageReceiveQueue queue =
        new OneRailReceiveQueue(core, posted, announcements, buffers, partBytes);
    return new TaggedReceives(
        core, control, posted, announcements, buffers, queue, reportsUnexpected);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Peer peer() {
    return peer;
  }

  @Override
  public byte[] hello() {
    return hello.clone();
  }

  /** For tests, which send what no correct end does. */
  public ControlPath control() {
    return control;
  }

  @Override
  public long isend(RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag) {
    return sending.isend(memory, offsetBytes, lengthBytes, tag, deadlineNs, 0);
  }

  @Override
  public long isend(
      RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs) {
    return sending.isend(memory, offsetBytes, lengthBytes, tag, timeoutNs, 0);
  }

  @Override
  public long isend(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      int tag,
      long timeoutNs,
      long userData) {
    return sending.isend(memory, offsetBytes, lengthBytes, tag, timeoutNs, userData);
  }

  @Override
  public long isend(ByteBuffer buffer, int tag) {
    return sending.isend(buffer, tag, deadlineNs, 0);
  }

  @Override
  public long isend(ByteBuffer buffer, int tag, long timeoutNs) {
    return sending.isend(buffer, tag, timeoutNs, 0);
  }

  @Override
  public long isend(ByteBuffer buffer, int tag, long timeoutNs, long userData) {
    return sending.isend(buffer, tag, timeoutNs, userData);
  }

  @Override
  public long isend(GatherList list, int tag) {
    return sending.isend(list, tag, deadlineNs, 0);
  }

  @Override
  public long isend(GatherList list, int tag, long timeoutNs) {
    return sending.isend(list, tag, timeoutNs, 0);
  }

  @Override
  public long isend(GatherList list, int tag, long timeoutNs, long userData) {
    return sending.isend(list, tag, timeoutNs, userData);
  }

  @Override
  public long irecv(RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag) {
    return receiving.irecv(memory, offsetBytes, lengthBytes, tag, deadlineNs, 0);
  }

  @Override
  public long irecv(
      RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs) {
    return receiving.irecv(memory, offsetBytes, lengthBytes, tag, timeoutNs, 0);
  }

  @Override
  public long irecv(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      int tag,
      long timeoutNs,
      long userData) {
    return receiving.irecv(memory, offsetBytes, lengthBytes, tag, timeoutNs, userData);
  }

  @Override
  public long irecv(ByteBuffer buffer, int tag) {
    return receiving.irecv(buffer, tag, deadlineNs, 0);
  }

  @Override
  public long irecv(ByteBuffer buffer, int tag, long timeoutNs) {
    return receiving.irecv(buffer, tag, timeoutNs, 0);
  }

  @Override
  public long irecv(ByteBuffer buffer, int tag, long timeoutNs, long userData) {
    return receiving.irecv(buffer, tag, timeoutNs, userData);
  }

  @Override
  public long irecv(ReceiveGroup group, long timeoutNs) {
    return receiving.irecv(group, timeoutNs, 0);
  }

  @Override
  public long irecv(MultiReceive receive, long timeoutNs, long userData) {
    return receiving.irecv(receive, timeoutNs, userData);
  }

  @Override
  public void withdraw(long request) {
    receiving.withdraw(request);
  }

  @Override
  public int receivedSoFar(long request, long[] lengthsBytes) {
    return receiving.receivedSoFar(request, lengthsBytes);
  }

  @Override
  public long iput(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes,
      long timeoutNs) {
    return sending.transfer(
        memory, offsetBytes, lengthBytes, remote, remoteOffsetBytes, false, timeoutNs);
  }

  @Override
  public long iput(TransferList list, long timeoutNs) {
    return sending.transfer(list, false, timeoutNs, 0);
  }

  @Override
  public long iput(TransferList list, long timeoutNs, long userData) {
    return sending.transfer(list, false, timeoutNs, userData);
  }

  @Override
  public long iput(TransferList list, int notice, long timeoutNs, long userData) {
    return sending.putWithNotice(list, notice, timeoutNs, userData);
  }

  @Override
  public int pollNotices(Completions into) {
    return polls.pollNotices(this, into);
  }

  @Override
  public long iget(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes,
      long timeoutNs) {
    return sending.transfer(
        memory, offsetBytes, lengthBytes, remote, remoteOffsetBytes, true, timeoutNs);
  }

  @Override
  public long iget(TransferList list, long timeoutNs) {
    return sending.transfer(list, true, timeoutNs, 0);
  }

  @Override
  public long iget(TransferList list, long timeoutNs, long userData) {
    return sending.transfer(list, true, timeoutNs, userData);
  }

  @Override
  public void sendMode(SendMode mode) {
    sending.sendMode(mode);
  }

  @Override
  public int sendsNeedingProgress() {
    return sending.sendsNeedingProgress();
  }
}
