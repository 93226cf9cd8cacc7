// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * A batch of completions (array of struct ibv_wc) filled by {@link CompletionQueue#poll}. Indices
 * run from 0 to below what poll returned. Confined to one thread at a time. Allocates nothing.
 */
public interface WorkCompletions {
  int capacity();

  /** Id of the work request. */
  long id(int index);

  CompletionStatus status(int index);

  /** What it was. Undefined unless the status is SUCCESS. */
  CompletionOpcode opcode(int index);

  /**
   * Bytes received or read; for receives of a write with immediate the bytes written. Unsigned 32
   * bits, undefined for sends and unless SUCCESS.
   */
  int lengthBytes(int index);

  /** Whether {@link #immediate} is set. */
  boolean hasImmediate(int index);

  int immediate(int index);

  /** The local queue pair it belongs to. */
  int queuePairNumber(int index);

  /** Of a receive on a UD queue pair: number of the queue pair that sent it. Else undefined. */
  default int sourceQueuePair(int index) {
    return 0;
  }

  /**
   * Of a receive on a UD queue pair: whether the first {@link ReceiveChain#ROUTE_HEADER_BYTES}
   * received are the sender's route. On RoCE they always are. They count in {@link #lengthBytes} in
   * both cases.
   */
  default boolean hasRouteHeader(int index) {
    return false;
  }

  /** The device's own error code of a failure, 0 if it has none. */
  int vendorError(int index);
}
