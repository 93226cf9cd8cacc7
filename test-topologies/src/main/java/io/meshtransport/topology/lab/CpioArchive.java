// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Writes an initial RAM disk as the kernel wants it: the "newc" format of cpio(5), 110 bytes of
 * hexadecimal digits before each name, name and content each filled up to a multiple of four. One
 * thread; the stream stays the caller's.
 */
final class CpioArchive {
  private static final int FOLDER = 0040755;
  private static final int PROGRAM = 0100755;
  private static final int LINK = 0120777;
  private static final int HEADER_BYTES = 110;
  private static final int ALIGNMENT = 4;
  private static final String LAST = "TRAILER!!!";

  private final OutputStream out;
  private int nextInode = 1;

  CpioArchive(OutputStream out) {
    this.out = out;
  }

  /** A folder whose parent, if it has one, came before it. */
  void folder(String name) throws IOException {
    entry(name, FOLDER, new byte[0]);
  }

  /** A file that may be executed. */
  void program(String name, byte[] content) throws IOException {
    entry(name, PROGRAM, content);
  }

  /** A symbolic link. */
  void link(String name, String target) throws IOException {
    entry(name, LINK, target.getBytes(StandardCharsets.UTF_8));
  }

  /** Ends the archive. */
  void end() throws IOException {
    entry(LAST, 0, new byte[0]);
  }

  private void entry(String name, int mode, byte[] content) throws IOException {
    byte[] nameBytes = (name + "\0").getBytes(StandardCharsets.UTF_8);
    StringBuilder header = new StringBuilder("070701");
    int[] fields = {nextInode++, mode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, nameBytes.length, 0};
    for (int field : fields) {
      header.append("%08x".formatted(field));
    }
    out.write(header.toString().getBytes(StandardCharsets.US_ASCII));
    out.write(nameBytes);
    fill(HEADER_BYTES + nameBytes.length);
    out.write(content);
    fill(content.length);
  }

  private void fill(int lengthBytes) throws IOException {
    out.write(new byte[(ALIGNMENT - lengthBytes % ALIGNMENT) % ALIGNMENT]);
  }
}
