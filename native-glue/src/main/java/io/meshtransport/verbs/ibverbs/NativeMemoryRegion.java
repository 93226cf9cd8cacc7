// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import com.sun.jna.Pointer;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.VerbsException;
import java.util.List;

/** A memory region of libibverbs (struct ibv_mr). Keeps its buffers reachable. Any thread. */
final class NativeMemoryRegion extends DeviceObject implements MemoryRegion {
  /** The smallest pages on x86-64 and aarch64; where they are larger the kernel checks again. */
  private static final long LEAST_PAGE_BYTES = 4096;

  private final Extent extent;
  private final long address;
  private final NativeProtectionDomain domain;
  private final int localKey;
  private final int remoteKey;

  private NativeMemoryRegion(
      long pointer, NativeProtectionDomain domain, Extent extent, long address) {
    super(pointer, "memory region", domain.device(), domain);
    this.domain = domain;
    this.extent = extent;
    this.address = address;
    Pointer region = new Pointer(pointer);
    this.localKey = region.getInt(Layout.Mr.LKEY);
    this.remoteKey = region.getInt(Layout.Mr.RKEY);
  }

  /**
   * Under its own address, inside the domain's gate. The older verb does not know {@link
   * Access#OPTIONAL} bits.
   */
  static NativeMemoryRegion register(NativeProtectionDomain domain, Extent extent, int access)
      throws VerbsException {
    if ((access & Access.OPTIONAL) != 0) {
      return registerAt(domain, extent.address(), extent, access);
    }
    long pointer =
        domain
            .exported()
            .ibv_reg_mr(domain.pointer(), extent.address(), extent.lengthBytes(), access);
    NativeFailure.checkPointer(pointer, "ibv_reg_mr", subject(domain, extent));
    return checked(new NativeMemoryRegion(pointer, domain, extent, extent.address()));
  }

  /** Inside the domain's gate. */
  static NativeMemoryRegion registerAt(
      NativeProtectionDomain domain, long iova, Extent extent, int access) throws VerbsException {
    refuseOtherPlaceInPage(iova, extent.address());
    long pointer =
        domain
            .exported()
            .ibv_reg_mr_iova2(
                domain.pointer(), extent.address(), extent.lengthBytes(), iova, access);
    NativeFailure.checkPointer(pointer, "ibv_reg_mr_iova2", subject(domain, extent));
    return checked(new NativeMemoryRegion(pointer, domain, extent, iova));
  }

  /** Memory is mapped by pages, so an address of choice cannot change the place within one. */
  private static void refuseOtherPlaceInPage(long iova, long address) throws VerbsException {
    if (((iova ^ address) & LEAST_PAGE_BYTES - 1) != 0) {
      throw new VerbsException(
          Errno.EINVAL,
          String.format(
              "memory at 0x%x cannot be registered at 0x%x: both must have the same place within a"
                  + " page. Take an alignedSlice of the buffer",
              address, iova));
    }
  }

  /** Memory of another device. Inside the domain's gate. */
  static NativeMemoryRegion registerDmaBuf(
      NativeProtectionDomain domain, DmaBuf memory, long iova, int access) throws VerbsException {
    long pointer = memory.register(domain, iova, access);
    Extent extent = new Extent(List.of(), memory.offsetBytes(), memory.lengthBytes());
    return checked(new NativeMemoryRegion(pointer, domain, extent, iova));
  }

  private static String subject(NativeProtectionDomain domain, Extent extent) {
    return extent.lengthBytes() + " bytes in a " + domain.description();
  }

  @Override
  void checkLayout(LayoutCheck layout) throws VerbsException {
    layout.pointer("ibv_mr.context", pointer(), Layout.Mr.CONTEXT, device().pointer());
    layout.pointer("ibv_mr.pd", pointer(), Layout.Mr.PD, domain.pointer());
    layout.pointer("ibv_mr.addr", pointer(), Layout.Mr.ADDR, extent.address());
    layout.pointer("ibv_mr.length", pointer(), Layout.Mr.LENGTH, extent.lengthBytes());
  }

  @Override
  public long address() {
    return address;
  }

  @Override
  public long lengthBytes() {
    return extent.lengthBytes();
  }

  @Override
  public int localKey() {
    return localKey;
  }

  @Override
  public int remoteKey() {
    return remoteKey;
  }

  @Override
  int destroy() {
    return exported().ibv_dereg_mr(pointer());
  }

  @Override
  String destroyCall() {
    return "ibv_dereg_mr";
  }
}
