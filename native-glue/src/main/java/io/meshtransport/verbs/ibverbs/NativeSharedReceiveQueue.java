// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import com.sun.jna.Pointer;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.NativeBlock;
import io.meshtransport.verbs.ObjectLimits;
import io.meshtransport.verbs.ReceiveChain;
import io.meshtransport.verbs.SharedReceiveQueue;
import io.meshtransport.verbs.VerbsException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/** A shared receive queue of libibverbs (struct ibv_srq). */
final class NativeSharedReceiveQueue extends DeviceObject implements SharedReceiveQueue {
  private final NativeProtectionDomain domain;
  private final int number;
  private final int sges;
  private volatile int depth;

  private NativeSharedReceiveQueue(
      long pointer, NativeProtectionDomain domain, int depth, int sges) {
    super(pointer, "shared receive queue", domain.device(), domain);
    this.domain = domain;
    this.number = new Pointer(pointer).getInt(Layout.Srq.HANDLE);
    this.depth = depth;
    this.sges = sges;
  }

  /** Inside the domain's gate. */
  static NativeSharedReceiveQueue create(NativeProtectionDomain domain, int depth, int sges)
      throws VerbsException {
    ObjectLimits limits = domain.device().query().objects();
    inRange("depth", depth, limits.sharedReceiveDepth(), domain.device());
    inRange("number of entries", sges, limits.sharedReceiveSges(), domain.device());
    NativeBlock block = NativeBlock.ofBytes(Layout.SrqInitAttr.BYTES);
    ByteBuffer bytes = block.bytes();
    bytes.putInt(Layout.SrqInitAttr.MAX_WR, depth);
    bytes.putInt(Layout.SrqInitAttr.MAX_SGE, sges);
    long pointer = block.duringLong(at -> domain.exported().ibv_create_srq(domain.pointer(), at));
    NativeFailure.checkPointer(
        pointer, "ibv_create_srq", "a queue of depth " + depth + " on " + domain.description());
    return checked(
        new NativeSharedReceiveQueue(
            pointer,
            domain,
            bytes.getInt(Layout.SrqInitAttr.MAX_WR),
            bytes.getInt(Layout.SrqInitAttr.MAX_SGE)));
  }

  @Override
  void checkLayout(LayoutCheck layout) throws VerbsException {
    layout.pointer("ibv_srq.context", pointer(), Layout.Srq.CONTEXT, device().pointer());
    layout.pointer("ibv_srq.pd", pointer(), Layout.Srq.PD, domain.pointer());
  }

  private static void inRange(String what, int value, int most, NativeDevice device)
      throws VerbsException {
    if (value < 1 || value > most) {
      throw new VerbsException(
          Errno.EINVAL,
          "shared receive queues of "
              + device.name()
              + " have a "
              + what
              + " of 1 to "
              + most
              + ", not "
              + value);
    }
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public int depth() {
    return depth;
  }

  @Override
  public int sges() {
    return sges;
  }

  @Override
  public ReceiveChain newReceiveChain(int capacity) {
    return new NativeReceiveChain(capacity, sges);
  }

  @Override
  public int postReceive(ReceiveChain chain) {
    if (!(chain instanceof NativeReceiveChain)) {
      return Errno.EINVAL;
    }
    NativeReceiveChain requests = (NativeReceiveChain) chain;
    if (!enter()) {
      return requests.refuse(Errno.EBADF);
    }
    try {
      return requests.postShared(inline(), pointer());
    } finally {
      leave();
      Reference.reachabilityFence(requests);
    }
  }

  @Override
  public void armLimit(int limit) throws VerbsException {
    if (limit < 0 || limit > depth) {
      throw new VerbsException(
          Errno.EINVAL, "a limit of " + limit + " is outside 0.." + depth + ", the queue's depth");
    }
    modify(Layout.SrqAttr.SRQ_LIMIT, limit, Layout.SrqAttr.MASK_LIMIT);
  }

  @Override
  public void resize(int newDepth) throws VerbsException {
    inRange("depth", newDepth, device().query().objects().sharedReceiveDepth(), device());
    modify(Layout.SrqAttr.MAX_WR, newDepth, Layout.SrqAttr.MASK_MAX_WR);
    depth = query(Layout.SrqAttr.MAX_WR);
  }

  @Override
  public int armedLimit() throws VerbsException {
    return query(Layout.SrqAttr.SRQ_LIMIT);
  }

  private void modify(int field, int value, int mask) throws VerbsException {
    NativeBlock block = NativeBlock.ofBytes(Layout.SrqAttr.BYTES);
    block.bytes().putInt(field, value);
    inside(
        () -> {
          int errno = block.during(at -> exported().ibv_modify_srq(pointer(), at, mask));
          NativeFailure.check(errno, "ibv_modify_srq to " + value, description());
          return block;
        },
        this);
  }

  private int query(int field) throws VerbsException {
    NativeBlock block = NativeBlock.ofBytes(Layout.SrqAttr.BYTES);
    return inside(
        () -> {
          int errno = block.during(at -> exported().ibv_query_srq(pointer(), at));
          NativeFailure.check(errno, "ibv_query_srq", description());
          return block.bytes().getInt(field);
        },
        this);
  }

  @Override
  int destroy() {
    return exported().ibv_destroy_srq(pointer());
  }

  @Override
  String destroyCall() {
    return "ibv_destroy_srq";
  }
}
