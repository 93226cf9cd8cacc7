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
  void shouldBeAvailableWhereDevicesAre() {
    IbverbsProvider provider = new IbverbsProvider(LibibverbsProbe.ofNames(List.of("mlx5_0")));
    assertTrue(provider.availability().available());
    assertTrue(provider.availability().reason().contains("mlx5_0"));
    assertEquals(List.of("mlx5_0"), provider.deviceNames());
  }

  @Test
  void shouldSayWhyItOpensNothingWithoutDevices() {
    IbverbsProvider provider = new IbverbsProvider(LibibverbsProbe.ofErrno(Errno.ENOSYS));
    assertFalse(provider.availability().available());
    VerbsException refusal = assertThrows(VerbsException.class, () -> provider.open("mlx5_0"));
    assertEquals(Errno.ENODEV, refusal.errno());
    assertTrue(refusal.getMessage().contains("modprobe"), refusal.getMessage());
  }

  @Test
  void shouldAnswerOnThisHostWhateverItHas() {
    IbverbsProvider provider = new IbverbsProvider();
    assertEquals(!provider.deviceNames().isEmpty(), provider.availability().available());
    assertFalse(provider.availability().reason().isBlank());
  }
}
