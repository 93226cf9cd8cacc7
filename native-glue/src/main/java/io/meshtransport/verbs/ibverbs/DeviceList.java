// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import com.sun.jna.Pointer;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.NativeBlock;
import io.meshtransport.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;

/** The devices that libibverbs lists now (man ibv_get_device_list), valid while it is open. */
final class DeviceList implements AutoCloseable {
  private final ExportedVerbs verbs;
  private final long list;
  private final int count;

  private DeviceList(ExportedVerbs verbs, long list, int count) {
    this.verbs = verbs;
    this.list = list;
    this.count = count;
  }

  static DeviceList ask(Libibverbs library) throws VerbsException {
    NativeBlock count = NativeBlock.ofBytes(Layout.POINTER_BYTES);
    long list =
        NativeFailure.checkPointer(
            count.duringLong(at -> library.exported().ibv_get_device_list(at)),
            "ibv_get_device_list",
            library.name());
    return new DeviceList(library.exported(), list, count.bytes().getInt(0));
  }

  /** Opens a device, the caller's to close. */
  static NativeDevice open(Libibverbs library, String name) throws VerbsException {
    try (DeviceList devices = ask(library)) {
      for (int i = 0; i < devices.count; i++) {
        if (devices.name(i).equals(name)) {
          return devices.openContext(i, library);
        }
      }
      throw new VerbsException(
          Errno.ENODEV, "there is no RDMA device " + name + ", only " + devices.names());
    }
  }

  List<String> names() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      names.add(name(i));
    }
    return names;
  }

  private long device(int index) {
    return new Pointer(list).getLong((long) index * Layout.POINTER_BYTES);
  }

  private String name(int index) {
    return verbs.ibv_get_device_name(device(index));
  }

  private NativeDevice openContext(int index, Libibverbs library) throws VerbsException {
    HostAbi abi = HostAbi.ofThisHost();
    String name = name(index);
    long context =
        NativeFailure.checkPointer(
            verbs.ibv_open_device(device(index)), "ibv_open_device", "device " + name);
    try {
      library.layout().context(context, name, abi);
      return OpenDevices.add(new NativeDevice(name, context, library));
    } catch (VerbsException e) {
      verbs.ibv_close_device(context);
      throw e;
    }
  }

  @Override
  public void close() {
    verbs.ibv_free_device_list(list);
  }
}
