package io.meshtransport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class IbverbsProviderTest {
  @Test
  void shouldSayWhichLibraryIsMissing() {
    String reason = LibibverbsProbe.of("libnothing-of-that-name.so.1").reason();
    assertTrue(reason.contains("libnothing-of-that-name.so.1 cannot be loaded"), reason);
    assertTrue(reason.contains("apt install"), reason);
  }

  @Test
  void shouldSayThatTheKernelHasNoRdmaCore() {
    String reason = LibibverbsProbe.ofErrno(Errno.ENOSYS).reason();
    assertTrue(reason.contains("modprobe ib_uverbs"), reason);
  }

  @Test
  void shouldSayThatThereIsNoDevice() {
    String reason = LibibverbsProbe.ofNames(List.of()).reason();
    assertTrue(reason.contains("no device"), reason);
  }

  @Test
  void shouldRefuseToOpenDevicesItCannotDriveYet() {
    IbverbsProvider provider = new IbverbsProvider(LibibverbsProbe.ofNames(List.of("mlx5_0")));
    assertFalse(provider.availability().available());
    VerbsException refusal = assertThrows(VerbsException.class, () -> provider.open("mlx5_0"));
    assertEquals(Errno.EOPNOTSUPP, refusal.errno());
    assertTrue(refusal.getMessage().contains("cannot drive them yet"), refusal.getMessage());
  }

  @Test
  void shouldAnswerOnThisHostWhateverItHas() {
    IbverbsProvider provider = new IbverbsProvider();
    assertFalse(provider.availability().available());
    assertFalse(provider.availability().reason().isBlank());
    assertEquals(List.of(), provider.deviceNames());
  }
}
