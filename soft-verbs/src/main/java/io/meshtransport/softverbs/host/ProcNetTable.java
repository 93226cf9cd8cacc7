// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.host;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * One of the kernel's tables of connections, read line by line without garbage: the file stays
 * open, and its bytes are parsed where they were read to. Guarded by the device's lock.
 */
final class ProcNetTable {
  /** The kernel hands out at most a page at once; a line has at most 200 bytes. */
  private static final int BUFFER_BYTES = 8192;

  private final Path path;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private RandomAccessFile file;
  private boolean isClosed;

  /** In the buffer: the end of its bytes, the line that comes next, and the next byte to parse. */
  private int filled;

  private int lineStart;
  private int at;

  ProcNetTable(Path path) {
    this.path = path;
  }

  /**
   * Reads the table from its start up to a row; its columns can then be read.
   *
   * @param ends the two addresses of the row as the kernel prints them, and the space after them
   * @return whether there is such a row; false also where there is no such table
   */
  boolean seek(byte[] ends) {
    try {
      rewind();
      while (file != null && refill()) {
        if (seekInBuffer(ends)) {
          return true;
        }
      }
    } catch (IOException e) {
      // Not Linux, or /proc is hidden: callers must expect that the kernel reports nothing.
      closeFile();
    }
    return false;
  }

  private void rewind() throws IOException {
    filled = 0;
    lineStart = 0;
    if (file != null) {
      file.seek(0);
    } else if (!isClosed) {
      file = new RandomAccessFile(path.toFile(), "r");
    }
  }

  /** Keeps the line that is not complete, and reads on. */
  private boolean refill() throws IOException {
    System.arraycopy(buffer, lineStart, buffer, 0, filled - lineStart);
    filled -= lineStart;
    lineStart = 0;
    int count = file.read(buffer, filled, buffer.length - filled);
    filled += Math.max(0, count);
    return count > 0;
  }

  /** Scans the complete lines in the buffer. */
  private boolean seekInBuffer(byte[] ends) {
    for (int i = lineStart; i < filled; i++) {
      if (buffer[i] == '\n') {
        at = lineStart;
        lineStart = i + 1;
        skipPast((byte) ':');
        skipSpaces();
        if (startsWith(ends)) {
          at += ends.length;
          return true;
        }
      }
    }
    return false;
  }

  private boolean startsWith(byte[] wanted) {
    int end = at + wanted.length;
    return end <= filled && Arrays.equals(buffer, at, end, wanted, 0, wanted.length);
  }

  /** Skips up to and over the next such byte, but not beyond the line. */
  void skipPast(byte what) {
    while (at < lineStart - 1 && buffer[at] != what) {
      at++;
    }
    at = Math.min(at + 1, lineStart - 1);
  }

  private void skipSpaces() {
    while (buffer[at] == ' ') {
      at++;
    }
  }

  /** Reads the next number, after any spaces. */
  long readNumber(int radix) {
    skipSpaces();
    long number = 0;
    int digit;
    while ((digit = Character.digit(buffer[at], radix)) >= 0) {
      number = number * radix + digit;
      at++;
    }
    return number;
  }

  void close() {
    isClosed = true;
    closeFile();
  }

  private void closeFile() {
    RandomAccessFile open = file;
    file = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        throw new UncheckedIOException("closing " + path + " failed", e);
      }
    }
  }
}
