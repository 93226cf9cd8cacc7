// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.verbs.AddressHandle;
import io.meshtransport.verbs.NativeBlock;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.VerbsException;

/** An address handle of libibverbs (struct ibv_ah). Any thread. */
final class NativeAddressHandle extends DeviceObject implements AddressHandle {
  private final NativeProtectionDomain domain;
  private final PeerAddress peer;
  private final int port;

  private NativeAddressHandle(
      long pointer, NativeProtectionDomain domain, PeerAddress peer, int port) {
    super(pointer, "address handle", domain.device(), domain);
    this.domain = domain;
    this.peer = peer;
    this.port = port;
  }

  /** Inside the domain's gate. */
  static NativeAddressHandle create(NativeProtectionDomain domain, PeerAddress peer, int port)
      throws VerbsException {
    // For the text: the kernel fails for an empty row with a number only.
    domain.device().gid(port, peer.sourceGidIndex());
    NativeBlock block = NativeBlock.ofBytes(Layout.AhAttr.BYTES);
    AddressVector.write(block.bytes(), 0, peer, port);
    long pointer = block.duringLong(at -> domain.exported().ibv_create_ah(domain.pointer(), at));
    NativeFailure.checkPointer(
        pointer,
        "ibv_create_ah",
        "the path to "
            + peer.gid()
            + " from GID row "
            + peer.sourceGidIndex()
            + " of "
            + domain.device().description());
    return checked(new NativeAddressHandle(pointer, domain, peer, port));
  }

  @Override
  void checkLayout(LayoutCheck layout) throws VerbsException {
    layout.pointer("ibv_ah.context", pointer(), Layout.Ah.CONTEXT, device().pointer());
    layout.pointer("ibv_ah.pd", pointer(), Layout.Ah.PD, domain.pointer());
  }

  /** Whether queue pairs of this domain may name it. */
  boolean isOf(NativeProtectionDomain other) {
    return domain == other;
  }

  @Override
  public PeerAddress peer() {
    return peer;
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  int destroy() {
    return exported().ibv_destroy_ah(pointer());
  }

  @Override
  String destroyCall() {
    return "ibv_destroy_ah";
  }
}
