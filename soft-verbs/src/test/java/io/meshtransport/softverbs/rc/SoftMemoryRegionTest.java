// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.frame.MemorySegment;
import io.meshtransport.softverbs.frame.PayloadViews;
import io.meshtransport.verbs.Access;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A range of addresses over three buffers. */
class SoftMemoryRegionTest {
  private static final long START = 1L << 40;

  private final List<ByteBuffer> buffers =
      List.of(
          ByteBuffer.allocateDirect(10),
          ByteBuffer.allocateDirect(20),
          ByteBuffer.allocateDirect(30));

  private ScriptedQueuePair pair;
  private SoftMemoryRegion region;

  @BeforeEach
  void register() throws Exception {
    pair = new ScriptedQueuePair();
    region =
        (SoftMemoryRegion)
            pair.domain.registerAt(START, buffers, Access.LOCAL_WRITE | Access.REMOTE_READ);
  }

  /** Writes 1, 2, 3... through the views of a range. */
  private int write(long offset, int bytes) {
    PayloadViews views = new PayloadViews();
    region.addViews(START + offset, bytes, views);
    byte[] values = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      values[i] = (byte) (i + 1);
    }
    views.copyFrom(ByteBuffer.wrap(values));
    int count = views.size();
    views.clear();
    return count;
  }

  private int at(long offset) {
    return offset < 10
        ? buffers.get(0).get((int) offset)
        : offset < 30
            ? buffers.get(1).get((int) offset - 10)
            : buffers.get(2).get((int) offset - 30);
  }

  @Test
  void shouldReachEveryByteByItsAddress() {
    for (int offset = 0; offset < 60; offset++) {
      write(offset, 1);
      assertEquals(1, at(offset), "at " + offset);
    }
    write(0, 60);
    for (int offset = 0; offset < 60; offset++) {
      assertEquals(offset + 1, at(offset));
    }
    write(8, 25);
    assertEquals(8, at(7));
    assertEquals(1, at(8));
    assertEquals(25, at(32));
    assertEquals(34, at(33));
  }

  @Test
  void shouldPermitWhatIsInsideWithItsRights() {
    assertTrue(region.permits(START, 60, Access.LOCAL_WRITE));
    assertTrue(region.permits(START + 60, 0, 0), "nothing, at the end");
    assertFalse(region.permits(START + 61, 0, 0));
    assertFalse(region.permits(START + 1, 60, 0));
    assertFalse(region.permits(START - 1, 1, 0));
    assertFalse(region.permits(START, 1, Access.REMOTE_WRITE));
    assertFalse(region.permits(START, 1, Access.REMOTE_READ | Access.REMOTE_WRITE));
  }

  @Test
  void shouldOwnItsSegmentsOnly() throws Exception {
    PayloadViews views = new PayloadViews();
    region.addViews(START + 15, 1, views);
    assertTrue(views.touches(region));
    assertFalse(views.touches((SoftMemoryRegion) pair.register(8)));
    assertFalse(region.owns(new MemorySegment(buffers.get(0), 0)));
  }

  @Test
  void shouldLeaveTheKeysAndTheNetworkWhenClosed() {
    MemoryKeys keys = pair.device.keys();
    int local = region.localKey();
    int remote = region.remoteKey();
    assertSame(region, keys.findLocal(local, pair.domain, START, 1, 0));
    assertSame(region, keys.findRemote(remote, pair.domain, START, 1, 0));
    region.close();
    region.close();
    assertNull(keys.findLocal(local, pair.domain, START, 1, 0));
    assertNull(keys.findRemote(remote, pair.domain, START, 1, 0));
    assertEquals(List.of(region), pair.network.detached);
  }
}
