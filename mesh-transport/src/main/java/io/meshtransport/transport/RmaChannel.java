// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransferList;
import io.meshtransport.spi.TransportException;
import io.meshtransport.verbs.CompletionStatus;

/**
 * What callers see of puts and gets at the sending end of a channel. They leave in one line with
 * the messages, which {@link SendingEnd} keeps. Guarded by its lock.
 */
abstract class RmaChannel extends ControlChannel implements SendChannel {
  final RmaOperations oneSided;

  RmaChannel(
      ChannelContext context,
      ChannelLifeCycle life,
      Rails rails,
      Route route,
      RmaOperations oneSided) {
    super(context, life, rails, route);
    this.oneSided = oneSided;
  }

  /** A put or get has begun: post it behind what is under way. */
  abstract void leave(int slot, long totalBytes);

  @Override
  public final long iput(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes,
      long timeoutNs) {
    return single(memory, offsetBytes, lengthBytes, remote, remoteOffsetBytes, false, timeoutNs);
  }

  @Override
  public final long iput(TransferList list, long timeoutNs) {
    return transfer(list, false, timeoutNs);
  }

  @Override
  public final long iget(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes,
      long timeoutNs) {
    return single(memory, offsetBytes, lengthBytes, remote, remoteOffsetBytes, true, timeoutNs);
  }

  @Override
  public final long iget(TransferList list, long timeoutNs) {
    return transfer(list, true, timeoutNs);
  }

  private long single(
      RegisteredMemory memory,
      long offsetBytes,
      long lengthBytes,
      RemoteMemory remote,
      long remoteOffsetBytes,
      boolean isGet,
      long timeoutNs) {
    lock.lock();
    TransferList list = oneSided.single();
    try {
      list.add(memory, offsetBytes, lengthBytes, remote, remoteOffsetBytes);
      return transfer(list, isGet, timeoutNs);
    } finally {
      // Closed memory must not stay reachable through a channel that is idle.
      list.clear();
      lock.unlock();
    }
  }

  private long transfer(TransferList list, boolean isGet, long timeoutNs) {
    lock.lock();
    try {
      if (!mayBegin()) {
        return FAILED;
      }
      RmaTransfer transfer = oneSided.take(list, isGet);
      if (requests.isFull()) {
        transfer.release();
        return BUSY;
      }
      int slot = begin(timeoutNs);
      requests.uses(slot, transfer);
      oneSided.begin(slot, transfer);
      long request = requests.number(slot);
      if (transfer.elsewhere() == null) {
        leave(slot, transfer.totalBytes());
      } else {
        requests.fail(
            slot, ChannelFailures.keyOfAnotherNode(route, transfer.elsewhere(), oneSided.peer()));
      }
      return request;
    } finally {
      lock.unlock();
    }
  }

  @Override
  final TransportException failure(
      VerbsEndpoint from, int kind, int slot, CompletionStatus status, int vendorError) {
    boolean isOneSided = kind == WorkRequestId.PIECE || kind == WorkRequestId.LAST_PIECE;
    return isOneSided && status == CompletionStatus.REM_ACCESS_ERR
        ? ChannelFailures.remoteAccess(route, oneSided.at(slot).isGet() ? "get" : "put")
        : super.failure(from, kind, slot, status, vendorError);
  }
}
