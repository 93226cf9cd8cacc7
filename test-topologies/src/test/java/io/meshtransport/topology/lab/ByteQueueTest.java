// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** A stream that must not be read. */
class ByteQueueTest {
  @Test
  void shouldNotWaitForEverForAReaderAndReportWhatIsLost() throws Exception {
    ByteQueue queue = new ByteQueue(4, 20);

    queue.put(new byte[] {1, 2, 3, 4});
    queue.put(new byte[] {5});
    queue.put(new byte[] {6});
    queue.end();

    assertArrayEquals(new byte[] {1, 2, 3, 4}, queue.readNBytes(4));
    IOException lost = assertThrows(IOException.class, queue::read);
    assertTrue(lost.getMessage().contains("lost"), lost.getMessage());
  }

  @Test
  void shouldKeepAllUntilItsEndForAReader() throws Exception {
    ByteQueue queue = new ByteQueue(4, 20);
    queue.put(new byte[] {1, 2, 3});
    queue.put(new byte[] {4, 5, 6});
    queue.end();

    assertArrayEquals(new byte[] {1, 2, 3, 4, 5, 6}, queue.readAllBytes());
    assertEquals(-1, queue.read());
  }
}
