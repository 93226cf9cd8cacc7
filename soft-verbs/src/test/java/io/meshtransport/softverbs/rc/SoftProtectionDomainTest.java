// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.frame.SoftLimits;
import io.meshtransport.verbs.Access;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What may be registered, and which queue pairs may be created. */
class SoftProtectionDomainTest {
  private ScriptedQueuePair pair;
  private SoftProtectionDomain domain;

  @BeforeEach
  void open() throws Exception {
    pair = new ScriptedQueuePair();
    domain = pair.domain;
  }

  private static void refused(int errno, String why, Executable call) {
    VerbsException failure = assertThrows(VerbsException.class, call);
    assertEquals(errno, failure.errno());
    assertTrue(failure.getMessage().contains(why), failure.getMessage());
  }

  private void refusedMemory(int errno, String why, ByteBuffer buffer, int access) {
    refused(errno, why, () -> domain.register(buffer, access));
    refused(errno, why, () -> domain.registerAt(4096, List.of(buffer), access));
  }

  @Test
  void shouldRegisterDirectMemoryOnly() {
    refusedMemory(Errno.EINVAL, "a heap buffer", ByteBuffer.allocate(8), 0);
    refusedMemory(Errno.EINVAL, "an empty buffer", ByteBuffer.allocateDirect(0), 0);
    refused(Errno.EINVAL, "at least one buffer", () -> domain.register(List.of(), 0));
  }

  @Test
  void shouldRegisterReadOnlyMemoryForReadingOnly() throws Exception {
    ByteBuffer constant = ByteBuffer.allocateDirect(8).asReadOnlyBuffer();
    refusedMemory(Errno.EFAULT, "read-only", constant, Access.LOCAL_WRITE);
    refusedMemory(Errno.EFAULT, "read-only", constant, Access.LOCAL_WRITE | Access.REMOTE_ATOMIC);
    try (MemoryRegion region = domain.register(constant, Access.REMOTE_READ)) {
      assertEquals(8, region.lengthBytes());
    }
  }

  @Test
  void shouldRefuseRightsThatDoNotGoTogether() {
    ByteBuffer memory = ByteBuffer.allocateDirect(8);
    refusedMemory(Errno.EINVAL, "need LOCAL_WRITE", memory, Access.REMOTE_WRITE);
    refusedMemory(Errno.EINVAL, "need LOCAL_WRITE", memory, Access.REMOTE_ATOMIC);
    refusedMemory(Errno.EINVAL, "known bits only", memory, 1 << 15);
  }

  @Test
  void shouldCreateQueuePairsUpToItsLimitsAndNoLarger() throws Exception {
    int depth = SoftLimits.MAX_QUEUE_DEPTH;
    int sges = SoftLimits.MAX_SGES;
    int inline = SoftLimits.MAX_INLINE_BYTES;
    domain
        .createQueuePair(
            new QueuePairCapabilities(depth, depth, sges, sges, inline), pair.sends, pair.receives)
        .close();
    for (QueuePairCapabilities larger :
        List.of(
            new QueuePairCapabilities(depth + 1, 1, 1, 1, 0),
            new QueuePairCapabilities(1, depth + 1, 1, 1, 0),
            new QueuePairCapabilities(1, 1, sges + 1, 1, 0),
            new QueuePairCapabilities(1, 1, 1, sges + 1, 0),
            new QueuePairCapabilities(1, 1, 1, 1, inline + 1))) {
      refused(
          Errno.EINVAL,
          "beyond the device's limits",
          () -> domain.createQueuePair(larger, pair.sends, pair.receives));
    }
  }

  @Test
  void shouldRefuseEverythingWhenClosed() throws Exception {
    refused(Errno.EBUSY, "2 memory regions or queue pairs", domain::close);
    pair.region.close();
    pair.queuePair.close();
    domain.close();
    domain.close();
    refused(Errno.EBADF, "closed", () -> domain.register(pair.memory, 0));
    refused(
        Errno.EBADF,
        "closed",
        () -> domain.createQueuePair(pair.queuePair.capabilities(), pair.sends, pair.receives));
  }
}
