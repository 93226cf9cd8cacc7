// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.verbs.CompletionOpcode;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.WorkCompletions;

/**
 * Completions side by side: a batch for a caller, or the ring of a queue. Each is four words of one
 * array, half a cache line: with many queues hardly any of them is in the cache when it is used.
 *
 * <pre>
 *   0  id
 *   1  length (32)            immediate (32)
 *   2  queue pair (32)        vendor error (32)
 *   3  has immediate (1)      opcode (8)         status (8)
 * </pre>
 */
final class SoftCompletions implements WorkCompletions {
  private static final int WORDS = 4;
  private static final int LENGTH_AND_IMMEDIATE = 1;
  private static final int NUMBER_AND_VENDOR = 2;
  private static final int KIND = 3;
  private static final int OPCODE_SHIFT = 8;
  private static final int ORDINAL_MASK = 0xff;
  private static final long HAS_IMMEDIATE = 1 << 16;

  private static final CompletionStatus[] STATUSES = CompletionStatus.values();
  private static final CompletionOpcode[] OPCODES = CompletionOpcode.values();

  private final long[] words;

  SoftCompletions(int capacity) {
    words = new long[WORDS * capacity];
  }

  /** Writes one, of no length and without an immediate. */
  void put(
      int index,
      long id,
      CompletionStatus status,
      CompletionOpcode opcode,
      int vendorError,
      int queuePair) {
    int at = WORDS * index;
    words[at] = id;
    words[at + LENGTH_AND_IMMEDIATE] = 0;
    words[at + NUMBER_AND_VENDOR] = pair(queuePair, vendorError);
    words[at + KIND] = (long) opcode.ordinal() << OPCODE_SHIFT | status.ordinal();
  }

  /** Sets the length of what was received. */
  void lengthBytes(int index, int lengthBytes) {
    words[WORDS * index + LENGTH_AND_IMMEDIATE] = pair(lengthBytes, 0);
  }

  /** As {@link #lengthBytes(int, int)}, with an immediate. */
  void received(int index, int lengthBytes, int immediate) {
    words[WORDS * index + LENGTH_AND_IMMEDIATE] = pair(lengthBytes, immediate);
    words[WORDS * index + KIND] |= HAS_IMMEDIATE;
  }

  private static long pair(int high, int low) {
    return (long) high << Integer.SIZE | Integer.toUnsignedLong(low);
  }

  void copy(int index, SoftCompletions source, int sourceIndex) {
    int to = WORDS * index;
    int from = WORDS * sourceIndex;
    for (int word = 0; word < WORDS; word++) {
      words[to + word] = source.words[from + word];
    }
  }

  @Override
  public int capacity() {
    return words.length / WORDS;
  }

  @Override
  public long id(int index) {
    return words[WORDS * index];
  }

  @Override
  public CompletionStatus status(int index) {
    return STATUSES[(int) words[WORDS * index + KIND] & ORDINAL_MASK];
  }

  @Override
  public CompletionOpcode opcode(int index) {
    return OPCODES[(int) words[WORDS * index + KIND] >> OPCODE_SHIFT & ORDINAL_MASK];
  }

  @Override
  public int lengthBytes(int index) {
    return (int) (words[WORDS * index + LENGTH_AND_IMMEDIATE] >> Integer.SIZE);
  }

  @Override
  public boolean hasImmediate(int index) {
    return (words[WORDS * index + KIND] & HAS_IMMEDIATE) != 0;
  }

  @Override
  public int immediate(int index) {
    return (int) words[WORDS * index + LENGTH_AND_IMMEDIATE];
  }

  @Override
  public int queuePairNumber(int index) {
    return (int) (words[WORDS * index + NUMBER_AND_VENDOR] >> Integer.SIZE);
  }

  @Override
  public int vendorError(int index) {
    return (int) words[WORDS * index + NUMBER_AND_VENDOR];
  }
}
