// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import com.sun.jna.Pointer;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.util.Map;

/**
 * Checks {@link Layout} on each object that the library creates: fields whose value is known by
 * other means must have that value. A library with another layout is refused before anything is
 * read or written at a wrong offset.
 */
final class LayoutCheck {
  private final LoadedFile library;

  /**
   * @param library name of the library, for refusals
   */
  LayoutCheck(LoadedFile library) {
    this.library = library;
  }

  /** A context that was just opened, under the name the library gives its device. */
  void context(long context, String name, HostAbi abi) throws VerbsException {
    Pointer fields = new Pointer(context);
    field("ibv_context.abi_compat", abi.abiCompat(), fields.getLong(abi.abiCompat()), -1L);
    Pointer device = fields.getPointer(Layout.Context.DEVICE);
    require(
        device != null && name.equals(text(device, Layout.Device.NAME, Layout.Device.NAME_BYTES)),
        "ibv_device.name at offset " + Layout.Device.NAME + " is not " + name);
    long size = fields.getLong(Layout.Context.VERBS_CONTEXT_SIZE);
    require(
        size >= Layout.Context.VERBS_CONTEXT_LEAST_BYTES
            && size <= Layout.Context.VERBS_CONTEXT_MOST_BYTES
            && size % Layout.POINTER_BYTES == 0,
        "verbs_context.sz in front of the context is " + size);
    for (Map.Entry<String, Long> function : InlineBindings.addresses(context).entrySet()) {
      require(function.getValue() != 0, "ibv_context.ops." + function.getKey() + " is NULL");
    }
    descriptor("ibv_context.cmd_fd", fields.getInt(Layout.Context.CMD_FD));
    descriptor("ibv_context.async_fd", fields.getInt(Layout.Context.ASYNC_FD));
    int vectors = fields.getInt(Layout.Context.NUM_COMP_VECTORS);
    require(vectors >= 1, "ibv_context.num_comp_vectors is " + vectors);
  }

  private static String text(Pointer bytes, int offset, int most) {
    return DeviceQueries.text(bytes.getByteBuffer(0, (long) offset + most), offset, most);
  }

  /** A pointer field of a thing that was just made. */
  void field(String name, int offset, long found, long expected) throws VerbsException {
    require(
        found == expected,
        String.format("%s at offset %d is 0x%x, expected 0x%x", name, offset, found, expected));
  }

  /** As {@link #field}, read from memory. */
  void pointer(String name, long object, int offset, long expected) throws VerbsException {
    field(name, offset, new Pointer(object).getLong(offset), expected);
  }

  void descriptor(String name, int fd) throws VerbsException {
    require(FileDescriptors.isOpen(fd), name + " is " + fd + ", which is no open file");
  }

  void require(boolean isAsExpected, String finding) throws VerbsException {
    if (!isAsExpected) {
      throw new VerbsException(
          Errno.EOPNOTSUPP,
          library
              + " does not lay its structures out as rdma-core 44 does: "
              + finding
              + ". Install such an rdma-core; MESH_PROVIDER=soft works without it");
    }
  }
}
