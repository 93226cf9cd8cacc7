// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BundleReassemblerTest {
  private static final int MAX = 5 << 20;

  private final BundleReassembler assembly = new BundleReassembler(MAX);

  private static ByteBuffer part(int bytes) {
    return ByteBuffer.allocateDirect(bytes);
  }

  private void refuses(int bundleBytes, int offsetBytes, int partBytes) {
    assertThrows(
        ProtocolException.class, () -> assembly.add(bundleBytes, offsetBytes, part(partBytes)));
  }

  @Test
  void shouldPutTogetherBundlesOfAnySizeFromPartsOfAnySize() throws ProtocolException {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("AssemblyTest -Dseed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 40; round++) {
      byte[] bundle = new byte[1 + random.nextInt(round % 4 == 0 ? MAX : 1000)];
      random.nextBytes(bundle);
      int largest = 1 + random.nextInt(bundle.length);
      int offset = 0;
      while (offset < bundle.length) {
        int count = Math.min(bundle.length - offset, largest);
        ByteBuffer received = part(count + 16).position(16).put(bundle, offset, count).flip();
        boolean whole = assembly.add(bundle.length, offset, received.position(16));
        offset += count;
        assertEquals(offset == bundle.length, whole);
        assertFalse(received.hasRemaining());
        if (bundle.length / largest > 10_000) {
          largest = bundle.length / 100;
        }
      }
      assertArrayEquals(bundle, assembly.bundle());
    }
  }

  @Test
  void shouldAcceptTheLongestBundleAndNoLongerOne() throws ProtocolException {
    assertTrue(assembly.add(MAX, 0, part(MAX)));
    assertEquals(MAX, assembly.bundle().length);
    refuses(MAX + 1, 0, 10);
    refuses(Integer.MAX_VALUE, 0, 10);
    refuses(0, 0, 10);
    refuses(-1, 0, 10);
    refuses(Integer.MIN_VALUE, 0, 10);
  }

  @Test
  void shouldRefuseWhatIsNoNextPart() throws ProtocolException {
    refuses(100, 10, 10);
    refuses(0, 10, 10);
    assembly.add(100, 0, part(40));
    refuses(100, 30, 10);
    refuses(100, 50, 10);
    refuses(100, -40, 10);
    refuses(99, 40, 10);
    refuses(101, 40, 10);
    refuses(100, 40, 61);
    refuses(100, 40, 0);
    refuses(100, Integer.MAX_VALUE, 10);
    assertTrue(assembly.add(100, 40, part(60)));
  }

  @Test
  void shouldRefuseAFirstPartLongerThanItsBundle() {
    refuses(10, 0, 11);
    refuses(10, 0, 0);
  }

  @Test
  void shouldDropABundleWhoseSenderGaveUp() throws ProtocolException {
    assembly.add(100, 0, part(40).put(0, (byte) 1));
    assertFalse(assembly.add(50, 0, part(40).put(0, (byte) 2)));
    assertTrue(assembly.add(50, 40, part(10)));
    byte[] bundle = assembly.bundle();
    assertEquals(50, bundle.length);
    assertEquals(2, bundle[0]);
  }

  @Test
  void shouldRefuseAPartOfABundleThatWasDelivered() throws ProtocolException {
    assembly.add(10, 0, part(10));
    assembly.bundle();
    refuses(10, 10, 1);
    refuses(0, 0, 0);
  }

  @Test
  void shouldGiveEachBundleMemoryOfItsOwn() throws ProtocolException {
    assembly.add(10, 0, part(10));
    byte[] first = assembly.bundle();
    assembly.add(10, 0, part(10).put(0, (byte) 1));
    byte[] second = assembly.bundle();
    assertNotSame(first, second);
    assertEquals(0, first[0]);
    assertEquals(1, second[0]);
  }

  @Test
  void shouldHandOutNoBundleThatIsNotWhole() throws ProtocolException {
    assertThrows(IllegalStateException.class, assembly::bundle);
    assembly.add(10, 0, part(9));
    assertThrows(IllegalStateException.class, assembly::bundle);
    assembly.add(10, 9, part(1));
    assertEquals(10, assembly.bundle().length);
    assertThrows(IllegalStateException.class, assembly::bundle);
  }
}
