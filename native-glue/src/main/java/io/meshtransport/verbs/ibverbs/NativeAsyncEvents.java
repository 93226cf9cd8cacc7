// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.NativeBlock;
import io.meshtransport.verbs.VerbsException;
import java.util.Optional;

/**
 * Asynchronous events of a device (man ibv_get_async_event), acknowledged as soon as they are read:
 * destroying what an event names waits for that. Any thread, inside the device's gate.
 */
final class NativeAsyncEvents {
  private final NativeDevice device;
  private final NativeBlock event = NativeBlock.ofBytes(Layout.AsyncEventRecord.BYTES);

  NativeAsyncEvents(NativeDevice device) throws VerbsException {
    this.device = device;
    FileDescriptors.setNonBlocking(
        new Pointer(device.pointer()).getInt(Layout.Context.ASYNC_FD), device.description());
  }

  synchronized Optional<AsyncEvent> poll() throws VerbsException {
    if (device.exported().ibv_get_async_event(device.pointer(), event.address()) != 0) {
      int errno = Native.getLastError();
      if (FileDescriptors.isNothingThere(errno)) {
        return Optional.empty();
      }
      throw NativeFailure.of(errno, "ibv_get_async_event", device.description());
    }
    AsyncEvent happened = read();
    device.exported().ibv_ack_async_event(event.address());
    return Optional.of(happened);
  }

  /** enum ibv_event_type and which member of the union belongs to each. */
  private AsyncEvent read() {
    return switch (event.bytes().getInt(Layout.AsyncEventRecord.EVENT_TYPE)) {
      case 0 -> new AsyncEvent(AsyncEvent.Type.CQ_ERR, 0);
      case 1 -> ofQueuePair(AsyncEvent.Type.QP_FATAL);
      case 2 -> ofQueuePair(AsyncEvent.Type.QP_REQ_ERR);
      case 3 -> ofQueuePair(AsyncEvent.Type.QP_ACCESS_ERR);
      case 4 -> ofQueuePair(AsyncEvent.Type.COMM_EST);
      case 5, 6, 7 -> ofQueuePair(AsyncEvent.Type.OTHER);
      case 8 -> new AsyncEvent(AsyncEvent.Type.DEVICE_FATAL, 0);
      case 9 -> ofPort(AsyncEvent.Type.PORT_ACTIVE);
      case 10 -> ofPort(AsyncEvent.Type.PORT_ERR);
      case 11, 12, 13, 17 -> ofPort(AsyncEvent.Type.OTHER);
      case 14 -> ofSharedQueue(AsyncEvent.Type.SRQ_ERR);
      case 15 -> ofSharedQueue(AsyncEvent.Type.SRQ_LIMIT_REACHED);
      case 16 -> ofQueuePair(AsyncEvent.Type.LAST_WQE_REACHED);
      case 18 -> ofPort(AsyncEvent.Type.GID_CHANGE);
      default -> new AsyncEvent(AsyncEvent.Type.OTHER, 0);
    };
  }

  private AsyncEvent ofQueuePair(AsyncEvent.Type type) {
    long queuePair = event.bytes().getLong(Layout.AsyncEventRecord.ELEMENT);
    return new AsyncEvent(type, new Pointer(queuePair).getInt(Layout.Qp.QP_NUM));
  }

  private AsyncEvent ofSharedQueue(AsyncEvent.Type type) {
    long queue = event.bytes().getLong(Layout.AsyncEventRecord.ELEMENT);
    return new AsyncEvent(type, new Pointer(queue).getInt(Layout.Srq.HANDLE));
  }

  private AsyncEvent ofPort(AsyncEvent.Type type) {
    return new AsyncEvent(type, event.bytes().getInt(Layout.AsyncEventRecord.ELEMENT));
  }
}
