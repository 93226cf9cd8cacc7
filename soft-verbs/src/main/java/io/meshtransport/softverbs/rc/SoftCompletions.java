// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.verbs.CompletionOpcode;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.WorkCompletions;

/** Completions side by side: a batch for a caller, or the ring of a queue. */
final class SoftCompletions implements WorkCompletions {
  final long[] ids;
  final CompletionStatus[] statuses;
  final CompletionOpcode[] opcodes;
  final int[] lengths;
  final boolean[] haveImmediate;
  final int[] immediates;
  final int[] queuePairNumbers;
  final int[] vendorErrors;

  SoftCompletions(int capacity) {
    ids = new long[capacity];
    statuses = new CompletionStatus[capacity];
    opcodes = new CompletionOpcode[capacity];
    lengths = new int[capacity];
    haveImmediate = new boolean[capacity];
    immediates = new int[capacity];
    queuePairNumbers = new int[capacity];
    vendorErrors = new int[capacity];
  }

  void copy(int index, SoftCompletions source, int sourceIndex) {
    ids[index] = source.ids[sourceIndex];
    statuses[index] = source.statuses[sourceIndex];
    opcodes[index] = source.opcodes[sourceIndex];
    lengths[index] = source.lengths[sourceIndex];
    haveImmediate[index] = source.haveImmediate[sourceIndex];
    immediates[index] = source.immediates[sourceIndex];
    queuePairNumbers[index] = source.queuePairNumbers[sourceIndex];
    vendorErrors[index] = source.vendorErrors[sourceIndex];
  }

  @Override
  public int capacity() {
    return ids.length;
  }

  @Override
  public long id(int index) {
    return ids[index];
  }

  @Override
  public CompletionStatus status(int index) {
    return statuses[index];
  }

  @Override
  public CompletionOpcode opcode(int index) {
    return opcodes[index];
  }

  @Override
  public int lengthBytes(int index) {
    return lengths[index];
  }

  @Override
  public boolean hasImmediate(int index) {
    return haveImmediate[index];
  }

  @Override
  public int immediate(int index) {
    return immediates[index];
  }

  @Override
  public int queuePairNumber(int index) {
    return queuePairNumbers[index];
  }

  @Override
  public int vendorError(int index) {
    return vendorErrors[index];
  }
}
