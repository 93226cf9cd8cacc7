// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.EndpointEvents;
import io.meshtransport.transport.channel.Goodbye;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.SendJournal;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.transport.endpoint.WorkRequestId;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.WorkCompletions;

/**
 * Both directions of a connection over one endpoint: hands each event to the direction that it is
 * for. A request's direction is the kind of its slot; a control message's is its kind, and an
 * immediate is always for the receiving direction. Confined to the channel's lock.
 */
final class DuplexEvents implements EndpointEvents {
  private final ChannelCore core;
  private final ControlPath control;
  private final TaggedSends sends;
  private final TaggedReceives receives;

  /** Null on a connection over one endpoint, with the journal. */
  private final ConnectionRails rails;

  private final SendJournal journal;

  /** Over one endpoint. */
  DuplexEvents(ChannelCore core, ControlPath control, TaggedSends sends, TaggedReceives receives) {
    this(core, control, sends, receives, null, null);
  }

  /** Over several rails. */
  DuplexEvents(
      ChannelCore core,
      ControlPath control,
      TaggedSends sends,
      TaggedReceives receives,
      ConnectionRails rails,
      SendJournal journal) {
    this.core = core;
    this.control = control;
    this.sends = sends;
    this.receives = receives;
    this.rails = rails;
    this.journal = journal;
  }

  @Override
  public void completed(
      VerbsEndpoint from, int kind, int index, WorkCompletions batch, int position) {
    if (rails != null && isOfRails((MeshEndpoint) from, kind, index, batch, position)) {
      return;
    }
    boolean isForReceives =
        switch (kind) {
          case WorkRequestId.CONTROL -> isOfReceives(index);
          case WorkRequestId.RECEIVE -> isForReceives((MeshEndpoint) from, index, batch, position);
          default -> false;
        };
    EndpointEvents direction = isForReceives ? receives : sends;
    direction.completed(from, kind, index, batch, position);
  }

  /** Whether the rails alone need to know of it. */
  private boolean isOfRails(
      MeshEndpoint from, int kind, int index, WorkCompletions batch, int position) {
    if (kind == WorkRequestId.RECEIVE) {
      return rails.received(from, index, batch, position);
    }
    boolean isAside = kind == WorkRequestId.CONTROL && index > control.leaveBuffer();
    if (!isAside) {
      journal.acknowledged();
    }
    return isAside;
  }

  /** A work request over a rail that is lost is over, as the peer says. */
  void delivered(MeshEndpoint from, int kind, int index) {
    EndpointEvents direction =
        kind == WorkRequestId.CONTROL && isOfReceives(index) ? receives : sends;
    direction.completed(from, kind, index, null, 0);
  }

  /** Whether what came in a receive is for the receiving direction, as far as that can be read. */
  private static boolean isForReceives(
      MeshEndpoint from, int index, WorkCompletions batch, int position) {
    if (batch.hasImmediate(position)) {
      return true;
    }
    if (batch.lengthBytes(position) < ControlMessage.HEADER_BYTES) {
      return false;
    }
    int kind = ControlMessage.kind(from.incoming().memory(index), from.incoming().at(index));
    return kind == ControlMessage.TOO_LONG
        || kind == ControlMessage.WRITTEN
        || kind == ControlMessage.RECEIVES
        || kind == ControlMessage.WITHDRAWN
        || kind == ControlMessage.PUT_NOTICE
        || kind == ControlMessage.UNEXPECTED;
  }

  /** Whether a control message that was sent is the receiving direction's. */
  private boolean isOfReceives(int buffer) {
    return control.isRequestBuffer(buffer)
        ? isReceive(buffer)
        : buffer == control.putCreditBuffer() || buffer == control.unexpectedCreditBuffer();
  }

  private boolean isReceive(int slot) {
    return core.requests.kind(slot) == CompletionKind.RECEIVED;
  }

  @Override
  public void batchCompleted(VerbsEndpoint from) {
    if (control.postReceives(from)) {
      sends.receivesPosted();
      receives.receivesPosted();
    }
    sends.postMatched();
  }

  @Override
  public TransportException failure(
      int kind, int slot, CompletionStatus status, TransportException why) {
    return sends.failure(kind, slot, status, why);
  }

  @Override
  public boolean awaitsReport() {
    return sends.awaitsReport();
  }

  @Override
  public void requestReport() {
    sends.requestReport();
  }

  @Override
  public void queried(int slot) {
    directionOf(slot).queried(slot);
  }

  private EndpointEvents directionOf(int slot) {
    return isReceive(slot) ? receives : sends;
  }

  @Override
  public void deadlinePassed(int slot) {
    directionOf(slot).deadlinePassed(slot);
  }

  @Override
  public void closing(TransportException why) {
    receives.closing(why);
    sends.closing(why);
  }

  @Override
  public void stopped() {
    receives.stopped();
    sends.stopped();
  }

  @Override
  public boolean sendGoodbye(Goodbye goodbye) {
    return sends.sendGoodbye(goodbye);
  }

  @Override
  public boolean needsProgress() {
    return sends.needsProgress() || receives.needsProgress() || rails != null && rails.isHasty();
  }

  /** The peer may take receives back. */
  @Override
  public boolean answersPeer() {
    return true;
  }

  @Override
  public void opened() {
    receives.opened();
  }

  @Override
  public void noticesPolled() {
    receives.noticesPolled();
  }

  @Override
  public void lengths(int slot, long[] into) {
    directionOf(slot).lengths(slot, into);
  }
}
