// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.verbs.CompletionOpcode;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.NativeBlock;
import io.meshtransport.verbs.WorkCompletions;
import java.nio.ByteBuffer;

/** An array of struct ibv_wc. */
final class NativeCompletions implements WorkCompletions {
  private static final CompletionOpcode[] OPCODES = new CompletionOpcode[130];

  static {
    for (CompletionOpcode opcode : CompletionOpcode.values()) {
      OPCODES[opcode.code()] = opcode;
    }
  }

  private final int capacity;
  private final NativeBlock block;
  private final ByteBuffer bytes;

  NativeCompletions(int capacity) {
    this.capacity = capacity;
    this.block = NativeBlock.ofBytes(capacity * Layout.Wc.BYTES);
    this.bytes = block.bytes();
  }

  long address() {
    return block.address();
  }

  @Override
  public int capacity() {
    return capacity;
  }

  private int at(int index, int field) {
    return bytes.getInt(index * Layout.Wc.BYTES + field);
  }

  @Override
  public long id(int index) {
    return bytes.getLong(index * Layout.Wc.BYTES + Layout.Wc.WR_ID);
  }

  @Override
  public CompletionStatus status(int index) {
    return CompletionStatus.ofCode(at(index, Layout.Wc.STATUS));
  }

  @Override
  public CompletionOpcode opcode(int index) {
    int code = at(index, Layout.Wc.OPCODE);
    return code >= 0 && code < OPCODES.length ? OPCODES[code] : null;
  }

  @Override
  public int lengthBytes(int index) {
    return at(index, Layout.Wc.BYTE_LEN);
  }

  @Override
  public boolean hasImmediate(int index) {
    return (at(index, Layout.Wc.WC_FLAGS) & Layout.Wc.WITH_IMM) != 0;
  }

  /** In network order in the structure; this library runs on little-endian hosts. */
  @Override
  public int immediate(int index) {
    return Integer.reverseBytes(at(index, Layout.Wc.IMM_DATA));
  }

  @Override
  public int queuePairNumber(int index) {
    return at(index, Layout.Wc.QP_NUM);
  }

  @Override
  public int sourceQueuePair(int index) {
    return at(index, Layout.Wc.SRC_QP);
  }

  @Override
  public boolean hasRouteHeader(int index) {
    return (at(index, Layout.Wc.WC_FLAGS) & Layout.Wc.GRH) != 0;
  }

  @Override
  public int vendorError(int index) {
    return at(index, Layout.Wc.VENDOR_ERR);
  }
}
