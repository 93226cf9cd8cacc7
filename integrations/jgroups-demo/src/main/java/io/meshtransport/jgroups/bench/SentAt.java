// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.function.Supplier;
import org.jgroups.Global;
import org.jgroups.Header;

/** When a message left, as {@link System#nanoTime} returned it: eight bytes. */
public final class SentAt extends Header {
  /** Above those JGroups keeps for itself (1024). */
  static final short MAGIC_ID = 7110;

  private long nanos;

  /** For JGroups, which then reads it. */
  public SentAt() {
    this(0);
  }

  SentAt(long nanos) {
    this.nanos = nanos;
  }

  long nanos() {
    return nanos;
  }

  @Override
  public short getMagicId() {
    return MAGIC_ID;
  }

  @Override
  public Supplier<? extends Header> create() {
    return SentAt::new;
  }

  @Override
  public int serializedSize() {
    return Global.LONG_SIZE;
  }

  @Override
  public void writeTo(DataOutput out) throws IOException {
    out.writeLong(nanos);
  }

  @Override
  public void readFrom(DataInput in) throws IOException {
    nanos = in.readLong();
  }
}
