package io.meshtransport.verbs;

import com.sun.jna.Pointer;

/** A memory region of libibverbs (struct ibv_mr). Keeps its buffers reachable. Any thread. */
final class NativeMemoryRegion extends DeviceObject implements MemoryRegion {
  private final Extent extent;
  private final long address;
  private final int localKey;
  private final int remoteKey;

  private NativeMemoryRegion(
      long pointer, NativeProtectionDomain domain, Extent extent, long address) {
    super(pointer, "memory region", domain.device(), domain);
    this.extent = extent;
    this.address = address;
    Pointer region = new Pointer(pointer);
    this.localKey = region.getInt(Layout.Mr.LKEY);
    this.remoteKey = region.getInt(Layout.Mr.RKEY);
  }

  /** Inside the domain's gate. */
  static NativeMemoryRegion register(NativeProtectionDomain domain, Extent extent, int access)
      throws VerbsException {
    long pointer =
        domain
            .exported()
            .ibv_reg_mr(domain.pointer(), extent.address(), extent.lengthBytes(), access);
    NativeFailure.checkPointer(pointer, "ibv_reg_mr", subject(domain, extent));
    return new NativeMemoryRegion(pointer, domain, extent, extent.address());
  }

  static NativeMemoryRegion registerAt(
      NativeProtectionDomain domain, long iova, Extent extent, int access) throws VerbsException {
    long pointer =
        domain
            .exported()
            .ibv_reg_mr_iova2(
                domain.pointer(), extent.address(), extent.lengthBytes(), iova, access);
    NativeFailure.checkPointer(pointer, "ibv_reg_mr_iova2", subject(domain, extent));
    return new NativeMemoryRegion(pointer, domain, extent, iova);
  }

  private static String subject(NativeProtectionDomain domain, Extent extent) {
    return extent.lengthBytes() + " bytes in a " + domain.description();
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
