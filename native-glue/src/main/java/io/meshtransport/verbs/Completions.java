package io.meshtransport.verbs;

/**
 * A batch of completions (array of struct ibv_wc) filled by {@link CompletionQueue#poll}. Indices
 * run from 0 to below what poll returned. Confined to one thread at a time. Allocates nothing.
 */
public interface Completions {
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

  /** Whether {@link #immediate} holds something. */
  boolean hasImmediate(int index);

  int immediate(int index);

  /** The local queue pair it belongs to. */
  int queuePairNumber(int index);

  /** The device's own word on a failure, 0 if it has none. */
  int vendorError(int index);
}
