// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assumptions.abort;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.meshtransport.verbs.NativeBlock;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Memory of a graphics device, exported as a dma-buf and mapped, for tests. Any driver with "dumb"
 * buffers will do, such as vgem, which is made of ordinary memory (man 7 drm-memory).
 */
final class DumbBuffer implements AutoCloseable {
  private static final Path CARDS = Path.of("/dev/dri");
  private static final int READ_WRITE = 2;

  /** DRM_CLOEXEC and DRM_RDWR, as O_CLOEXEC and O_RDWR in asm-generic/fcntl.h. */
  private static final int EXPORT_FLAGS = 0x80000 | READ_WRITE;

  /** PROT_READ and PROT_WRITE; MAP_SHARED (man 2 mmap). */
  private static final int PROTECTION = 3;

  private static final int SHARED = 1;

  /** struct drm_mode_create_dumb: height, width, bits per pixel, flags, handle, pitch, size. */
  private static final int CREATE_BYTES = 32;

  private static final int CREATE_HANDLE = 16;
  private static final int CREATE_SIZE = 24;
  private static final long CREATE_DUMB = inAndOut('d', 0xB2, CREATE_BYTES);

  /** struct drm_prime_handle: handle, flags, file descriptor. */
  private static final int PRIME_BYTES = 12;

  private static final int PRIME_FD = 8;
  private static final long HANDLE_TO_FD = inAndOut('d', 0x2D, PRIME_BYTES);

  /** The C library's part. Each answers -1 on failure. */
  interface Calls {
    int open(String path, int flags);

    int ioctl(int fd, long request, long argument);

    long mmap(long at, long lengthBytes, int protection, int flags, int fd, long offset);

    int munmap(long at, long lengthBytes);

    int close(int fd);

    /** Copied and bound by {@link DirectBinding}. */
    final class Bound implements Calls {
      @Override
      public native int open(String path, int flags);

      @Override
      public native int ioctl(int fd, long request, long argument);

      @Override
      public native long mmap(
          long at, long lengthBytes, int protection, int flags, int fd, long offset);

      @Override
      public native int munmap(long at, long lengthBytes);

      @Override
      public native int close(int fd);
    }
  }

  private final Calls calls =
      DirectBinding.bind(Calls.class, Calls.Bound.class, NativeLibrary.getInstance("c"));
  private final int card;
  final int fileDescriptor;
  final long lengthBytes;
  private final long address;

  /** ioctl(2) numbers of requests that read and write a structure. */
  private static long inAndOut(char type, int number, int bytes) {
    return 3L << 30 | (long) bytes << 16 | (long) type << 8 | number;
  }

  /** At least so many bytes; leaves the test out where no device has any. */
  DumbBuffer(int bytes) {
    if (!Files.exists(CARDS.resolve("card0"))) {
      abort("no graphics device to take a dma-buf from: `modprobe vgem` makes one");
    }
    card = check(calls.open(CARDS.resolve("card0").toString(), READ_WRITE), "open");
    NativeBlock create = NativeBlock.ofBytes(CREATE_BYTES);
    create.bytes().putInt(0, (bytes + 4095) / 4096).putInt(4, 1024).putInt(8, 32);
    check(calls.ioctl(card, CREATE_DUMB, create.address()), "creating a dumb buffer");
    lengthBytes = create.bytes().getLong(CREATE_SIZE);
    NativeBlock prime = NativeBlock.ofBytes(PRIME_BYTES);
    prime.bytes().putInt(0, create.bytes().getInt(CREATE_HANDLE)).putInt(4, EXPORT_FLAGS);
    check(calls.ioctl(card, HANDLE_TO_FD, prime.address()), "exporting a dma-buf");
    fileDescriptor = prime.bytes().getInt(PRIME_FD);
    address = calls.mmap(0, lengthBytes, PROTECTION, SHARED, fileDescriptor, 0);
    check(address == -1 ? -1 : 0, "mapping a dma-buf");
  }

  private static int check(int answer, String call) {
    if (answer < 0) {
      throw new AssertionError(call + " failed with errno " + Native.getLastError());
    }
    return answer;
  }

  ByteBuffer bytes() {
    return new Pointer(address).getByteBuffer(0, lengthBytes);
  }

  @Override
  public void close() {
    calls.munmap(address, lengthBytes);
    calls.close(fileDescriptor);
    calls.close(card);
  }
}
