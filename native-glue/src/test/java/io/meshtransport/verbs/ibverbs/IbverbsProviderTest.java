// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests also {@link DeviceList} and {@link GidRows}. */
class IbverbsProviderTest {
  private static String reason(IbverbsProvider provider) {
    return provider.availability().reason();
  }

  @Test
  void shouldSayWhichLibraryIsMissing() {
    IbverbsProvider provider =
        new IbverbsProvider(LibibverbsProbe.of("libnothing-of-that-name.so.1"));
    assertFalse(provider.availability().available());
    assertEquals(List.of(), provider.deviceNames());
    assertTrue(
        reason(provider).contains("libnothing-of-that-name.so.1 cannot be loaded"),
        reason(provider));
    assertTrue(reason(provider).contains("apt install"), reason(provider));
    VerbsException refusal = assertThrows(VerbsException.class, () -> provider.open("mlx5_0"));
    assertEquals(Errno.ENODEV, refusal.errno());
    assertTrue(refusal.getMessage().contains("apt install"), refusal.getMessage());
  }

  @Test
  void shouldSayWhichFunctionIsMissing() {
    String reason = reason(new IbverbsProvider(LibibverbsProbe.of("libc.so.6")));
    assertTrue(reason.contains("ibv_"), reason);
    assertTrue(reason.contains("rdma-core 28"), reason);
  }

  @Test
  void shouldAnswerOnThisHostWhateverItHas() {
    IbverbsProvider provider = new IbverbsProvider();
    assertEquals(!provider.deviceNames().isEmpty(), provider.availability().available());
    assertFalse(reason(provider).isBlank());
  }
}
