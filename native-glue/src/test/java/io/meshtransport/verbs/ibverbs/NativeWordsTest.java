// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.LockedMemory;
import io.meshtransport.verbs.ProcessLimits;
import io.meshtransport.verbs.VerbsException;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Small values, and the words failures are made of. */
class NativeWordsTest {
  private static final ProcessLimits LIMITS = new ProcessLimits("65536 bytes", "1024");

  @ParameterizedTest
  @CsvSource({
    "ibv_get_device_list, 38, modprobe ib_uverbs",
    "ibv_open_device, 1, group rdma",
    "ibv_open_device, 13, group rdma",
    "ibv_open_device, 2, uverbsN is missing",
    "ibv_reg_mr, 12, may lock 65536 bytes",
    "ibv_reg_mr_iova2, 12, ulimit -l",
    "ibv_reg_mr, 1, ulimit -l",
    "ibv_reg_mr_iova2, 1, 65536 bytes",
    "ibv_reg_mr, 14, not mapped",
    "ibv_reg_dmabuf_mr, 95, copy through registered memory",
    "ibv_create_qp, 22, ask for less",
    "ibv_create_cq, 12, may lock 65536 bytes",
    "ibv_modify_qp to RTR, 22, path MTU",
    "ibv_modify_qp to RTR, 110, ip neigh",
    "ibv_alloc_pd, 24, may have 1024 files open",
    "ibv_alloc_pd, 95, cannot do this",
    "ibv_query_qp, 5, dmesg"
  })
  void shouldKnowWhatUsuallyHelps(String call, int errno, String expected) {
    String text = Remedies.of(call, errno, LIMITS);
    assertTrue(text.contains(expected), text);
  }

  @Test
  void shouldSayNothingWhereNothingIsKnown() {
    assertEquals("", Remedies.of("ibv_alloc_pd", 4711, LIMITS));
    assertEquals("errno 4711", ErrnoText.of(4711));
    assertEquals("errno 22 (EINVAL, invalid argument)", ErrnoText.of(22));
  }

  @Test
  void shouldReadTheLimitsOfTheProcess(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("limits");
    Files.writeString(
        file,
        """
        Limit                     Soft Limit           Hard Limit           Units
        Max open files            1048576              1048576              files
        Max locked memory         8388608              unlimited            bytes
        """);
    assertEquals(new ProcessLimits("8388608 bytes", "1048576"), ProcessLimits.of(file));
    Files.writeString(file, "Max locked memory         unlimited            unlimited   bytes\n");
    assertEquals(new ProcessLimits("unlimited", "an unknown amount"), ProcessLimits.of(file));
    assertEquals("an unknown amount", ProcessLimits.of(folder.resolve("nothing")).lockedMemory());
  }

  @ParameterizedTest
  @CsvSource({
    "65536 bytes, 0000000000000000, true",
    "65536 bytes, 000001ffffffbfff, true",
    "65536 bytes, 000001ffffffffff, false",
    "67108864 bytes, 0000000000000000, false",
    "unlimited, 0000000000000000, false",
    "an unknown amount, 0000000000000000, false"
  })
  void shouldWarnOfLittleLockedMemory(String limit, String capabilities, boolean isLittle) {
    String status = "Name:\tjava\nCapPrm:\tffff\nCapEff:\t" + capabilities + "\nCapBnd:\t0\n";
    Optional<String> shortage = LockedMemory.shortage(new ProcessLimits(limit, "1024"), status);
    assertEquals(isLittle, shortage.isPresent());
    shortage.ifPresent(
        text -> {
          assertTrue(text.contains(limit), text);
          assertTrue(text.contains("ulimit -l unlimited"), text);
        });
  }

  @Test
  void shouldFindTheFileALibraryCameFrom(@TempDir Path folder) throws IOException {
    Path maps = folder.resolve("maps");
    Files.writeString(
        maps,
        """
        7f00-7f01 r-xp 00000000 00:00 0
        7f01-7f02 r-xp 00000000 08:01 42                         /usr/lib/libibverbs.so.1.14.44.0
        7f03-7f04 r-xp 00000000 08:01 43                         /usr/lib/libc.so.6
        """);
    assertEquals(
        "/usr/lib/libibverbs.so.1.14.44.0", LoadedFile.of("libibverbs.so.1", maps).toString());
    assertEquals("libmlx5.so.1", LoadedFile.of("libmlx5.so.1", maps).toString());
    assertEquals("libx.so", LoadedFile.of("libx.so", folder.resolve("no")).toString());
  }

  @Test
  void shouldKnowTheTwoProcessors() throws VerbsException {
    assertEquals(320, HostAbi.of("Linux", "amd64", ByteOrder.LITTLE_ENDIAN).abiCompat());
    assertEquals(328, HostAbi.of("Linux", "aarch64", ByteOrder.LITTLE_ENDIAN).abiCompat());
  }

  @ParameterizedTest
  @CsvSource({"Linux,riscv64", "Linux,x86", "Mac OS X,aarch64", "Windows 11,amd64"})
  void shouldRefuseOthers(String system, String processor) {
    VerbsException refusal =
        assertThrows(
            VerbsException.class, () -> HostAbi.of(system, processor, ByteOrder.LITTLE_ENDIAN));
    assertEquals(Errno.EOPNOTSUPP, refusal.errno());
    assertTrue(refusal.getMessage().contains(system + " on " + processor));
  }

  @Test
  void shouldRefuseBigEndianHosts() {
    VerbsException refusal =
        assertThrows(
            VerbsException.class, () -> HostAbi.of("Linux", "aarch64", ByteOrder.BIG_ENDIAN));
    assertTrue(refusal.getMessage().contains("BIG_ENDIAN"), refusal.getMessage());
  }

  @Test
  void shouldTranslateMtusBothWays() {
    for (int code = 1; code <= 5; code++) {
      assertEquals(code, Mtu.toCode(Mtu.ofCode(code)));
    }
    assertEquals(4096, Mtu.ofCode(5));
  }
}
