package io.meshtransport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class VerbsProvidersTest {
  private record Fake(String name, int rank, Availability availability) implements VerbsProvider {
    @Override
    public List<String> deviceNames() {
      return List.of();
    }

    @Override
    public VerbsDevice open(String deviceName) throws VerbsException {
      throw new VerbsException(Errno.ENODEV, deviceName);
    }
  }

  private final VerbsProvider hardware = new Fake("ibverbs", 100, Availability.yes("mlx5_0"));
  private final VerbsProvider broken = new Fake("ibverbs", 100, Availability.no("no such library"));
  private final VerbsProvider soft = new Fake("soft", 0, Availability.yes("always"));

  @Test
  void shouldPreferTheHighestRankThatIsAvailable() throws VerbsException {
    assertSame(hardware, VerbsProviders.choose("auto", List.of(soft, hardware)));
    assertSame(soft, VerbsProviders.choose("auto", List.of(broken, soft)));
  }

  @Test
  void shouldTakeTheProviderNamed() throws VerbsException {
    assertSame(soft, VerbsProviders.choose("soft", List.of(hardware, soft)));
  }

  @Test
  void shouldListEveryReasonWhenItRefuses() {
    VerbsException refusal =
        assertThrows(
            VerbsException.class, () -> VerbsProviders.choose("ibverbs", List.of(broken, soft)));
    assertEquals(Errno.ENODEV, refusal.errno());
    assertTrue(refusal.getMessage().contains("ibverbs: not available: no such library"));
    assertTrue(refusal.getMessage().contains("soft: available: always"));
  }

  @Test
  void shouldRefuseAnUnknownNameEvenWhereOthersWork() {
    assertThrows(VerbsException.class, () -> VerbsProviders.choose("roce", List.of(soft)));
  }

  @Test
  void shouldNameTheProviderOfThisModuleAmongThoseOnTheClassPath() {
    VerbsException refusal =
        assertThrows(VerbsException.class, () -> VerbsProviders.choose("nothing"));
    assertTrue(refusal.getMessage().contains("ibverbs: "), refusal.getMessage());
  }
}
