package io.meshtransport.verbs;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import java.util.ArrayList;
import java.util.List;

/**
 * What libibverbs says about this host, asked once.
 *
 * @param deviceNames of the RDMA devices found
 * @param reason which they are, or why there are none and what to do
 */
record LibibverbsProbe(List<String> deviceNames, String reason) {
  /** The name the dynamic linker knows without the development package (man 8 ldconfig). */
  static final String LIBRARY = "libibverbs.so.1";

  private static final String SOFT_INSTEAD = "MESH_PROVIDER=soft works without it.";

  LibibverbsProbe {
    deviceNames = List.copyOf(deviceNames);
  }

  /** The one probe of this process. */
  static LibibverbsProbe ofThisHost() {
    return OfThisHost.PROBE;
  }

  /** Loads the library on first use only. */
  private static final class OfThisHost {
    static final LibibverbsProbe PROBE = of(LIBRARY);
  }

  static LibibverbsProbe of(String library) {
    try {
      return ask(NativeLibrary.getInstance(library));
    } catch (UnsatisfiedLinkError e) {
      return none(
          library
              + " cannot be loaded ("
              + firstLine(e)
              + "). Install it, on Debian `apt install libibverbs1 ibverbs-providers`.");
    }
  }

  /**
   * ibv_get_device_list (man page of that name): NULL and errno, or an array that ends with NULL.
   */
  private static LibibverbsProbe ask(NativeLibrary library) {
    IntByReference count = new IntByReference();
    Pointer list = library.getFunction("ibv_get_device_list").invokePointer(new Object[] {count});
    if (list == null) {
      return ofErrno(Native.getLastError());
    }
    try {
      return ofNames(names(library, list, count.getValue()));
    } finally {
      library.getFunction("ibv_free_device_list").invokeVoid(new Object[] {list});
    }
  }

  private static List<String> names(NativeLibrary library, Pointer list, int count) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Pointer device = list.getPointer((long) i * Native.POINTER_SIZE);
      names.add(
          library.getFunction("ibv_get_device_name").invokeString(new Object[] {device}, false));
    }
    return names;
  }

  /** ibv_get_device_list answered NULL with this errno. */
  static LibibverbsProbe ofErrno(int errno) {
    return none(
        errno == Errno.ENOSYS
            ? "libibverbs is installed but the kernel has no RDMA core loaded (errno 38, ENOSYS)."
                + " `modprobe ib_uverbs` and the driver of the adapter load it."
            : "ibv_get_device_list failed with errno "
                + errno
                + ". `ibv_devices` shows whether the host has RDMA devices at all.");
  }

  /** ibv_get_device_list answered these. */
  static LibibverbsProbe ofNames(List<String> names) {
    if (names.isEmpty()) {
      return none(
          "the kernel's RDMA core has no device. Load the driver of the adapter; `rdma link` lists"
              + " what there is.");
    }
    return new LibibverbsProbe(names, "RDMA devices " + String.join(", ", names));
  }

  private static LibibverbsProbe none(String why) {
    return new LibibverbsProbe(List.of(), why + " " + SOFT_INSTEAD);
  }

  private static String firstLine(Throwable e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("no reason given");
  }
}
